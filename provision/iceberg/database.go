package iceberg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	"github.com/mattn/go-sqlite3"
)

const (
	connsMax      = 4
	connIdleMax   = time.Minute
	busyTimeoutMs = 100 // SQLite's own waiting cannot be interrupted: wait longer outside of it
	busyPauseMin  = 5 * time.Millisecond
	busyPauseMax  = 100 * time.Millisecond
)

// schemaSQL makes the catalogue's tables as Iceberg's JDBC catalogue, version 1, has them.
const schemaSQL = `
CREATE TABLE IF NOT EXISTS iceberg_tables (
	catalog_name VARCHAR(255) NOT NULL,
	table_namespace VARCHAR(255) NOT NULL,
	table_name VARCHAR(255) NOT NULL,
	metadata_location VARCHAR(1000),
	previous_metadata_location VARCHAR(1000),
	iceberg_type VARCHAR(5),
	PRIMARY KEY (catalog_name, table_namespace, table_name)
);
CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (
	catalog_name VARCHAR(255) NOT NULL,
	namespace VARCHAR(255) NOT NULL,
	property_key VARCHAR(255) NOT NULL,
	property_value VARCHAR(1000) NOT NULL,
	PRIMARY KEY (catalog_name, namespace, property_key)
);`

// database is the SQLite file of a catalogue. When another file has taken its place, or none is there,
// the connections to the old one are not used any more.
type database struct {
	path string

	lock chan struct{} // holds one element while the fields below are in use
	file os.FileInfo   // the file that the connections are to
	db   *sql.DB
	// typed tells whether iceberg_tables has the column iceberg_type: catalogues from before views lack it.
	typed bool
}

func openDatabase(ctx context.Context, path string) (*database, error) {
	d := &database{path: path, lock: make(chan struct{}, 1)}
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.make(ctx)
	}
	if err != nil {
		return nil, err
	}
	_, _, err = d.current(ctx)
	return d, err
}

func (d *database) dsn(parameters string) string {
	u := url.URL{Scheme: "file", Path: d.path, RawQuery: fmt.Sprintf("_busy_timeout=%d&_synchronous=FULL&%s", busyTimeoutMs, parameters)}
	return u.String()
}

// make creates the file. In WAL mode readers and the one writer do not wait for each other.
func (d *database) make(ctx context.Context) error {
	db, err := sql.Open("sqlite3", d.dsn("mode=rwc&_journal_mode=WAL"))
	if err != nil {
		return err
	}
	return errors.Join(whileBusy(ctx, func() error {
		_, err := db.ExecContext(ctx, schemaSQL)
		return err
	}), db.Close())
}

// current returns the connections to the file that is at the path now. It never makes one: a file that
// went away (a volume that is not mounted) must not come back empty.
func (d *database) current(ctx context.Context) (db *sql.DB, typed bool, err error) {
	select {
	case d.lock <- struct{}{}:
		defer func() { <-d.lock }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	file, err := os.Stat(d.path)
	if err != nil {
		return nil, false, err
	}
	if d.db != nil && os.SameFile(file, d.file) {
		return d.db, d.typed, nil
	}
	fresh, err := sql.Open("sqlite3", d.dsn("mode=rw"))
	if err != nil {
		return nil, false, err
	}
	fresh.SetMaxOpenConns(connsMax)
	fresh.SetMaxIdleConns(connsMax)
	fresh.SetConnMaxIdleTime(connIdleMax)
	typed, err = prepare(ctx, fresh)
	if err != nil {
		return nil, false, errors.Join(err, fresh.Close())
	}
	if d.db != nil {
		// Calls that still use the old file's connections fail, as the file is gone.
		_ = d.db.Close()
	}
	d.db, d.file, d.typed = fresh, file, typed
	return fresh, typed, nil
}

// prepare checks that the file is a catalogue, making the tables that are missing: all in an empty one, or the
// second one of whoever is just making both.
func prepare(ctx context.Context, db *sql.DB) (typed bool, err error) {
	const query = `SELECT (SELECT count(*) FROM pragma_table_info('iceberg_namespace_properties')), count(*),
		coalesce(sum(name = 'iceberg_type'), 0) FROM pragma_table_info('iceberg_tables')`
	var properties, columns, withType int
	err = whileBusy(ctx, func() error { return db.QueryRowContext(ctx, query).Scan(&properties, &columns, &withType) })
	if err != nil || columns > 0 && properties > 0 {
		return withType > 0, err
	}
	err = whileBusy(ctx, func() error {
		_, err := db.ExecContext(ctx, schemaSQL)
		return err
	})
	return columns == 0 || withType > 0, err
}

func (d *database) close() error {
	d.lock <- struct{}{}
	defer func() { <-d.lock }()
	if d.db == nil {
		return nil
	}
	return d.db.Close()
}

// whileBusy repeats work while another process holds the file's lock, until ctx ends.
func whileBusy(ctx context.Context, work func() error) error {
	var timer *time.Timer
	for pause := busyPauseMin; ; pause = min(2*pause, busyPauseMax) {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := work()
		if !busy(err) {
			return err
		}
		if timer == nil {
			timer = time.NewTimer(pause)
			defer timer.Stop()
		} else {
			timer.Reset(pause)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
}

func busy(err error) bool {
	lite, ok := errors.AsType[sqlite3.Error](err)
	return ok && (lite.Code == sqlite3.ErrBusy || lite.Code == sqlite3.ErrLocked)
}
