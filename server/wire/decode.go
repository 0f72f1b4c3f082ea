package wire

import (
	"errors"

	"github.com/jackc/pgproto3/v2"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/session"
)

// Decode reads the body of a message. The codec panics on some short bodies; that is caught here and is
// a protocol violation like every other malformed body.
func Decode(f session.Frame) (req session.Request, err error) {
	defer func() {
		if recover() != nil {
			req, err = nil, malformed(f.Type)
		}
	}()
	req, err = decode(f)
	if err != nil {
		return nil, malformed(f.Type)
	}
	return req, nil
}

func malformed(typ byte) error {
	return sqlerr.New(sqlerr.ProtocolViolation, "invalid message format").WithDetail("Message type \"%c\".", typ)
}

func decode(f session.Frame) (session.Request, error) {
	switch f.Type {
	case 'Q':
		var m pgproto3.Query
		err := m.Decode(f.Body)
		return session.QueryRequest{Text: m.String}, err
	case 'P':
		var m pgproto3.Parse
		err := m.Decode(f.Body)
		return session.ParseRequest{Name: m.Name, Text: m.Query, ParamTypes: m.ParameterOIDs}, err
	case 'B':
		return decodeBind(f.Body)
	case 'D':
		var m pgproto3.Describe
		err := m.Decode(f.Body)
		return session.DescribeRequest{Kind: m.ObjectType, Name: m.Name}, err
	case 'E':
		var m pgproto3.Execute
		err := m.Decode(f.Body)
		return session.ExecuteRequest{Portal: m.Portal, MaxRows: m.MaxRows}, err
	case 'C':
		var m pgproto3.Close
		err := m.Decode(f.Body)
		return session.CloseRequest{Kind: m.ObjectType, Name: m.Name}, err
	default:
		return nil, malformed(f.Type)
	}
}

func decodeBind(body []byte) (session.Request, error) {
	var m pgproto3.Bind
	if err := m.Decode(body); err != nil {
		return nil, err
	}
	return session.BindRequest{
		Portal:        m.DestinationPortal,
		Statement:     m.PreparedStatement,
		ParamFormats:  m.ParameterFormatCodes,
		Params:        m.Parameters,
		ResultFormats: m.ResultFormatCodes,
	}, nil
}

// decodeSafely decodes a message whose codec may panic on a short body.
func decodeSafely(m pgproto3.FrontendMessage, body []byte) (err error) {
	defer func() {
		if recover() != nil {
			err = errMalformed
		}
	}()
	return m.Decode(body)
}

var errMalformed = errors.New("malformed message")
