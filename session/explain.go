package session

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// explainQuery answers the lines of a plan as rows.
const explainQuery = `select line as "QUERY PLAN" from pg_catalog.json_array_elements_text($1::pg_catalog.json) with ordinality as l(line, n) order by n`

// runExplain answers the plan of a DDL statement and touches nothing: the live systems are only looked at.
func (s *Session) runExplain(ctx context.Context, st *routed, ext *parse.Explain, e *execution) error {
	settings, err := s.settings(ctx)
	if err != nil {
		return err
	}
	_, snap, err := s.decide(ctx, st.parsed)
	if err != nil {
		return err
	}
	p, err := s.compile(st.parsed, snap, settings)
	if err != nil {
		return err
	}
	text, err := plan.Explain(p, plan.Format(ext.Format), s.gateway.Deployer.Look(ctx, p))
	if err != nil {
		return err
	}
	lines := []string{text}
	if ext.Format == parse.TextFormat || ext.Format == "" {
		lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	document, err := json.Marshal(lines)
	if err != nil {
		return err
	}
	return s.rows(ctx, e, explainQuery, "EXPLAIN", document)
}

// dryRun answers a statement's plan as notices, and touches nothing.
func (s *Session) dryRun(ctx context.Context, p *plan.Plan, settings deploy.Settings) error {
	text, err := plan.Explain(p, plan.TextFormat, s.gateway.Deployer.Look(ctx, p))
	if err != nil {
		return err
	}
	n := plan.Notice{
		Severity: "NOTICE", Code: sqlerr.SuccessfulCompletion,
		Message: "dry run of " + p.Tag + " " + p.Target, Detail: strings.TrimRight(text, "\n"),
	}
	s.held = CommandComplete{p.Tag}
	return s.notify(n, settings.ClientMinMessages)
}
