package protocol

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// message is what a script says of a message of the client, after the name of its type.
type message struct {
	Name      string
	Statement string
	Portal    string
	Kind      string // of Describe and Close: S or P
	SQL       string
	Types     []uint32 // of parameters
	Params    []any    // text, {"hex": …} or null
	Formats   []int16  // of parameters
	Results   []int16  // formats of results
	MaxRows   uint32
	Data      string // of CopyData, CopyFail
	Function  uint32
	// Raw: a frame of any type and body, or bytes without a frame.
	Type, Body, Hex string
	Length          *uint32 // in place of the right one
	// Startup and CancelRequest
	Version    string
	Parameters []string // name, value, name, value, …
	PID        string   // name of the connection whose key is meant
	Secret     *uint32  // in place of the right one
}

// parseMessages reads the messages of a step, one a line: the type and what it says as JSON.
func parseMessages(text string, keys func(connection string) (pid, secret uint32)) ([]byte, error) {
	var out []byte
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		typ, rest, _ := strings.Cut(line, " ")
		var m message
		if rest != "" {
			decoder := json.NewDecoder(strings.NewReader(rest))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&m); err != nil {
				return nil, fmt.Errorf("%s: %w", line, err)
			}
		}
		var err error
		if out, err = m.encode(out, typ, keys); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
	return out, nil
}

func (m message) encode(out []byte, typ string, keys func(string) (uint32, uint32)) ([]byte, error) {
	switch typ {
	case "Raw":
		return m.raw(out)
	case "Startup":
		return m.startup(out), nil
	case "SSLRequest":
		return binary.BigEndian.AppendUint64(out, 8<<32|80877103), nil
	case "GSSENCRequest":
		return binary.BigEndian.AppendUint64(out, 8<<32|80877104), nil
	case "CancelRequest":
		pid, secret := keys(m.PID)
		if m.Secret != nil {
			secret = *m.Secret
		}
		return (&pgproto3.CancelRequest{ProcessID: pid, SecretKey: binary.BigEndian.AppendUint32(nil, secret)}).Encode(out)
	}
	f, err := m.frontend(typ)
	if err != nil {
		return nil, err
	}
	return f.Encode(out)
}

func (m message) frontend(typ string) (pgproto3.FrontendMessage, error) {
	switch typ {
	case "Query":
		return &pgproto3.Query{String: m.SQL}, nil
	case "Parse":
		return &pgproto3.Parse{Name: m.Name, Query: m.SQL, ParameterOIDs: m.Types}, nil
	case "Bind":
		params, err := m.params()
		return &pgproto3.Bind{
			DestinationPortal: m.Portal, PreparedStatement: m.Statement, Parameters: params,
			ParameterFormatCodes: m.Formats, ResultFormatCodes: m.Results,
		}, err
	case "Describe":
		return &pgproto3.Describe{ObjectType: m.Kind[0], Name: m.Name}, nil
	case "Execute":
		return &pgproto3.Execute{Portal: m.Portal, MaxRows: m.MaxRows}, nil
	case "Close":
		return &pgproto3.Close{ObjectType: m.Kind[0], Name: m.Name}, nil
	case "Sync":
		return &pgproto3.Sync{}, nil
	case "Flush":
		return &pgproto3.Flush{}, nil
	case "CopyData":
		return &pgproto3.CopyData{Data: []byte(m.Data)}, nil
	case "CopyDone":
		return &pgproto3.CopyDone{}, nil
	case "CopyFail":
		return &pgproto3.CopyFail{Message: m.Data}, nil
	case "FunctionCall":
		params, err := m.params()
		return &pgproto3.FunctionCall{Function: m.Function, Arguments: params}, err
	case "Terminate":
		return &pgproto3.Terminate{}, nil
	default:
		return nil, fmt.Errorf("no message is called %s", typ)
	}
}

func (m message) params() ([][]byte, error) {
	values := make([][]byte, len(m.Params))
	for i, p := range m.Params {
		switch p := p.(type) {
		case nil:
		case string:
			values[i] = []byte(p)
		case map[string]any:
			b, err := hex.DecodeString(fmt.Sprint(p["hex"]))
			if err != nil {
				return nil, err
			}
			values[i] = b
		default:
			return nil, fmt.Errorf("parameter %v", p)
		}
	}
	return values, nil
}

func (m message) raw(out []byte) ([]byte, error) {
	if m.Type == "" {
		b, err := hex.DecodeString(strings.ReplaceAll(m.Hex, " ", ""))
		return append(append(out, m.Body...), b...), err
	}
	length := uint32(len(m.Body) + 4)
	if m.Length != nil {
		length = *m.Length
	}
	out = binary.BigEndian.AppendUint32(append(out, m.Type[0]), length)
	return append(out, m.Body...), nil
}

func (m message) startup(out []byte) []byte {
	var major, minor uint32
	if _, err := fmt.Sscanf(m.Version, "%d.%d", &major, &minor); err != nil {
		major, minor = 3, 0
	}
	body := binary.BigEndian.AppendUint32(nil, major<<16|minor)
	for _, s := range m.Parameters {
		body = append(append(body, s...), 0)
	}
	body = append(body, 0)
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)+4))
	return append(out, body...)
}
