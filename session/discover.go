package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/home"
)

// problemsShown is how many tables a notice lists.
const problemsShown = 20

// discover reads what a catalog's system holds into shadows, in the statement's own transaction.
func (s *Session) discover(ctx context.Context, p *plan.Plan, settings deploy.Settings) error {
	cat, err := s.ownedCatalog(ctx, p.Discover.Name)
	if err != nil {
		return err
	}
	found, err := s.gateway.Discovery.Discover(ctx, cat)
	if err != nil {
		return err
	}
	outcome := deploy.DiscoveryOutcome{Problems: found.Problems}
	for _, sql := range found.Statements {
		answer, err := s.ticketed(ctx, sql)
		if err != nil {
			return err
		}
		if err := outcome.Add(answer); err != nil {
			return err
		}
	}
	p.Named = append(p.Named, found.Names...)
	return s.tellDiscovery(p, outcome, settings)
}

// ownedCatalog is a catalog as the transaction sees it now; only its owner may change what it shows.
func (s *Session) ownedCatalog(ctx context.Context, name string) (catalog.Catalog, error) {
	snap, err := home.ReadSnapshot(ctx, s, home.Wanted{Catalogs: []string{name}})
	if err != nil {
		return catalog.Catalog{}, err
	}
	cat, ok := snap.Catalogs[name]
	if !ok {
		return cat, sqlerr.New(sqlerr.UndefinedObject, "catalog \"%s\" does not exist", name)
	}
	return cat, s.mustOwn(ctx, cat.Owner, "catalog", name)
}

// ticketed runs a statement with its ticket and returns the one value that it answers.
func (s *Session) ticketed(ctx context.Context, sql string) (string, error) {
	x := newExchange(s.client)
	if err := s.addTicketed(x, sql, nil); err != nil {
		return "", err
	}
	r, err := s.collect(ctx, x)
	if err != nil {
		return "", withoutPosition(err)
	}
	if len(r.Rows) != 2 || len(r.Rows[1]) != 1 { // the ticket's and its own
		return "", fmt.Errorf("query answered %d rows in place of one value", len(r.Rows)-1)
	}
	return string(r.Rows[1][0]), nil
}

// tellDiscovery says what a person who asked for it would want to know: the numbers for REFRESH CATALOG, and
// what is not as it should be for every statement.
func (s *Session) tellDiscovery(p *plan.Plan, o deploy.DiscoveryOutcome, settings deploy.Settings) error {
	notice := func(severity, code, message string, lines []string) error {
		if len(lines) > problemsShown {
			lines = append(lines[:problemsShown:problemsShown], fmt.Sprintf("and %d others", len(lines)-problemsShown))
		}
		return s.notify(plan.Notice{
			Severity: severity, Code: code, Message: message, Detail: strings.Join(lines, "\n"),
		}, settings.ClientMinMessages)
	}
	if o.Made+o.Changed+o.Gone > 0 && p.Tag == "REFRESH CATALOG" {
		message := fmt.Sprintf("tables of catalog %s: %d new, %d changed, %d gone", p.Target, o.Made, o.Changed, o.Gone)
		if err := notice("NOTICE", sqlerr.SuccessfulCompletion, message, nil); err != nil {
			return err
		}
	}
	if len(o.Kept) > 0 {
		message := fmt.Sprintf("tables of catalog %s are gone and still listed, because other objects depend on them", p.Target)
		if err := notice("NOTICE", sqlerr.SuccessfulCompletion, message, o.Kept); err != nil {
			return err
		}
	}
	if len(o.Problems) > 0 {
		return notice("WARNING", sqlerr.Warning, fmt.Sprintf("objects of catalog %s could not be read", p.Target), o.Problems)
	}
	return nil
}
