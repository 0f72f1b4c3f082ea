package home

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

//go:embed privileged.sql
var privilegedSQL string

const (
	// setupVersion is the least tablewright.setup_version() that this release can work with.
	setupVersion = 5
	// migrationLock is the key of the advisory lock under which gateways bring the schema up to date.
	migrationLock = 0x7461626c65777269
)

// SetupError says that an administrator has to run configs/home-setup.sql.
type SetupError struct {
	Found, Needed int // versions of the script; 0: it was never run
}

// Error says which version of the script is there.
func (e *SetupError) Error() string {
	if e.Found == 0 {
		return "the home database is not set up for Tablewright; run configs/home-setup.sql as a superuser"
	}
	return fmt.Sprintf("the home database was set up with version %d of configs/home-setup.sql, this release "+
		"needs %d; run it again as a superuser", e.Found, e.Needed)
}

// migrate brings the schema up to date: what needs a superuser first, then the gateway's own tables.
func (h *Home) migrate(ctx context.Context) error {
	if err := h.setUp(ctx); err != nil {
		return err
	}
	return h.migrateTables(ctx)
}

// setUp runs the privileged script where the gateway is superuser, and checks its version elsewhere.
func (h *Home) setUp(ctx context.Context) error {
	err := pgx.BeginFunc(ctx, h.pool, func(tx pgx.Tx) error {
		var super bool
		if err := tx.QueryRow(ctx, "select rolsuper from pg_roles where rolname = current_user").Scan(&super); err != nil {
			return err
		}
		if !super {
			return checkSetup(ctx, tx)
		}
		// Two starting gateways must not replace the same functions at once.
		if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
			return err
		}
		script := privilegedSQL
		if h.Embedded() {
			script += bootstrap
		}
		_, err := tx.Conn().PgConn().Exec(ctx, script).ReadAll()
		return err
	})
	if err != nil {
		return fmt.Errorf("setup of the home database: %w", err)
	}
	return nil
}

func checkSetup(ctx context.Context, tx pgx.Tx) error {
	var there bool
	if err := tx.QueryRow(ctx, "select to_regprocedure('tablewright.setup_version()') is not null").Scan(&there); err != nil {
		return err
	}
	found := 0
	if there {
		if err := tx.QueryRow(ctx, "select tablewright.setup_version()").Scan(&found); err != nil {
			return err
		}
	}
	if found < setupVersion {
		return &SetupError{Found: found, Needed: setupVersion}
	}
	return nil
}

// migrateTables runs the migrations that are missing, one gateway at a time.
func (h *Home) migrateTables(ctx context.Context) (err error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock+1), lock.WithLockTimeout(1, 300))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	db := stdlib.OpenDBFromPool(h.pool)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName("tablewright.migration"), goose.WithSessionLocker(locker),
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrations of the home database: %w", err)
	}
	if len(results) > 0 {
		h.opts.Log.Info().Str("version", strconv.FormatInt(results[len(results)-1].Source.Version, 10)).
			Msg("the home database's schema is up to date")
	}
	return nil
}
