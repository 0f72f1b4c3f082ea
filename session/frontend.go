// Package session is one client's conversation: it routes each statement to the home database or to
// Tablewright itself, keeps both in one transaction state, and passes everything that is not ours
// through, byte for byte.
package session

import (
	"context"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Frame is one protocol message as it is on the wire: its type byte and its body without the length.
type Frame struct {
	Type byte
	Body []byte
}

// FrameHeadBytes is the size of a frame's type byte and length on the wire.
const FrameHeadBytes = 5

// Frontend is the client's end of the connection. Receive and Decode are called by one goroutine; the
// other methods may be called by several.
type Frontend interface {
	// Receive returns the client's next message. The body is valid until the next call.
	Receive() (Frame, error)
	// Decode reads a message that is not merely forwarded: Query, Parse, Bind, Describe, Execute, Close.
	// A malformed one is 08P01.
	Decode(f Frame) (Request, error)
	// Forward buffers a message of the home database for the client, unchanged.
	Forward(f Frame) error
	// Send buffers messages of our own for the client.
	Send(replies ...Reply) error
	// Flush sends what is buffered.
	Flush() error
	// Interrupt ends a Receive that waits, with an error; it may be called at any time.
	Interrupt()
}

// Watcher tells when the client goes away while nothing is read from it.
type Watcher interface {
	// Watch returns a context that ends when the client is gone, and a function that stops watching. It
	// must be called before the next Receive; the context outlives it.
	Watch(ctx context.Context) (context.Context, func())
	// Await waits until a message of the client has begun to arrive, its connection has ended, or stop is
	// closed. It tells whether there is something to Receive, be it the end.
	Await(stop <-chan struct{}) bool
	// Buffered tells whether another message of the client has already arrived, at least in part.
	Buffered() bool
	// Whole tells whether it has arrived as a whole.
	Whole() bool
}

// Client is all that a session needs of its client.
type Client interface {
	Frontend
	Watcher
}

// Request is a decoded message of the client.
type Request interface{ request() }

type (
	// QueryRequest is a simple Query: one string of any number of statements.
	QueryRequest struct{ Text string }
	// ParseRequest prepares one statement under a name, empty for the unnamed one.
	ParseRequest struct {
		Name       string
		Text       string
		ParamTypes []uint32
	}
	// BindRequest makes a portal from a prepared statement.
	BindRequest struct {
		Portal        string
		Statement     string
		ParamFormats  []int16
		Params        [][]byte
		ResultFormats []int16
	}
	// DescribeRequest asks for the shape of a statement (Kind 'S') or portal (Kind 'P').
	DescribeRequest struct {
		Kind byte
		Name string
	}
	// ExecuteRequest runs a portal; MaxRows 0 means all.
	ExecuteRequest struct {
		Portal  string
		MaxRows uint32
	}
	// CloseRequest closes a statement (Kind 'S') or portal (Kind 'P').
	CloseRequest struct {
		Kind byte
		Name string
	}
)

func (QueryRequest) request()    {}
func (ParseRequest) request()    {}
func (BindRequest) request()     {}
func (DescribeRequest) request() {}
func (ExecuteRequest) request()  {}
func (CloseRequest) request()    {}

// Reply is a message of our own for the client.
type Reply interface{ reply() }

type (
	// ErrorReply is an ErrorResponse of severity ERROR.
	ErrorReply struct{ Err *sqlerr.Error }
	// FatalReply is an ErrorResponse of severity FATAL; the connection is closed after it.
	FatalReply struct{ Err *sqlerr.Error }
	// NoticeReply is a NoticeResponse.
	NoticeReply struct{ Notice plan.Notice }
	// ParseComplete answers a ParseRequest.
	ParseComplete struct{}
	// BindComplete answers a BindRequest.
	BindComplete struct{}
	// CloseComplete answers a CloseRequest.
	CloseComplete struct{}
	// NoData answers a DescribeRequest for what returns no rows.
	NoData struct{}
	// ParameterDescription answers a DescribeRequest of a statement, with the types' OIDs.
	ParameterDescription struct{ Types []uint32 }
	// CommandComplete ends a statement.
	CommandComplete struct{ Tag string }
	// EmptyQuery ends a statement without text.
	EmptyQuery struct{}
	// PortalSuspended ends an Execute that reached its row limit.
	PortalSuspended struct{}
	// ParameterStatus reports a setting's value.
	ParameterStatus struct{ Name, Value string }
	// Ready is ReadyForQuery: Status is I, T or E.
	Ready struct{ Status byte }
)

func (ErrorReply) reply()           {}
func (FatalReply) reply()           {}
func (NoticeReply) reply()          {}
func (ParseComplete) reply()        {}
func (BindComplete) reply()         {}
func (CloseComplete) reply()        {}
func (NoData) reply()               {}
func (ParameterDescription) reply() {}
func (CommandComplete) reply()      {}
func (EmptyQuery) reply()           {}
func (PortalSuspended) reply()      {}
func (ParameterStatus) reply()      {}
func (Ready) reply()                {}
