package session

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/home"
)

// planAgain makes sure that a plan, which was made before its locks were taken, is still the one to carry out.
// A statement that waits for others goes by what they have left; for every other one a change is 40001.
func (s *Session) planAgain(
	ctx context.Context, st *routed, settings deploy.Settings, p *plan.Plan,
) (*plan.Plan, func(*execution) error, error) {
	if p.Waits || !onlyCreates(p) {
		again, elsewhere, err := s.planDDL(ctx, st, settings)
		switch {
		case err != nil:
			return nil, nil, err
		case !p.Waits && (elsewhere != nil || again.Hash != p.Hash || !slices.Equal(again.Locks, p.Locks)):
			return nil, nil, stale(p.Target)
		case elsewhere != nil:
			return nil, elsewhere, nil
		}
		p = again // what it refers to may have become more
	}
	return p, nil, s.catalogsStand(ctx, p)
}

// onlyCreates tells whether the plan depends on nothing but that what it makes is not there, which home and
// the system see to themselves.
func onlyCreates(p *plan.Plan) bool {
	return p.Relation == 0 && len(p.Steps) > 0 &&
		!slices.ContainsFunc(p.Steps, func(step plan.Step) bool { return step.Action != plan.Create })
}

func stale(target string) error {
	return sqlerr.New(sqlerr.SerializationFailure, "could not serialize access due to concurrent change of \"%s\"", target).
		WithDetail("It was changed by another session since the statement was planned.").
		WithHint("Repeat the transaction.")
}

// versionsQuery is what the transaction sees of catalogs now, and whether it has changed them itself.
const versionsQuery = `select pg_catalog.json_build_object('isolation', pg_catalog.current_setting('transaction_isolation'), 'catalogs',
 (select pg_catalog.json_agg(pg_catalog.json_build_object('name', c.name, 'oid', c.server::pg_catalog.int8, 'generation', c.generation,
   'own', c.xmin operator(pg_catalog.=) pg_catalog.pg_current_xact_id_if_assigned()::pg_catalog.xid))
  from tablewright.catalog c where c.name in (select pg_catalog.jsonb_array_elements_text($1::pg_catalog.text::pg_catalog.jsonb))))::pg_catalog.text`

// catalogsStand makes sure that the catalogs of a plan are as the plan has them. Their locks are held, so that
// they stay so. A transaction with a snapshot of its own does not see what others have committed: the gateway's
// connection does.
func (s *Session) catalogsStand(ctx context.Context, p *plan.Plan) error {
	used := catalogsOf(p)
	if len(used) == 0 {
		return nil
	}
	names := make([]string, len(used))
	for i, c := range used {
		names[i] = c.Name
	}
	text, err := json.Marshal(names)
	if err != nil {
		return err
	}
	answer, err := s.QueryText(ctx, versionsQuery, string(text))
	if err != nil {
		return err
	}
	var seen struct {
		Isolation string                `json:"isolation"`
		Catalogs  []home.CatalogVersion `json:"catalogs"`
	}
	if err := json.Unmarshal([]byte(answer), &seen); err != nil {
		return err
	}
	committed := seen.Catalogs
	if seen.Isolation != "read committed" {
		if committed, err = s.home.CatalogVersions(ctx, names); err != nil {
			return err
		}
	}
	for _, c := range used {
		is := func(v home.CatalogVersion) bool { return v.Is(c) }
		own := func(v home.CatalogVersion) bool { return v.Is(c) && (v.Own || s.tx.changes(c)) }
		if !slices.ContainsFunc(committed, is) && !slices.ContainsFunc(seen.Catalogs, own) {
			return stale(catalog.QuoteIdent(c.Name))
		}
	}
	return nil
}

// changes tells whether a staged statement changes a catalog.
func (t *transaction) changes(c catalog.Catalog) bool {
	return slices.ContainsFunc(t.staged, func(st stagedStatement) bool {
		return slices.Contains(st.plan.Locks, catalog.QuoteIdent(c.Name))
	})
}

// catalogsOf are the catalogs in which a plan has something to do.
func catalogsOf(p *plan.Plan) []catalog.Catalog {
	var used []catalog.Catalog
	for _, step := range p.Steps {
		known := func(c catalog.Catalog) bool { return c.Name == step.Catalog.Name }
		if step.Target.Kind != plan.CatalogKind && !slices.ContainsFunc(used, known) {
			used = append(used, step.Catalog)
		}
	}
	return used
}
