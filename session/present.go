package session

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/deploy"
)

// presentQuery is short: the session parses it anew for each statement. Parameters come as text.
const presentQuery = "select tablewright.take_present($1, $2::pg_catalog.text::pg_catalog.oid, $3, $4::pg_catalog.text::pg_catalog.jsonb, $5)"

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
	r, err := s.query(ctx, presentQuery, texts(lockKey(p.Target), strconv.FormatUint(uint64(p.Present), 10), schema, string(shares), ticket)...)
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
