package protocol

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"
)

// render is a message of the server as one line of JSON.
func render(f frame) string {
	m, err := decode(f)
	if err != nil {
		return fmt.Sprintf(`{"Type":"?","Byte":%q,"Hex":%q,"Error":%q}`, f.typ, hex.EncodeToString(f.body), err)
	}
	switch m := m.(type) {
	case *pgproto3.ErrorResponse:
		return renderFields("ErrorResponse", m)
	case *pgproto3.NoticeResponse:
		return renderFields("NoticeResponse", (*pgproto3.ErrorResponse)(m))
	case *pgproto3.DataRow:
		return renderRow(m)
	case *pgproto3.CopyData:
		return `{"Type":"CopyData","Data":` + quote(string(m.Data)) + `}`
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(m); err != nil {
		return fmt.Sprintf(`{"Type":"?","Error":%q}`, err)
	}
	return string(bytes.TrimRight(out.Bytes(), "\n"))
}

// typeOf is the name of a message's type.
func typeOf(f frame) string {
	var m struct{ Type string }
	if err := json.Unmarshal([]byte(render(f)), &m); err != nil {
		return "?"
	}
	return m.Type
}

func quote(s string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // a string can be encoded
	return string(bytes.TrimRight(out.Bytes(), "\n"))
}

// renderRow shows values as text where they are printable, else as hex.
func renderRow(m *pgproto3.DataRow) string {
	var out bytes.Buffer
	out.WriteString(`{"Type":"DataRow","Values":[`)
	for i, v := range m.Values {
		if i > 0 {
			out.WriteByte(',')
		}
		switch {
		case v == nil:
			out.WriteString("null")
		case printable(v):
			out.WriteString(quote(string(v)))
		default:
			fmt.Fprintf(&out, `{"hex":"%x"}`, v)
		}
	}
	out.WriteString("]}")
	return out.String()
}

func printable(v []byte) bool {
	for _, c := range v {
		if c < ' ' && c != '\n' && c != '\t' || c > '~' {
			return false
		}
	}
	return true
}

// renderFields shows the fields of an error or notice that are there.
func renderFields(typ string, m *pgproto3.ErrorResponse) string {
	number := func(n int32) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"Type":%q`, typ)
	for _, field := range [][2]string{
		{"Severity", m.Severity},
		{"SeverityUnlocalized", m.SeverityUnlocalized},
		{"Code", m.Code},
		{"Message", m.Message},
		{"Detail", m.Detail},
		{"Hint", m.Hint},
		{"Position", number(m.Position)},
		{"InternalPosition", number(m.InternalPosition)},
		{"InternalQuery", m.InternalQuery},
		{"Where", m.Where},
		{"Schema", m.SchemaName},
		{"Table", m.TableName},
		{"Column", m.ColumnName},
		{"DataType", m.DataTypeName},
		{"Constraint", m.ConstraintName},
		{"File", m.File},
		{"Line", number(m.Line)},
		{"Routine", m.Routine},
	} {
		if field[1] != "" {
			fmt.Fprintf(&out, `,%q:%s`, field[0], quote(field[1]))
		}
	}
	out.WriteByte('}')
	return out.String()
}

// decode reads a message of the server.
func decode(f frame) (pgproto3.BackendMessage, error) {
	var m pgproto3.BackendMessage
	switch f.typ {
	case '1':
		m = &pgproto3.ParseComplete{}
	case '2':
		m = &pgproto3.BindComplete{}
	case '3':
		m = &pgproto3.CloseComplete{}
	case 'A':
		m = &pgproto3.NotificationResponse{}
	case 'C':
		m = &pgproto3.CommandComplete{}
	case 'D':
		m = &pgproto3.DataRow{}
	case 'd':
		m = &pgproto3.CopyData{}
	case 'c':
		m = &pgproto3.CopyDone{}
	case 'E':
		m = &pgproto3.ErrorResponse{}
	case 'G':
		m = &pgproto3.CopyInResponse{}
	case 'H':
		m = &pgproto3.CopyOutResponse{}
	case 'I':
		m = &pgproto3.EmptyQueryResponse{}
	case 'K':
		m = &pgproto3.BackendKeyData{}
	case 'N':
		m = &pgproto3.NoticeResponse{}
	case 'n':
		m = &pgproto3.NoData{}
	case 'S':
		m = &pgproto3.ParameterStatus{}
	case 's':
		m = &pgproto3.PortalSuspended{}
	case 'T':
		m = &pgproto3.RowDescription{}
	case 't':
		m = &pgproto3.ParameterDescription{}
	case 'V':
		m = &pgproto3.FunctionCallResponse{}
	case 'v':
		m = &pgproto3.NegotiateProtocolVersion{}
	case 'Z':
		m = &pgproto3.ReadyForQuery{}
	case 'R':
		if len(f.body) == 4 && binary.BigEndian.Uint32(f.body) == 0 {
			m = &pgproto3.AuthenticationOk{}
		}
	}
	if m == nil {
		return nil, fmt.Errorf("message of type %q", f.typ)
	}
	return m, m.Decode(f.body)
}
