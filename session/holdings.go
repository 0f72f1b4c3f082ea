package session

import (
	"bytes"
	"context"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/limits"
)

// holdings are the named prepared statements and portals that a client has made by the extended protocol,
// with the bytes that each costs. Some may be gone: their end is not always seen, so the home server is asked
// before one is refused.
type holdings struct{ prepared, portals ledger }

// ledger is the sizes of named things, and their sum.
type ledger struct {
	sizes map[string]int
	bytes int
}

func (l *ledger) put(name string, n int) {
	l.remove(name)
	if l.sizes == nil {
		l.sizes = map[string]int{}
	}
	l.sizes[name] = n
	l.bytes += n
}

func (l *ledger) remove(name string) {
	l.bytes -= l.sizes[name]
	delete(l.sizes, name)
}

// fits tells whether one more of n bytes may be held.
func (l *ledger) fits(name string, n, countMax, bytesMax int) bool {
	former, again := l.sizes[name]
	return (again || len(l.sizes) < countMax) && l.bytes-former+n <= bytesMax
}

// holdPrepared counts a prepared statement that is about to be made.
func (s *Session) holdPrepared(ctx context.Context, name string, n int) error {
	return s.hold(ctx, &s.holdings.prepared, name, n, limits.PreparedMax, limits.PreparedBytesMax, "prepared statements")
}

// holdPortal counts a portal that a Bind message is about to make.
func (s *Session) holdPortal(ctx context.Context, f Frame) error {
	name, _, _ := bytes.Cut(f.Body, []byte{0})
	return s.hold(ctx, &s.holdings.portals, string(name), len(f.Body), limits.PortalsMax, limits.PortalBytesMax, "portals")
}

func (s *Session) hold(ctx context.Context, l *ledger, name string, n, countMax, bytesMax int, what string) error {
	if name == "" {
		return nil // there is but one, replaced each time
	}
	if !l.fits(name, n, countMax, bytesMax) {
		if err := s.recount(ctx); err != nil {
			return err
		}
		if !l.fits(name, n, countMax, bytesMax) {
			return sqlerr.New(sqlerr.ProgramLimitExceeded, "too many %s in this session", what).
				WithDetail("At most %d, of %d MiB together.", countMax, bytesMax>>20)
		}
	}
	l.put(name, n)
	return nil
}

// recount forgets what the home server no longer has.
func (s *Session) recount(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	if tx, failed, err := s.backend.drain(); err != nil || failed || tx == 'E' {
		return err // whatever is made now is refused or dropped by the home server
	}
	r, err := s.query(ctx, "select 'S', name from pg_catalog.pg_prepared_statements union all select 'P', name from pg_catalog.pg_cursors")
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, row := range r.Rows {
		there[string(row[0])+string(row[1])] = true
	}
	for kind, l := range map[string]*ledger{"S": &s.holdings.prepared, "P": &s.holdings.portals} {
		for name := range l.sizes {
			if !there[kind+name] {
				l.remove(name)
			}
		}
	}
	return nil
}

// release notes that a Close message ends a prepared statement or portal.
func (s *Session) release(f Frame) {
	if len(f.Body) < 2 {
		return
	}
	name, _, _ := bytes.Cut(f.Body[1:], []byte{0})
	if f.Body[0] == 'S' {
		s.holdings.prepared.remove(string(name))
	} else {
		s.holdings.portals.remove(string(name))
	}
}
