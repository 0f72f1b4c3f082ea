package wire

import "time"

// Limits of the protocol, by phase. PostgreSQL's own are cited where they exist.
const (
	// StartupBytesMin and StartupBytesMax bound the first packet, its length field included
	// (MAX_STARTUP_PACKET_LENGTH in PostgreSQL's libpq/pqcomm.h).
	StartupBytesMin = 8
	StartupBytesMax = 10_000
	// StartupRequestsMax bounds the SSLRequest and GSSENCRequest packets before the startup message.
	StartupRequestsMax = 4
	// AuthBytesMax bounds a message while the client authenticates (PG_MAX_AUTH_TOKEN_LENGTH).
	AuthBytesMax = 65_535
	// ShortBytesMax bounds the messages that hold no user data (PQ_SMALL_MESSAGE_LIMIT).
	ShortBytesMax = 10_000
	// LongBytesMax bounds Query, Parse, Bind, FunctionCall and CopyData bodies.
	LongBytesMax = 64 << 20
	// KeepBytesMax is the largest body whose buffer is kept for the next message.
	KeepBytesMax = 64 << 10
	// GrowBytes is how much is allocated at first for a long body; the rest follows as bytes arrive, so
	// that a length alone costs no memory.
	GrowBytes = 64 << 10
	// ReadBufferBytes and WriteBufferBytes are the buffers of one connection.
	ReadBufferBytes  = 8 << 10
	WriteBufferBytes = 8 << 10
	// WriteTimeoutMax ends a client that does not read.
	WriteTimeoutMax = 5 * time.Minute
)
