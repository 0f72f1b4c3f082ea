// Package limits holds every bound of a client's connection in one place: what a client can make the
// gateway keep, wait for or do. It imports nothing of the project, so that every part may use it.
package limits

import "time"

// Limits of the protocol, by phase. PostgreSQL's own are cited where they exist.
const (
	// StartupBytesMin and StartupBytesMax bound the first packet, its length field included
	// (MAX_STARTUP_PACKET_LENGTH in PostgreSQL's libpq/pqcomm.h).
	StartupBytesMin = 8
	StartupBytesMax = 10_000
	// AuthBytesMax bounds a message while the client authenticates (PG_MAX_AUTH_TOKEN_LENGTH).
	AuthBytesMax = 65_535
	// ShortBytesMax bounds the messages that hold no user data (PQ_SMALL_MESSAGE_LIMIT).
	ShortBytesMax = 10_000
	// LongBytesMax bounds Query, Parse, Bind, FunctionCall and CopyData bodies.
	LongBytesMax = 64 << 20
)

// Buffers of one connection.
const (
	// KeepBytesMax is the largest body whose buffer is kept for the next message, WriteKeepBytesMax the
	// largest buffer of answers.
	KeepBytesMax      = 8 << 10
	WriteKeepBytesMax = 2 * WriteBufferBytes
	// GrowBytes is how much is allocated at first for a long body; the rest follows as bytes arrive, so
	// that a length alone costs no memory.
	GrowBytes = 64 << 10
	// ReadBufferBytes and WriteBufferBytes are the buffers of one connection.
	ReadBufferBytes  = 8 << 10
	WriteBufferBytes = 8 << 10
	// ConnectionBytesMax is what the gateway's own part of an idle connection may cost, TLS included.
	ConnectionBytesMax = 60 << 10
)

// Limits of one session's statements. How many statements a message may hold, and how deep they may nest,
// is the parser's to say: see ddl/parse.
const (
	// PreparedMax and PortalsMax bound the named prepared statements and portals of a session that the
	// extended protocol made, PreparedBytesMax and PortalBytesMax the bytes of their texts and parameters.
	PreparedMax      = 10_000
	PreparedBytesMax = 64 << 20
	PortalsMax       = 1_000
	PortalBytesMax   = 64 << 20
)

// Limits of time that no configuration changes.
const (
	// VanishedMax is the time within which a client that has vanished without a word is noticed while a
	// statement runs.
	VanishedMax = 5 * time.Second
	// KeepAliveIdle, KeepAliveInterval and KeepAliveCount make the kernel ask a silent client of a running
	// statement whether it is still there, so that VanishedMax holds.
	KeepAliveIdle     = time.Second
	KeepAliveInterval = time.Second
	KeepAliveCount    = 2
	// QuietKeepAlive is the same of a client that waits for nothing: a lost network for a while is no
	// reason to end its session.
	QuietKeepAlive = 2 * time.Minute
	// CancelForwardMax bounds the connection that carries a cancel to the home server.
	CancelForwardMax = 5 * time.Second
	// AbortGraceMax is how long a cancelled session may take to say good-bye before its socket is closed.
	AbortGraceMax = 10 * time.Second
)

// CancelRequestsPerSecondMax bounds the cancel requests of one address, CancelBurstMax those at once.
// One over it is closed without effect: a key must not be found by trying.
const (
	CancelRequestsPerSecondMax = 20
	CancelBurstMax             = 100
)

// StartupsMax is how many connections beyond SessionsMax are still told why they cannot come in.
const StartupsMax = 1_000

// AddressesMax bounds the memory of rates: the addresses of which one is kept.
const AddressesMax = 10_000

// Limits are the bounds that a configuration may change.
type Limits struct {
	// SessionsMax bounds the clients connected at once, those in startup included.
	SessionsMax int `mapstructure:"sessions_max"`
	// SessionsPerUserMax bounds those of one role, beside the role's own CONNECTION LIMIT; 0: no bound.
	SessionsPerUserMax int `mapstructure:"sessions_per_user_max"`
	// HomeConnectionsMax bounds the connections of sessions to the home database.
	HomeConnectionsMax int `mapstructure:"home_connections_max"`
	// ConnectionsPerSecondMax bounds new connections from one address; ten times as many may come at once.
	ConnectionsPerSecondMax int `mapstructure:"connections_per_second_max"`
	// AuthenticationTimeout bounds everything before the first ReadyForQuery.
	AuthenticationTimeout time.Duration `mapstructure:"authentication_timeout"`
	// IdleSessionTimeout ends a session that waits for its client outside a transaction; 0: never.
	IdleSessionTimeout time.Duration `mapstructure:"idle_session_timeout"`
	// WriteTimeout ends the session of a client that does not read.
	WriteTimeout time.Duration `mapstructure:"write_timeout"`
}

// Defaults are the limits without a configuration.
func Defaults() Limits {
	return Limits{
		SessionsMax:             20_000,
		HomeConnectionsMax:      180,
		ConnectionsPerSecondMax: 1_000,
		AuthenticationTimeout:   time.Minute,
		WriteTimeout:            time.Minute,
	}
}
