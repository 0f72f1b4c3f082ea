package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgproto3/v2"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/limits"
	"github.com/tablewright/tablewright/session"
)

// appendReply encodes a message of our own.
func appendReply(dst []byte, reply session.Reply) ([]byte, error) {
	m, err := message(reply)
	if err != nil {
		return dst, err
	}
	return m.Encode(dst)
}

func message(reply session.Reply) (pgproto3.BackendMessage, error) {
	switch m := reply.(type) {
	case session.ErrorReply:
		return errorResponse("ERROR", m.Err), nil
	case session.FatalReply:
		return errorResponse("FATAL", m.Err), nil
	case session.NoticeReply:
		return noticeResponse(m), nil
	case session.ParseComplete:
		return &pgproto3.ParseComplete{}, nil
	case session.BindComplete:
		return &pgproto3.BindComplete{}, nil
	case session.CloseComplete:
		return &pgproto3.CloseComplete{}, nil
	case session.NoData:
		return &pgproto3.NoData{}, nil
	case session.ParameterDescription:
		return &pgproto3.ParameterDescription{ParameterOIDs: m.Types}, nil
	case session.CommandComplete:
		return &pgproto3.CommandComplete{CommandTag: []byte(m.Tag)}, nil
	case session.EmptyQuery:
		return &pgproto3.EmptyQueryResponse{}, nil
	case session.PortalSuspended:
		return &pgproto3.PortalSuspended{}, nil
	case session.ParameterStatus:
		return &pgproto3.ParameterStatus{Name: m.Name, Value: m.Value}, nil
	case session.Ready:
		return &pgproto3.ReadyForQuery{TxStatus: m.Status}, nil
	default:
		return nil, fmt.Errorf("no encoding for %T", reply)
	}
}

func errorResponse(severity string, e *sqlerr.Error) *pgproto3.ErrorResponse {
	return &pgproto3.ErrorResponse{
		Severity: severity, SeverityUnlocalized: severity,
		Code: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint,
		Position:   int32(min(e.Position, limits.LongBytesMax)), //nolint:gosec // bounded by the longest message
		SchemaName: e.Schema, TableName: e.Table, ColumnName: e.Column, DataTypeName: e.DataType,
		ConstraintName: e.Constraint,
	}
}

func noticeResponse(m session.NoticeReply) *pgproto3.NoticeResponse {
	n := m.Notice
	return &pgproto3.NoticeResponse{
		Severity: n.Severity, SeverityUnlocalized: n.Severity,
		Code: n.Code, Message: n.Message, Detail: n.Detail, Hint: n.Hint,
	}
}

// SendAuthenticationOk buffers the end of authentication.
func (c *Conn) SendAuthenticationOk() error { return c.sendMessage(&pgproto3.AuthenticationOk{}) }

// SendSASL sends the mechanisms that the client may authenticate with.
func (c *Conn) SendSASL(mechanisms []string) error {
	return c.sendNow(&pgproto3.AuthenticationSASL{AuthMechanisms: mechanisms})
}

// SendSASLContinue sends the server's challenge.
func (c *Conn) SendSASLContinue(data []byte) error {
	return c.sendNow(&pgproto3.AuthenticationSASLContinue{Data: data})
}

// SendSASLFinal buffers the server's own proof, which goes before AuthenticationOk.
func (c *Conn) SendSASLFinal(data []byte) error {
	return c.sendMessage(&pgproto3.AuthenticationSASLFinal{Data: data})
}

func (c *Conn) sendNow(m pgproto3.BackendMessage) error {
	if err := c.sendMessage(m); err != nil {
		return err
	}
	return c.Flush()
}

// SASLInitialResponse is the client's choice of a mechanism and its first message.
type SASLInitialResponse struct {
	Mechanism string
	Data      []byte
}

// ReadSASLInitial reads the client's answer to SendSASL.
func (c *Conn) ReadSASLInitial() (SASLInitialResponse, error) {
	body, err := c.ReadSASL()
	if err != nil {
		return SASLInitialResponse{}, err
	}
	var m pgproto3.SASLInitialResponse
	if err := decodeSafely(&m, body); err != nil {
		return SASLInitialResponse{}, malformed('p')
	}
	return SASLInitialResponse{Mechanism: m.AuthMechanism, Data: bytes.Clone(m.Data)}, nil
}

// ReadSASL reads a message of the authentication exchange; its body is valid until the next read.
func (c *Conn) ReadSASL() ([]byte, error) {
	f, err := c.reader.Next()
	if err != nil {
		return nil, err
	}
	if f.Type != 'p' {
		return nil, sqlerr.New(sqlerr.ProtocolViolation, "expected SASL response, got message type %d", f.Type)
	}
	return f.Body, nil
}

// SendBackendKeyData buffers the key that a CancelRequest must bring.
func (c *Conn) SendBackendKeyData(pid, secret uint32) error {
	return c.sendMessage(&pgproto3.BackendKeyData{ProcessID: pid, SecretKey: secret})
}

// SendNegotiateProtocolVersion buffers the answer to a client that asked for a newer minor version or
// for protocol options: 3.0 and the names of the options that are not known. The codec lacks it.
func (c *Conn) SendNegotiateProtocolVersion(unknown []string) error {
	body := binary.BigEndian.AppendUint32(nil, ProtocolVersion)
	body = binary.BigEndian.AppendUint32(body, uint32(len(unknown))) //nolint:gosec // bounded by limits.StartupBytesMax
	for _, name := range unknown {
		body = append(append(body, name...), 0)
	}
	return c.Forward(session.Frame{Type: 'v', Body: body})
}

func (c *Conn) sendMessage(m pgproto3.BackendMessage) error {
	b, err := m.Encode(nil)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Set(append(c.out.Take(), b...))
	return c.sendIfFull()
}

func appendFrame(dst []byte, typ byte, body []byte) []byte {
	dst = append(dst, typ)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(body)+4)) //nolint:gosec // bodies are bounded by limits.LongBytesMax
	return append(dst, body...)
}
