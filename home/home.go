// Package home is the home database: the PostgreSQL that holds the catalogue, the roles, the shadows of
// external tables and the history. It runs one as a child process or uses one by its connection string,
// brings its schema up to date, and opens the connections of sessions.
//
// Lifetime. An embedded server's goroutines belong to package postmaster, a pool's to pgxpool; Close ends
// both. Listen runs on its caller's goroutine.
package home

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/rs/zerolog"

	"github.com/tablewright/tablewright/home/postmaster"
)

// Names that the home database has.
const (
	Database    = "tablewright"         // the embedded server's database
	AdminRole   = "admin"               // may register catalogs; no superuser, no CREATEROLE
	MonitorRole = "tablewright_monitor" // its members see every job
)

// Options says which PostgreSQL is the home database. Exactly one of DSN and DataDir's server is used: the
// embedded one when DSN is empty.
type Options struct {
	// DSN is the connection string of an external PostgreSQL, as the role that owns the gateway's tables.
	// Of the environment's PG variables none is used for settings of the sessions.
	DSN string
	// DataDir is the gateway's data folder. It is locked while the Home is open, for an external
	// PostgreSQL too when it is set.
	DataDir string
	// BinDir, User and MaxConnections describe the embedded server, see postmaster.Options.
	BinDir         string
	User           string
	MaxConnections int
	// Unsafe turns fsync off in the embedded server. For tests.
	Unsafe bool
	// PoolMax is the most connections of the gateway's own pool; 0 means 8.
	PoolMax int32
	// Log receives the server's messages and what this package has to say.
	Log zerolog.Logger
	// OnEvent, when set, is told when the embedded server died and when it is ready again. It must not
	// block.
	OnEvent func(postmaster.Event)
}

// Home is an open home database.
type Home struct {
	opts     Options
	lock     *postmaster.Lock       // nil without a data folder
	server   *postmaster.Postmaster // nil for an external PostgreSQL
	endpoint *endpoint
	pool     *pgxpool.Pool
	key      []byte // of tickets
	statuses map[string]string

	closeOnce sync.Once
	closeErr  error
}

// Open starts or finds the home database and brings its schema up to date. ctx bounds the opening only.
func Open(ctx context.Context, opts Options) (*Home, error) {
	if opts.PoolMax == 0 {
		opts.PoolMax = 8
	}
	if opts.DSN == "" && opts.DataDir == "" {
		return nil, errors.New("the home database needs a data folder or a connection string")
	}
	h := &Home{opts: opts}
	if err := h.open(ctx); err != nil {
		closeCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeMax)
		defer cancel()
		return nil, errors.Join(err, h.Close(closeCtx))
	}
	return h, nil
}

// closeMax bounds the clean-up after a failed Open.
const closeMax = 20 * time.Second

func (h *Home) open(ctx context.Context) error {
	var err error
	if h.opts.DataDir != "" {
		if h.lock, err = postmaster.LockDataDir(h.opts.DataDir); err != nil {
			return err
		}
	}
	if h.opts.DSN == "" {
		err = h.startServer(ctx)
	} else {
		h.endpoint, err = parseDSN(h.opts.DSN)
	}
	if err != nil {
		return err
	}
	if h.pool, err = h.openPool(ctx); err != nil {
		return err
	}
	if err := h.migrate(ctx); err != nil {
		return err
	}
	if h.key, err = readKey(ctx, h.pool); err != nil {
		return err
	}
	return h.readStatuses(ctx)
}

// startServer starts the embedded server and makes the database in it.
func (h *Home) startServer(ctx context.Context) error {
	server, err := postmaster.Start(ctx, postmaster.Options{
		DataDir:        h.opts.DataDir,
		BinDir:         h.opts.BinDir,
		User:           h.opts.User,
		MaxConnections: h.opts.MaxConnections,
		Unsafe:         h.opts.Unsafe,
		Log:            h.opts.Log,
		OnEvent:        h.opts.OnEvent,
	})
	if err != nil {
		return err
	}
	h.server = server
	if h.endpoint, err = socketEndpoint(server.SocketDir()); err != nil {
		return err
	}
	return ensureDatabase(ctx, h.endpoint)
}

func (h *Home) openPool(ctx context.Context) (*pgxpool.Pool, error) {
	config := h.endpoint.pool.Copy()
	config.MaxConns = h.opts.PoolMax
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("home database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("home database: %w", err)
	}
	return pool, nil
}

// readStatuses opens one connection of the gateway's own to see what a session is told when it begins.
func (h *Home) readStatuses(ctx context.Context) error {
	config := h.endpoint.pool.ConnConfig.Config.Copy()
	config.RuntimeParams = map[string]string{}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("home database: %w", err)
	}
	raw, err := conn.Hijack()
	if err != nil {
		return fmt.Errorf("home database: %w", err)
	}
	h.statuses = maps.Clone(raw.ParameterStatuses)
	h.statuses["is_superuser"] = "off" // no session is one
	return (&Conn{Conn: raw.Conn}).Terminate()
}

// Pool is the gateway's own pool. Its connections are of the role that owns the gateway's tables: nothing
// that a user wrote may be run on them.
func (h *Home) Pool() *pgxpool.Pool { return h.pool }

// DatabaseName is the name of the home database.
func (h *Home) DatabaseName() string { return h.endpoint.database }

// GatewayRole is the role of the gateway's own connections. Clients never log in as it.
func (h *Home) GatewayRole() string { return h.endpoint.user }

// Embedded tells whether the home database is a child process.
func (h *Home) Embedded() bool { return h.server != nil }

// ServerPID is the process id of the embedded server, 0 while there is none.
func (h *Home) ServerPID() int {
	if h.server == nil {
		return 0
	}
	return h.server.PID()
}

// ParameterStatuses are the settings that a fresh session reports, with a role that is no superuser.
// session_authorization is the gateway's role's and to be replaced with the session's own.
func (h *Home) ParameterStatuses() map[string]string { return maps.Clone(h.statuses) }

// Ready tells whether the home database answers; the error says why not.
func (h *Home) Ready(ctx context.Context) error {
	if h.server != nil && !h.server.Ready() {
		return errors.New("the home database is starting")
	}
	if err := h.pool.Ping(ctx); err != nil {
		return fmt.Errorf("the home database does not answer: %w", err)
	}
	return nil
}

// Close closes the pool, stops the embedded server and gives the data folder back. Sessions that are still
// open end with 57P01. At the end of ctx the server is killed. Further calls return what the first did.
func (h *Home) Close(ctx context.Context) error {
	h.closeOnce.Do(func() {
		if h.pool != nil {
			h.pool.Close()
		}
		var err error
		if h.server != nil {
			err = h.server.Stop(ctx)
		}
		if h.lock != nil {
			err = errors.Join(err, h.lock.Release())
		}
		h.closeErr = err
	})
	return h.closeErr
}
