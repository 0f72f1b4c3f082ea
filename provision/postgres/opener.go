// Package postgres provisions schemas and tables of external PostgreSQL servers (13 or newer).
//
// The server is spoken to directly: a pooler that hands out another session for each transaction does not
// keep the settings and prepared statements that a connection is given.
//
// Every statement is one remote transaction. An object's identity is the oid of its catalogue row and
// the id of the transaction that made it (see identity), so that an object can be told from another of
// the same name, and so that a maker whose COMMIT was lost can ask the server what became of it.
package postgres

import (
	"context"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

// Options tunes an Opener. The zero value is valid.
type Options struct {
	// Deny refuses addresses as targets: the home database, the control plane. Its error's text is told
	// to the client. It is asked at each dial, after name resolution. Nil refuses nothing.
	Deny func(netip.AddrPort) error
	// ConnectTimeout bounds one attempt to connect, in addition to the context. Default 5 s.
	ConnectTimeout time.Duration
	// ConnsMax bounds the connections of one catalog, scans included. Default 8.
	ConnsMax int32
}

const (
	connectTimeoutDefault = 5 * time.Second
	connsMaxDefault       = 8
	serverVersionMin      = 130000 // pg_current_xact_id and pg_xact_status
)

// Opener opens catalogs of type postgres.
type Opener struct {
	options Options
}

var _ provision.Opener = (*Opener)(nil)

// New returns an opener.
func New(options Options) *Opener {
	if options.ConnectTimeout <= 0 {
		options.ConnectTimeout = connectTimeoutDefault
	}
	if options.ConnsMax <= 0 {
		options.ConnsMax = connsMaxDefault
	}
	return &Opener{options: options}
}

// Open connects to the catalog's server and checks that it answers. What it returns holds a small pool
// of connections until Close.
func (o *Opener) Open(
	ctx context.Context, c catalog.Catalog, secrets provision.SecretResolver,
) (provision.Provisioner, error) {
	if err := provision.CheckOptions("catalog "+catalog.QuoteIdent(c.Name), o.Options().Catalog, c.Options); err != nil {
		return nil, err
	}
	target, err := readTarget(ctx, c, secrets)
	if err != nil {
		return nil, err
	}
	errs := translator{catalog: c.Name, secret: target.password}
	config, err := poolConfig(target, o.options)
	if err != nil {
		return nil, errs.connect(ctx, err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, errs.connect(ctx, err)
	}
	s := &System{catalog: c.Name, pool: pool, errs: errs, defaultSchema: defaultSchema(c)}
	if err := s.checkVersion(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

func (s *System) checkVersion(ctx context.Context) error {
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.release(ctx)
	var version int
	var text string
	err = conn.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version')`).
		Scan(&version, &text)
	if err != nil {
		return s.errs.later(ctx, err)
	}
	if version < serverVersionMin {
		return provision.Error(provision.Unsupported, "server of catalog %q is PostgreSQL %s; 13 or newer is supported",
			s.catalog, text)
	}
	return nil
}
