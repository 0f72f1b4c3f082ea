package session

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// explainQuery answers the lines of a plan as rows.
const explainQuery = `select line as "QUERY PLAN" from pg_catalog.json_array_elements_text($1::pg_catalog.json) with ordinality as l(line, n) order by n`

// runExplain answers the plan of a DDL statement and touches nothing: the live systems are only looked at.
func (s *Session) runExplain(ctx context.Context, st *routed, ext *parse.Explain, e *execution) error {
	if e.portal != nil && e.portal.lines != nil {
		return s.showLines(ctx, e, e.portal.lines)
	}
	settings, err := s.settings(ctx)
	if err != nil {
		return err
	}
	_, snap, err := s.decide(ctx, st.parsed)
	if err != nil {
		return err
	}
	p, err := s.compile(ctx, st.parsed, snap, settings)
	if errors.Is(err, errNotManaged) {
		p, err = homePlan(ext.Inner, snap)
	}
	if err != nil {
		return err
	}
	if err := s.mayPlan(ctx, p); err != nil {
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
	return s.showLines(ctx, e, lines)
}

// homePlan shows a statement that the home database carries out alone, as it gets it.
func homePlan(st *parse.Statement, snap *catalog.Snapshot) (*plan.Plan, error) {
	text, err := bind.HomeText(st, snap)
	if err != nil {
		return nil, err
	}
	return &plan.Plan{Tag: st.Command(), HomeAlone: true, Home: []plan.HomeStatement{{SQL: parse.MaskText(text.Text())}}}, nil
}

// showLines answers as many lines as the Execute asks for. The rest stays with the portal.
func (s *Session) showLines(ctx context.Context, e *execution, lines []string) error {
	suspended := e.portal != nil && e.maxRows > 0 && len(lines) >= int(e.maxRows)
	if suspended {
		lines, e.portal.lines = lines[:e.maxRows], lines[e.maxRows:]
	} else if e.portal != nil {
		e.portal.lines = []string{}
	}
	document, err := json.Marshal(lines)
	if err != nil {
		return err
	}
	return s.rows(ctx, e, explainQuery, "EXPLAIN", suspended, document)
}

// mayPlan checks that the session could run what it asks the plan of: the plan shows definitions and options.
func (s *Session) mayPlan(ctx context.Context, p *plan.Plan) error {
	if err := s.mayOpen(ctx, p); err != nil {
		return err
	}
	for _, step := range p.Steps {
		name := step.Target.Name
		if step.Target.Kind != plan.TableKind {
			continue
		}
		sql := `select coalesce((select pg_catalog.pg_has_role(c.relowner, 'USAGE') from pg_catalog.pg_class c where c.oid = pg_catalog.to_regclass($1)),
 (select pg_catalog.has_schema_privilege(n.oid, 'CREATE') from pg_catalog.pg_namespace n where n.nspname = $2), true)::pg_catalog.text`
		allowed, err := s.QueryText(ctx, sql, name.HomeString(), name.HomeSchema())
		if err != nil {
			return err
		}
		if allowed != "true" {
			return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for %s %s", step.Target.Kind, name)
		}
	}
	return nil
}

// onlyPlanned deals with tablewright.dry_run; done tells that the plan was all that was asked for.
func (s *Session) onlyPlanned(ctx context.Context, p *plan.Plan, settings deploy.Settings) (done bool, err error) {
	switch {
	case !settings.DryRun:
		return false, nil
	case settings.Rehearse:
		return false, s.rehearse(ctx, p, settings)
	default:
		return true, s.dryRun(ctx, p, settings)
	}
}

// dryRun answers a statement's plan as notices, and touches nothing.
func (s *Session) dryRun(ctx context.Context, p *plan.Plan, settings deploy.Settings) error {
	if err := s.mayPlan(ctx, p); err != nil {
		return err
	}
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
