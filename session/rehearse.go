package session

import (
	"context"
	"strings"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// The values of tablewright.dry_run.
const (
	noDryRun  = "off"
	planOnly  = "on"
	rehearsal = "stage"
)

// dryRun reads the setting that is a boolean or `stage`.
func (p *settingParser) dryRun(value string) string {
	if strings.EqualFold(value, rehearsal) {
		return rehearsal
	}
	if p.boolean("dry_run", value) {
		return planOnly
	}
	return noDryRun
}

// rehearseQuery makes the home database refuse the commit of the transaction, or of what it has done since
// its last savepoint.
const rehearseQuery = "select tablewright.rehearse()"

// rehearse answers the plan of a statement and readies the transaction for it to be staged and never committed:
// what follows in the block sees what it would have made.
func (s *Session) rehearse(ctx context.Context, p *plan.Plan, settings deploy.Settings) error {
	if !s.tx.inBlock(s.backend.state()) {
		return sqlerr.New(sqlerr.NoActiveSQLTransaction, "tablewright.dry_run = stage can only be used in transaction blocks").
			WithHint("Use BEGIN, and ROLLBACK at the end.")
	}
	if _, err := s.query(ctx, rehearseQuery); err != nil {
		return err
	}
	return s.dryRun(ctx, p, settings)
}

// expected refuses a plan other than the one that tablewright.plan_hash allows.
func expected(p *plan.Plan, settings deploy.Settings) error {
	if settings.PlanHash == "" || settings.PlanHash == p.Hash {
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "%s of \"%s\" is not what was planned", p.Tag, p.Target).
		WithDetail("Something that it depends on has changed since the plan was made.").
		WithHint("Make a new plan, or RESET tablewright.plan_hash.")
}
