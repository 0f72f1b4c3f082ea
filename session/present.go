package session

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// These are short: the session parses them anew for each statement. Parameters come as text.
const (
	presentQuery     = "select tablewright.present($1, $2::pg_catalog.text::pg_catalog.oid, $3::pg_catalog.text::pg_catalog.jsonb)"
	takePresentQuery = "select tablewright.take_present($1, $2::pg_catalog.text::pg_catalog.oid, $3, $4::pg_catalog.text::pg_catalog.jsonb, $5)"
)

// runPresent answers an IF NOT EXISTS whose object is there and nothing works on: PostgreSQL has a notice for it, and
// there is nothing else to do. A file of definitions is run again and again, so this is short. It is not done
// when somebody is at work on the object.
func (s *Session) runPresent(ctx context.Context, st *routed, p *plan.Plan, settings deploy.Settings) (done bool, err error) {
	if p.Present == 0 {
		return false, nil
	}
	shares, err := json.Marshal(p.Shares)
	if err != nil {
		return false, err
	}
	if p.Tag == "CREATE TABLE" {
		done, err = s.tellPresent(ctx, p, string(shares), settings)
	} else {
		done, err = s.runAtPresent(ctx, st, p, string(shares), settings)
	}
	if done && err == nil {
		s.held = CommandComplete{p.Tag}
	}
	return done, err
}

// tellPresent answers for a table as PostgreSQL does, which looks at the right to make one and at the name, in this
// order, and at nothing else.
func (s *Session) tellPresent(ctx context.Context, p *plan.Plan, shares string, settings deploy.Settings) (bool, error) {
	s.tx.touched = true
	r, err := s.query(ctx, presentQuery, texts(lockKey(p.Target), strconv.FormatUint(uint64(p.Present), 10), shares)...)
	if err != nil || string(r.Rows[0][0]) != "t" {
		return false, err
	}
	if err := expected(p, settings); err != nil {
		return false, err
	}
	return true, s.notify(plan.Notice{
		Severity: "NOTICE", Code: sqlerr.DuplicateTable, Message: "relation \"" + p.PresentName + "\" already exists, skipping",
	}, settings.ClientMinMessages)
}

// runAtPresent has home answer for what else it may look at, the ticket being set with the look.
func (s *Session) runAtPresent(ctx context.Context, st *routed, p *plan.Plan, shares string, settings deploy.Settings) (bool, error) {
	h := p.Home[0]
	ticket, schema := s.home.Ticket(s.backend.link.PID, h.SQL), strconv.FormatBool(p.Tag == "CREATE SCHEMA")
	r, err := s.query(ctx, takePresentQuery, texts(lockKey(p.Target), strconv.FormatUint(uint64(p.Present), 10), schema, shares, ticket)...)
	if err != nil || string(r.Rows[0][0]) != "t" {
		return false, err
	}
	if err := expected(p, settings); err != nil {
		return false, err
	}
	h.Ticket = false // it is set
	return true, s.runHomeStatement(ctx, st, &h)
}
