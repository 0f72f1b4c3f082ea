package session

import (
	"context"
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
	ctx context.Context, st *routed, settings deploy.Settings, p *plan.Plan, seen *standing,
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
		p, seen = again, nil // what it refers to may have become more
	}
	return p, nil, s.catalogsStand(ctx, p, seen)
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

// catalogsStand makes sure that the catalogs of a plan are as the plan has them. Their locks are held, so that
// they stay so. A transaction with a snapshot of its own does not see what others have committed: the gateway's
// connection does.
func (s *Session) catalogsStand(ctx context.Context, p *plan.Plan, seen *standing) error {
	used := catalogsOf(p)
	if len(used) == 0 {
		return nil
	}
	if seen == nil {
		var err error
		if seen, err = s.standing(ctx, used); err != nil {
			return err
		}
	}
	committed := seen.Catalogs
	if seen.Isolation != readCommitted {
		var err error
		if committed, err = s.home.CatalogVersions(ctx, catalogNames(used)); err != nil {
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
