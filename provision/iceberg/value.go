package iceberg

import (
	"encoding/hex"
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// appendValue reads a value in PostgreSQL's text form into a column of an Iceberg type.
func appendValue(builder array.Builder, typ iceberg.Type, text string) error {
	switch b := builder.(type) {
	case *array.BooleanBuilder:
		v, ok := provision.ParseBool(text)
		if !ok {
			return invalidText("boolean", text)
		}
		b.Append(v)
	case *array.Int32Builder:
		v, err := parseInt(text, "integer", 32)
		b.Append(int32(v)) //nolint:gosec // parsed with 32 bits
		return err
	case *array.Int64Builder:
		v, err := parseInt(text, "bigint", 64)
		b.Append(v)
		return err
	case *array.Float32Builder:
		v, err := parseFloat(text, "real", 32)
		b.Append(float32(v))
		return err
	case *array.Float64Builder:
		v, err := parseFloat(text, "double precision", 64)
		b.Append(v)
		return err
	case *array.StringBuilder:
		b.Append(text)
	case *array.Decimal128Builder:
		v, err := parseDecimal(text, typ)
		b.Append(v)
		return err
	default:
		return appendOtherValue(builder, typ, text)
	}
	return nil
}

func appendOtherValue(builder array.Builder, typ iceberg.Type, text string) error {
	switch b := builder.(type) {
	case *array.Date32Builder:
		v, err := parseDate(text)
		b.Append(arrow.Date32(v))
		return err
	case *array.Time64Builder:
		v, err := parseTime(text)
		b.Append(arrow.Time64(v))
		return err
	case *array.TimestampBuilder:
		v, err := parseTimestamp(text, typ.Equals(iceberg.PrimitiveTypes.TimestampTz))
		b.Append(arrow.Timestamp(v))
		return err
	case *array.BinaryBuilder:
		v, err := parseBytea(text)
		b.Append(v)
		return err
	case *extensions.UUIDBuilder:
		v, err := uuid.Parse(text)
		if err != nil {
			return invalidText("uuid", text)
		}
		b.Append(v)
		return nil
	case *array.ListBuilder:
		list, ok := typ.(*iceberg.ListType)
		if !ok {
			break
		}
		return appendListValue(b, list, text)
	}
	return provision.Error(provision.Unsupported, "writing columns of iceberg type %s is not supported", typ)
}

func appendListValue(b *array.ListBuilder, typ *iceberg.ListType, text string) error {
	elements, err := parseArray(text)
	if err != nil {
		return err
	}
	b.Append(true)
	for _, e := range elements {
		switch {
		case e != nil:
			if err := appendValue(b.ValueBuilder(), typ.Element, *e); err != nil {
				return err
			}
		case typ.ElementRequired:
			return sqlerr.New(codeNotNull, "null element in an array whose elements are required")
		default:
			b.ValueBuilder().AppendNull()
		}
	}
	return nil
}

func parseInt(text, typ string, bits int) (int64, error) {
	v, err := strconv.ParseInt(text, 10, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, sqlerr.New(codeOutOfRange, "value %q is out of range for type %s", text, typ)
	case err != nil:
		return 0, invalidText(typ, text)
	default:
		return v, nil
	}
}

func parseFloat(text, typ string, bits int) (float64, error) {
	v, err := strconv.ParseFloat(text, bits)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, sqlerr.New(codeOutOfRange, "%q is out of range for type %s", text, typ)
	case err != nil:
		return 0, invalidText(typ, text)
	default:
		return v, nil
	}
}

func parseBytea(text string) ([]byte, error) {
	digits, ok := strings.CutPrefix(text, `\x`)
	v, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return nil, invalidText("bytea", text)
	}
	return v, nil
}

// parseDecimal rounds to the column's scale, half away from zero, as PostgreSQL does.
func parseDecimal(text string, typ iceberg.Type) (decimal128.Num, error) {
	decimal, ok := typ.(iceberg.DecimalType)
	number, valid := new(big.Rat).SetString(text)
	if !ok || !valid || strings.ContainsAny(text, "/_xXoObBpPeE") {
		if text == "NaN" || strings.HasSuffix(text, "Infinity") {
			return decimal128.Num{}, sqlerr.New(codeOutOfRange, "an iceberg table cannot hold the numeric %q", text)
		}
		return decimal128.Num{}, invalidText("numeric", text)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimal.Scale())), nil)
	number.Mul(number, new(big.Rat).SetInt(power))
	half := big.NewRat(1, 2)
	if number.Sign() < 0 {
		half.Neg(half)
	}
	number.Add(number, half)
	unscaled := new(big.Int).Quo(number.Num(), number.Denom())
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimal.Precision())), nil)
	if unscaled.CmpAbs(limit) >= 0 {
		return decimal128.Num{}, sqlerr.New(codeOutOfRange, "numeric field overflow").
			WithDetail("A field with precision %d, scale %d must round to an absolute value less than 10^%d.",
				decimal.Precision(), decimal.Scale(), decimal.Precision()-decimal.Scale())
	}
	return decimal128.FromBigInt(unscaled), nil
}
