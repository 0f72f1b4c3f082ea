package iceberg

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
)

// appendText appends value i of a column, which is not NULL, in the form in which PostgreSQL prints it
// with DateStyle ISO and TimeZone UTC.
func appendText(b []byte, column arrow.Array, i int) ([]byte, error) {
	switch c := column.(type) {
	case *array.Boolean:
		if c.Value(i) {
			return append(b, 't'), nil
		}
		return append(b, 'f'), nil
	case *array.Int32:
		return strconv.AppendInt(b, int64(c.Value(i)), 10), nil
	case *array.Int64:
		return strconv.AppendInt(b, c.Value(i), 10), nil
	case *array.Float32:
		return appendFloat(b, float64(c.Value(i)), 32), nil
	case *array.Float64:
		return appendFloat(b, c.Value(i), 64), nil
	case *array.Decimal128:
		typ := c.DataType().(*arrow.Decimal128Type) //nolint:forcetypeassert // an array has its type
		return append(b, c.Value(i).ToString(typ.Scale)...), nil
	case *array.String:
		return append(b, c.Value(i)...), nil
	case *array.LargeString:
		return append(b, c.Value(i)...), nil
	case *array.Binary:
		return appendBytea(b, c.Value(i)), nil
	case *array.LargeBinary:
		return appendBytea(b, c.Value(i)), nil
	case *array.FixedSizeBinary:
		return appendBytea(b, c.Value(i)), nil
	case *extensions.UUIDArray:
		return append(b, c.Value(i).String()...), nil
	default:
		return appendOther(b, column, i)
	}
}

func appendOther(b []byte, column arrow.Array, i int) ([]byte, error) {
	switch c := column.(type) {
	case *array.Date32:
		return appendDate(b, int64(c.Value(i))), nil
	case *array.Time64:
		return appendTime(b, int64(c.Value(i))), nil
	case *array.Timestamp:
		typ := c.DataType().(*arrow.TimestampType) //nolint:forcetypeassert // an array has its type
		micros := int64(c.Value(i))
		if typ.Unit == arrow.Nanosecond {
			micros = floorDiv(micros, 1000)
		}
		return appendTimestamp(b, micros, typ.TimeZone != ""), nil
	case array.ListLike:
		return appendList(b, c, i)
	default:
		return appendJSON(b, column, i)
	}
}

// appendFloat prints the shortest digits that give the number back, with an exponent where PostgreSQL
// has one: below 1e-4 and from 1e15 (real: 1e6) on.
func appendFloat(b []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "Infinity"...)
	case math.IsInf(v, -1):
		return append(b, "-Infinity"...)
	case v == 0:
		if math.Signbit(v) {
			b = append(b, '-')
		}
		return append(b, '0')
	}
	text := shortest(v, bits)
	exponent, err := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	limit := 15
	if bits == 32 {
		limit = 6
	}
	if err == nil && exponent >= -4 && exponent < limit {
		return strconv.AppendFloat(b, v, 'f', -1, bits)
	}
	return append(b, text...)
}

// shortest prints the fewest digits that give v back. Go takes digits that lie exactly half-way to a
// neighbour, which readers round to v; PostgreSQL does not, and prints one digit more.
func shortest(v float64, bits int) string {
	text := strconv.FormatFloat(v, 'e', -1, bits)
	for digits := fractionDigits(text); halfway(text, v, bits); digits++ {
		text = strconv.FormatFloat(v, 'e', digits+1, bits)
	}
	return text
}

func fractionDigits(text string) int {
	_, fraction, _ := strings.Cut(text[:strings.IndexByte(text, 'e')], ".")
	return len(fraction)
}

// halfway tells whether text lies exactly between v and the number next to it. Outside of the limits
// that takes more digits than a shortest text has: below, they would be a long fraction; above, they
// would be a multiple of more fives than fit into such a number.
func halfway(text string, v float64, bits int) bool {
	if bits == 64 && math.Abs(v) < 1<<50 || bits == 32 && math.Abs(v) < 1<<20 || math.Abs(v) > 1e41 {
		return false
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return false
	}
	for _, towards := range []float64{math.Inf(-1), math.Inf(1)} {
		next := math.Nextafter(v, towards)
		if bits == 32 {
			next = float64(math.Nextafter32(float32(v), float32(towards)))
		}
		if math.IsInf(next, 0) {
			continue
		}
		middle := new(big.Rat).Add(new(big.Rat).SetFloat64(v), new(big.Rat).SetFloat64(next))
		if middle.Quo(middle, big.NewRat(2, 1)).Cmp(exact) == 0 {
			return true
		}
	}
	return false
}

func appendBytea(b, v []byte) []byte { return hex.AppendEncode(append(b, `\x`...), v) }

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 24 * 60 * 60 * microsPerSecond
)

func appendDate(b []byte, days int64) []byte {
	t := time.Unix(days*24*60*60, 0).UTC()
	b = appendDay(b, t)
	return appendEra(b, t)
}

// appendDay prints the day of t; years before 1 count backwards.
func appendDay(b []byte, t time.Time) []byte {
	year := t.Year()
	if year <= 0 {
		year = 1 - year
	}
	return fmt.Appendf(b, "%04d-%02d-%02d", year, t.Month(), t.Day())
}

func appendEra(b []byte, t time.Time) []byte {
	if t.Year() <= 0 {
		return append(b, " BC"...)
	}
	return b
}

func appendTimestamp(b []byte, micros int64, zone bool) []byte {
	t := time.UnixMicro(micros).UTC()
	b = append(appendDay(b, t), ' ')
	b = appendTime(b, micros-floorDiv(micros, microsPerDay)*microsPerDay)
	if zone {
		b = append(b, "+00"...)
	}
	return appendEra(b, t)
}

// appendTime prints a time of day, without the zeros that a fraction ends with.
func appendTime(b []byte, micros int64) []byte {
	seconds, fraction := micros/microsPerSecond, micros%microsPerSecond
	b = fmt.Appendf(b, "%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if fraction == 0 {
		return b
	}
	return append(b, strings.TrimRight(fmt.Sprintf(".%06d", fraction), "0")...)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// appendList prints an array of scalars; lists of something else are JSON.
func appendList(b []byte, list array.ListLike, i int) ([]byte, error) {
	elements := list.ListValues()
	if arrow.IsNested(elements.DataType().ID()) {
		return appendJSON(b, list, i)
	}
	start, end := list.ValueOffsets(i)
	b = append(b, '{')
	for at := start; at < end; at++ {
		if at > start {
			b = append(b, ',')
		}
		if elements.IsNull(int(at)) {
			b = append(b, "NULL"...)
			continue
		}
		text, err := appendText(nil, elements, int(at))
		if err != nil {
			return nil, err
		}
		b = appendElement(b, text)
	}
	return append(b, '}'), nil
}

// appendElement quotes an array's element as array_out does.
func appendElement(b, text []byte) []byte {
	if len(text) > 0 && !strings.ContainsAny(string(text), "{},\"\\ \t\n\r\v\f") && !strings.EqualFold(string(text), "null") {
		return append(b, text...)
	}
	b = append(b, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}

func appendJSON(b []byte, column arrow.Array, i int) ([]byte, error) {
	text, err := json.Marshal(column.GetOneForMarshal(i))
	return append(b, text...), err
}
