package session

import (
	"context"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// lockQuery takes the lock of a full name; whoever has it makes or drops that object in an open
// transaction.
const lockQuery = "select pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))"

// lock makes two sessions that work on one object meet before either reaches the shadow.
func (s *Session) lock(ctx context.Context, p *plan.Plan) error {
	for _, name := range p.Locks {
		key := "tablewright:" + name
		r, err := s.query(ctx, lockQuery, texts(key)...)
		if err != nil {
			return err
		}
		if string(r.Rows[0][0]) == "t" {
			continue
		}
		if !p.Waits {
			return s.inUse(ctx, name, key)
		}
		if _, err := s.query(ctx, "select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))", texts(key)...); err != nil {
			return err
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
