package deploy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
)

// refreshMax bounds the refresh of one catalog.
const refreshMax = 10 * time.Minute

// Refresher brings the shadows of all catalogs up to date now and then.
type Refresher struct {
	Home     *home.Home
	Deployer *Deployer
	Every    time.Duration // 0: never
}

// Run refreshes until ctx ends: catalogs that were never refreshed at once, then all of them in turn.
func (r Refresher) Run(ctx context.Context) error {
	if r.Every <= 0 {
		<-ctx.Done()
		return nil
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		r.all(ctx)
		timer.Reset(r.Every)
	}
}

// all refreshes the catalogs whose time has come. What fails is on record at the catalog and tried again.
func (r Refresher) all(ctx context.Context) {
	rows, err := r.Home.Pool().Query(ctx, `select name from tablewright.catalog
		where refreshed is null or refreshed < now() - $1::interval order by refreshed nulls first`, r.Every/2)
	if err != nil {
		r.Deployer.log.Warn().Err(err).Msg("catalogs not read")
		return
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		r.Deployer.log.Warn().Err(err).Msg("catalogs not read")
		return
	}
	for _, name := range names {
		if err := r.one(ctx, name); err != nil && ctx.Err() == nil {
			r.Deployer.log.Warn().Err(err).Str("catalog", name).Msg("catalog not refreshed")
			r.failed(ctx, name, err)
		}
	}
}

// errBusy tells that somebody has worked on a catalog meanwhile.
var errBusy = errors.New("the catalog is in use")

// one refreshes one catalog. The system is read before anything is locked; when something was done in the
// catalog since then, what was read is dropped: the next turn finds it.
func (r Refresher) one(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, refreshMax)
	defer cancel()
	began := time.Now()
	cat, err := readCatalog(ctx, r.Home.Pool(), name)
	if err != nil {
		return err
	}
	found, err := r.Deployer.Discover(ctx, cat)
	if err != nil {
		return err
	}
	outcome := DiscoveryOutcome{Problems: found.Problems}
	err = pgx.BeginFunc(ctx, r.Home.Pool(), func(tx pgx.Tx) error { return r.apply(ctx, tx, cat, found, began, &outcome) })
	if errors.Is(err, errBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	if outcome.Made+outcome.Changed+outcome.Gone+len(outcome.Problems) > 0 {
		r.Deployer.log.Info().Str("catalog", name).Int("made", outcome.Made).Int("changed", outcome.Changed).
			Int("gone", outcome.Gone).Strs("problems", outcome.Problems).Msg("catalog refreshed")
	}
	return nil
}

func (r Refresher) apply(ctx context.Context, tx pgx.Tx, cat catalog.Catalog, found Discovered, began time.Time, o *DiscoveryOutcome) error {
	quoted := catalog.QuoteIdent(cat.Name)
	var quiet bool
	err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock(hashtextextended('tablewright:' || $1, 0))`, quoted).Scan(&quiet)
	if err != nil || !quiet {
		return errors.Join(err, errBusy)
	}
	err = tx.QueryRow(ctx, `select not exists (select from tablewright.job j, unnest(j.targets) t
			where (not j.ended or j.finished >= now() - $2::interval) and (t = $1 or starts_with(t, $1 || '.')))
		and exists (select from tablewright.catalog where server = $3 and name = $4 and generation = $5)`,
		quoted, time.Since(began)+time.Second, cat.OID, cat.Name, cat.Generation).Scan(&quiet)
	if err != nil || !quiet {
		return errors.Join(err, errBusy)
	}
	for _, sql := range found.Statements {
		answer, err := r.Home.QueryTicketed(ctx, tx, sql)
		if err != nil {
			return fmt.Errorf("shadows of %s: %w", cat.Name, err)
		}
		if err := o.Add(answer); err != nil {
			return err
		}
	}
	return nil
}

func readCatalog(ctx context.Context, pool interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, name string,
) (catalog.Catalog, error) {
	snap, err := home.ReadSnapshot(ctx, home.PgxQuerier{Conn: pool}, home.Wanted{Catalogs: []string{name}})
	if err != nil {
		return catalog.Catalog{}, err
	}
	cat, ok := snap.Catalogs[name]
	if !ok {
		return cat, sqlerr.New(sqlerr.UndefinedObject, "catalog \"%s\" does not exist", name)
	}
	return cat, nil
}

// failed notes why a catalog could not be refreshed.
func (r Refresher) failed(ctx context.Context, name string, cause error) {
	if err := r.Home.RefreshFailed(ctx, name, sqlerr.From(cause).Message); err != nil {
		r.Deployer.log.Warn().Err(err).Str("catalog", name).Msg("failed refresh not recorded")
	}
}
