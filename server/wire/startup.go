package wire

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/limits"
)

// The codes that a first packet may carry in place of a protocol version.
const (
	sslRequestCode    = 80877103
	gssEncRequestCode = 80877104
	cancelRequestCode = 80877102
	protocolMajor     = 3
	// ProtocolVersion is 3.0, the version that is spoken.
	ProtocolVersion = 196608
)

// StartupKind tells what a first packet is.
type StartupKind int

// The kinds of first packet.
const (
	SSLRequest StartupKind = iota + 1
	GSSEncRequest
	CancelRequest
	StartupMessage
)

// Startup is a first packet.
type Startup struct {
	Kind       StartupKind
	ProcessID  uint32            // CancelRequest
	SecretKey  uint32            // CancelRequest
	Minor      int               // StartupMessage: of the protocol version asked for
	Parameters map[string]string // StartupMessage
	Unknown    []string          // StartupMessage: protocol options (_pq_.*) that are not known here
}

// User is the role that the client asks for.
func (s Startup) User() string { return s.Parameters["user"] }

// Database is the database that the client asks for, by default called like the user.
func (s Startup) Database() string {
	if db := s.Parameters["database"]; db != "" {
		return db
	}
	return s.User()
}

// ReadStartup reads one packet of the startup phase. Its length is checked before anything is allocated;
// garbage is io.ErrUnexpectedEOF and deserves no answer, an unsupported version is a 0A000 error.
func (r *Reader) ReadStartup() (Startup, error) {
	var head [8]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return Startup{}, err
	}
	length := binary.BigEndian.Uint32(head[:4])
	if length < limits.StartupBytesMin || length > limits.StartupBytesMax {
		return Startup{}, io.ErrUnexpectedEOF
	}
	body := make([]byte, length-8)
	if _, err := io.ReadFull(r.r, body); err != nil {
		return Startup{}, err
	}
	switch code := binary.BigEndian.Uint32(head[4:]); {
	case code == sslRequestCode:
		return Startup{Kind: SSLRequest}, nil
	case code == gssEncRequestCode:
		return Startup{Kind: GSSEncRequest}, nil
	case code == cancelRequestCode:
		return cancelRequest(body)
	case code>>16 == protocolMajor:
		return startupMessage(int(code&0xffff), body)
	default:
		return Startup{}, unsupportedVersion(code)
	}
}

func cancelRequest(body []byte) (Startup, error) {
	if len(body) != 8 {
		return Startup{}, io.ErrUnexpectedEOF
	}
	return Startup{
		Kind:      CancelRequest,
		ProcessID: binary.BigEndian.Uint32(body),
		SecretKey: binary.BigEndian.Uint32(body[4:]),
	}, nil
}

func startupMessage(minor int, body []byte) (Startup, error) {
	s := Startup{Kind: StartupMessage, Minor: minor, Parameters: map[string]string{}}
	for {
		name, rest, ok := bytes.Cut(body, []byte{0})
		if !ok {
			return Startup{}, sqlerr.New(sqlerr.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
		}
		if len(name) == 0 {
			if len(rest) != 0 {
				return Startup{}, sqlerr.New(sqlerr.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
			}
			break
		}
		value, rest, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return Startup{}, sqlerr.New(sqlerr.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
		}
		if strings.HasPrefix(string(name), "_pq_.") {
			s.Unknown = append(s.Unknown, string(name))
		} else {
			s.Parameters[string(name)] = string(value)
		}
		body = rest
	}
	if s.User() == "" {
		return s, sqlerr.New(sqlerr.InvalidAuthorization, "no PostgreSQL user name specified in startup packet")
	}
	return s, nil
}

// tlsHandshake is the first byte of a client that begins with TLS at once.
const tlsHandshake = 0x16

// BeginsWithTLS waits for the client's first byte and tells whether it opens a TLS handshake without having
// asked for one.
func (r *Reader) BeginsWithTLS() (bool, error) {
	first, err := r.r.Peek(1)
	if err != nil {
		return false, err
	}
	return first[0] == tlsHandshake, nil
}

// Unsupported is the answer to a request that may not be made now, which its code then counts as a version
// of the protocol.
func (s Startup) Unsupported() error {
	code := sslRequestCode
	if s.Kind == GSSEncRequest {
		code = gssEncRequestCode
	}
	return unsupportedVersion(uint32(code))
}

func unsupportedVersion(code uint32) error {
	return sqlerr.New(sqlerr.FeatureNotSupported,
		"unsupported frontend protocol %d.%d: server supports 3.0 to 3.0", code>>16, code&0xffff)
}
