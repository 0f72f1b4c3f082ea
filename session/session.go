package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
)

// Home is what a session needs of the home database.
type Home interface {
	// Connect opens a connection that is logged in as the role itself.
	Connect(ctx context.Context, id Identity) (*Link, error)
	// Cancel asks the home server to cancel what a connection runs.
	Cancel(ctx context.Context, link *Link) error
	// Ticket is what lets a connection run one statement, of exactly this text, on a managed object.
	Ticket(pid uint32, statement string) string
	// CatalogVersions reads the versions of catalogs as they are committed, whatever a session sees.
	CatalogVersions(ctx context.Context, names []string) ([]home.CatalogVersion, error)
}

// Identity is who the client is and where it came from.
type Identity struct {
	SessionID  string
	User       string
	Database   string
	RemoteAddr string
	Parameters map[string]string // startup parameters but user and database
	// Keys prove the identity to a home database that asks for it; nil when the client needed no password.
	Keys *home.ScramKeys
}

// Session is one client's conversation. Run is its only goroutine but for two that Run owns: the reader
// of the home connection (ends with that connection, which Run closes) and, while a statement of ours
// runs, the watch on the client's socket (ends when the statement does). Cancel and Shutdown may be
// called from elsewhere at any time.
type Session struct {
	Identity
	home   Home
	client Client
	log    zerolog.Logger

	backend  *backend          // nil until first needed
	reported map[string]string // settings as the client was told
	tx       transaction
	skip     bool // an error of ours: client messages are dropped up to the next Sync
	gateway  *Gateway
	prepared map[string]*routed // prepared statements that are ours, or watched
	portals  map[string]*portal
	holdings holdings
	own      *managedNames // names that this session has made and may not have committed
	held     Reply         // CommandComplete that waits for the work behind it
	reads    int           // counts the names of reads
	retryOf  uuid.UUID     // the job that the statement at hand repeats
	noReady  bool          // the commit at hand has no ReadyForQuery of its own
	unwatch  func()        // ends the watch on the client while a statement of ours runs
	inScript bool          // several statements of one Query
	sole     bool          // the statement at hand is all of its Query and of its transaction
	// readySent tells that the ReadyForQuery of the message at hand has been sent.
	readySent bool

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // of the statement of ours that runs now, nil when none does
	busy    bool                    // a message of the client is being handled
	handled uint64                  // messages that have been dealt with
	ending  *sqlerr.Error           // why the session is to end, nil while it is not
	aborted bool                    // the time to shut down is over
}

// New prepares a session for a client that is past startup and authentication.
func New(id Identity, gateway *Gateway, client Client, log zerolog.Logger) *Session {
	return &Session{
		Identity: id, home: gateway.Home, gateway: gateway, client: client, log: log,
		prepared: map[string]*routed{}, portals: map[string]*portal{}, own: newManagedNames(),
	}
}

var (
	// errTerminate is the client's own good-bye.
	errTerminate = errors.New("terminated by the client")
	// ErrShutdown is the cause that ends sessions when the gateway stops.
	ErrShutdown    = sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command")
	errIdleSession = sqlerr.New(sqlerr.IdleSessionTimeout, "terminating connection due to idle-session timeout")
	// errUserCancel is the cause of a CancelRequest.
	errUserCancel = sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
)

// Run converses until the client leaves, the home connection dies or the session is shut down. Every
// message of the client has been answered, or the connection is no longer usable, when it returns.
func (s *Session) Run(ctx context.Context) error {
	for {
		f, err := s.client.Receive()
		if err != nil {
			return s.receiveFailed(ctx, err)
		}
		aborted, err := s.handleArrived(ctx, f)
		if err == nil && s.backend != nil && s.backend.isGone() {
			err = errBackendGone
		}
		switch {
		case aborted && !errors.Is(err, errTerminate):
			return s.fatal(ErrShutdown)
		case errors.Is(err, errTerminate):
			return nil
		case errors.Is(err, errBackendGone):
			return s.backendGone()
		case err != nil:
			return s.fatal(sqlerr.From(err))
		}
	}
}

// handleArrived deals with a message, and with those behind it that have arrived as a whole, up to the end of
// their pipeline. What they lead to is sent when nothing more has arrived.
func (s *Session) handleArrived(ctx context.Context, f Frame) (aborted bool, err error) {
	s.setBusy()
	handled := 1
	for err = s.handle(ctx, f); err == nil && !endsWithReady(f.Type) && s.client.Whole() && !s.mustEnd(); handled++ {
		if f, err = s.client.Receive(); err == nil {
			err = s.handle(ctx, f)
		}
	}
	if err == nil && !s.client.Buffered() {
		err = s.flush()
	}
	if len(s.tx.orphans) > 0 {
		s.forgetOrphans(ctx)
	}
	return s.setIdle(handled), err
}

// receiveFailed ends a session whose client sent something unreadable, or nothing more.
func (s *Session) receiveFailed(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return s.fatal(e)
	}
	if s.backend != nil && s.backend.isGone() {
		return s.backendGone()
	}
	if e := s.isEnding(); e != nil {
		return s.fatal(e)
	}
	s.abandon(ctx)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return fmt.Errorf("read from client: %w", err)
}

// fatal says good-bye with an ErrorResponse of severity FATAL.
func (s *Session) fatal(e *sqlerr.Error) error {
	if err := s.client.Send(FatalReply{e}); err != nil {
		return err
	}
	return s.client.Flush()
}

// backendGone ends the session of a dead home connection with one FATAL: the server's own when it sent
// one, else PostgreSQL's words for a crash.
func (s *Session) backendGone() error {
	if e := s.isEnding(); e != nil {
		return s.fatal(e)
	}
	s.backend.mu.Lock()
	said := s.backend.fatal
	s.backend.mu.Unlock()
	_ = s.client.Flush() // what came before its end
	if said {
		return s.client.Flush()
	}
	return s.fatal(sqlerr.New(sqlerr.CrashShutdown, "terminating connection because of crash of another server process"))
}

// Close ends the home connection; it is called once, after Run or in place of it.
func (s *Session) Close() {
	for name := range s.portals {
		s.dropPortal(name)
	}
	if s.backend != nil {
		s.backend.close()
	}
	s.gateway.Names.release(s)
}

// open connects the session to its home database, when it is not connected yet.
func (s *Session) open(ctx context.Context) error {
	if s.backend != nil {
		return nil
	}
	link, err := s.home.Connect(ctx, s.Identity)
	if err != nil {
		return err
	}
	b := newBackend(link, s.client)
	calm := context.WithoutCancel(ctx) // the connection outlives the statement that opens it
	b.attend = func() func() { return s.attend(calm) }
	s.mu.Lock()
	s.backend = b
	s.mu.Unlock()
	go b.receive()
	return s.report(link.Parameters)
}

func (s *Session) flush() error {
	if s.backend != nil {
		if err := s.backend.flush(); err != nil {
			return errors.Join(errBackendGone, err)
		}
	}
	return s.client.Flush()
}

// isGone tells whether the connection has ended.
func (b *backend) isGone() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gone != nil
}
