package session

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/deploy"
)

// presentQuery takes the lock of a name, and shares those of what it stands in, if nobody has them, sets the ticket of the statement that follows, and
// looks whether the object is still there: the functions answer null for one that is not, and for one that is
// they refuse nobody.
const presentQuery = `select pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))
 and (select coalesce(pg_catalog.bool_and(pg_catalog.pg_try_advisory_xact_lock_shared(
   pg_catalog.hashtextextended('tablewright:' operator(pg_catalog.||) k, 0))), true)
  from pg_catalog.jsonb_array_elements_text($5::pg_catalog.text::pg_catalog.jsonb) k)
 and case when $4 then pg_catalog.has_schema_privilege($2::pg_catalog.oid, 'USAGE') is not null
   else pg_catalog.has_table_privilege($2::pg_catalog.oid, 'SELECT') is not null end,
 pg_catalog.set_config('tablewright.ticket', $3, true)`

// runPresent answers an IF NOT EXISTS whose object is there and nothing works on: home has a notice for it, and
// there is nothing else to do. A file of definitions is run again and again, so this is short. It is not done
// when somebody is at work on the object.
func (s *Session) runPresent(ctx context.Context, st *routed, p *plan.Plan, settings deploy.Settings) (done bool, err error) {
	if p.Present == 0 {
		return false, nil
	}
	h := p.Home[0]
	shares, err := json.Marshal(p.Shares)
	if err != nil {
		return false, err
	}
	ticket, schema := s.home.Ticket(s.backend.link.PID, h.SQL), strconv.FormatBool(p.Tag == "CREATE SCHEMA")
	r, err := s.query(ctx, presentQuery, texts("tablewright:"+p.Target, strconv.FormatUint(uint64(p.Present), 10), ticket, schema, string(shares))...)
	if err != nil || string(r.Rows[0][0]) != "t" {
		return false, err
	}
	if err := expected(p, settings); err != nil {
		return false, err
	}
	h.Ticket = false // it is set
	if err := s.runHomeStatement(ctx, st, &h); err != nil {
		return false, err
	}
	s.held = CommandComplete{p.Tag}
	return true, nil
}
