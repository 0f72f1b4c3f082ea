package session

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// presentQuery is short: the session parses it anew for each statement. Parameters come as text.
const presentQuery = "select tablewright.present($1, $2::pg_catalog.text::pg_catalog.oid, $3::pg_catalog.text::pg_catalog.jsonb)"

// runPresent answers CREATE TABLE IF NOT EXISTS of a table that is there as PostgreSQL does, which looks at the right
// to make one and at the name, in this order, and at nothing else. A file of definitions is run again and again, so
// this is short. It is not done when somebody is at work on the table.
func (s *Session) runPresent(ctx context.Context, p *plan.Plan, settings deploy.Settings) (done bool, err error) {
	if p.Present == 0 {
		return false, nil
	}
	shares, err := json.Marshal(p.Shares)
	if err != nil {
		return false, err
	}
	s.tx.touched = true
	r, err := s.query(ctx, presentQuery, texts(lockKey(p.Target), strconv.FormatUint(uint64(p.Present), 10), string(shares))...)
	if err != nil || string(r.Rows[0][0]) != "t" {
		return false, err
	}
	if err := expected(p, settings); err != nil {
		return false, err
	}
	s.held = CommandComplete{p.Tag}
	return true, s.notify(plan.Notice{
		Severity: "NOTICE", Code: sqlerr.DuplicateTable, Message: "relation \"" + p.PresentName + "\" already exists, skipping",
	}, settings.ClientMinMessages)
}
