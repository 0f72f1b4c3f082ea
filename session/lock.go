package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// lockQuery takes the lock of a full name; whoever has it makes or drops that object in an open
// transaction.
const lockQuery = "select pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))"

// shareQuery waits for locks that all hold together who work in a catalog or schema, or make something that
// depends on a table.
const shareQuery = "select pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended('tablewright:' operator(pg_catalog.||) k, 0)) " +
	"from pg_catalog.jsonb_array_elements_text($1::pg_catalog.text::pg_catalog.jsonb) k"

// lock makes two sessions that work on one object meet before either reaches the shadow, those that work
// on a catalog or schema with those that work on objects in it, and those that drop a table with those that
// make something depend on it.
// What the transaction sees then comes with the answer when one lock was all; nil otherwise.
func (s *Session) lock(ctx context.Context, p *plan.Plan) (*standing, error) {
	first, seen, err := s.lockFirst(ctx, p)
	if err != nil {
		return nil, err
	}
	if first && len(p.Locks) == 1 {
		return seen, nil
	}
	for i, name := range p.Locks {
		key := lockKey(name)
		taken := first
		if i > 0 {
			r, err := s.query(ctx, lockQuery, texts(key)...)
			if err != nil {
				return nil, err
			}
			taken = string(r.Rows[0][0]) == "t"
		}
		if taken {
			continue
		}
		if !p.Waits {
			return nil, s.inUse(ctx, name, key)
		}
		if _, err := s.query(ctx, "select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", texts(key)...); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func lockKey(name string) string { return "tablewright:" + name }

// lockFirst waits for the shared locks and tries to take the first of the others, and looks at what stands then, in
// one go: most statements need no more.
func (s *Session) lockFirst(ctx context.Context, p *plan.Plan) (taken bool, seen *standing, err error) {
	if len(p.Shares)+len(p.Locks) == 0 {
		return false, nil, nil
	}
	x := newExchange(s.client)
	if len(p.Shares) > 0 {
		// As in PostgreSQL whoever drops or changes what is needed is waited for.
		names, err := json.Marshal(p.Shares)
		if err != nil {
			return false, nil, err
		}
		if err := s.addQuery(x, shareQuery, [][]byte{names}); err != nil {
			return false, nil, err
		}
	}
	if len(p.Locks) == 0 {
		_, err := s.collect(ctx, x)
		return false, nil, withoutPosition(err)
	}
	if err := s.addQuery(x, lockQuery, texts(lockKey(p.Locks[0]))); err != nil {
		return false, nil, err
	}
	if err := s.addStanding(x, catalogsOf(p), settled(p)); err != nil {
		return false, nil, err
	}
	r, err := s.collect(ctx, x)
	if err != nil {
		return false, nil, withoutPosition(err)
	}
	last := len(r.Rows) - 1
	seen, err = readStanding(r.Rows[last])
	return string(r.Rows[last-1][0]) == "t", seen, err
}

// settled are the names of which no job may be at work when the statement begins.
func settled(p *plan.Plan) []string {
	names := slices.Concat(p.Locks, p.Refers)
	if !p.Whole {
		return names
	}
	for _, name := range p.Locks {
		names = append(names, name+".*")
	}
	return names
}

// notStaged refuses to give a catalog another name, or to read what its system holds, below the work on it that
// waits for the commit.
func (s *Session) notStaged(p *plan.Plan) error {
	if len(p.Named) == 0 && p.Discover == nil {
		return nil
	}
	for _, st := range s.tx.staged {
		if slices.ContainsFunc(st.plan.Locks, func(name string) bool {
			return slices.ContainsFunc(p.Locks, func(l string) bool { return name == l || strings.HasPrefix(name, l+".") })
		}) {
			return sqlerr.New(sqlerr.ObjectInUse, "%s is being changed by this transaction", st.plan.Target).
				WithHint("Run %s in a transaction of its own.", p.Tag)
		}
	}
	return nil
}

// holderQuery finds who holds the lock of a name.
const holderQuery = `select a.usename, to_char(a.xact_start, 'YYYY-MM-DD HH24:MI:SSOF') from pg_catalog.pg_locks l
 join pg_catalog.pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and l.database = (select oid from pg_database where datname = current_database())
   and (l.classid::bigint << 32) | l.objid::bigint = hashtextextended($1, 0) limit 1`

func (s *Session) inUse(ctx context.Context, name, key string) error {
	e := sqlerr.New(sqlerr.ObjectInUse, "%s is being changed by another session", name)
	if r, err := s.query(ctx, holderQuery, texts(key)...); err != nil {
		return err
	} else if len(r.Rows) > 0 {
		e = e.WithDetail("Role \"%s\" has been working on it since %s.", r.Rows[0][0], r.Rows[0][1])
	}
	return e.WithHint("Wait until that transaction has ended, or use IF NOT EXISTS, which waits.")
}
