package iceberg

import (
	"context"
	"errors"
	"io/fs"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/mattn/go-sqlite3"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// fail translates an error of SQLite, of the file system or of iceberg-go. It is the only place that does.
func (s *System) fail(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*sqlerr.Error](err); ok {
		return own
	}
	if ctx.Err() != nil {
		return ended(ctx, s.catalog)
	}
	switch {
	case isPermission(err):
		return provision.Error(provision.Denied, "catalog %q: %s", s.catalog, err)
	case errors.Is(err, table.ErrCommitFailed):
		return provision.Error(provision.Unavailable, "catalog %q: the table was changed by others at the same time", s.catalog)
	case errors.Is(err, iceberg.ErrInvalidArgument), errors.Is(err, iceberg.ErrInvalidSchema), errors.Is(err, iceberg.ErrInvalidTransform):
		return provision.Error(provision.Invalid, "%s", err)
	default:
		return provision.Error(provision.Unavailable, "catalog %q: %s", s.catalog, err)
	}
}

// openError translates a failure to open a catalogue.
func openError(ctx context.Context, catalog string, err error) error {
	if own, ok := errors.AsType[*sqlerr.Error](err); ok {
		return own
	}
	if ctx.Err() != nil {
		return ended(ctx, catalog)
	}
	if isPermission(err) {
		return provision.Error(provision.Denied, "could not open catalog %q: %s", catalog, err)
	}
	return provision.Error(provision.CannotConnect, "could not open catalog %q: %s", catalog, err)
}

// ended is the error of a call whose context ended; errors.Is finds the context's error in it.
func ended(ctx context.Context, catalog string) error {
	reason := "the call was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = "no answer in time"
	}
	return provision.Error(provision.Unavailable, "catalog %q: %s", catalog, reason).WithCause(ctx.Err())
}

func isPermission(err error) bool {
	lite, ok := errors.AsType[sqlite3.Error](err)
	return errors.Is(err, fs.ErrPermission) || ok && (lite.Code == sqlite3.ErrReadonly || lite.Code == sqlite3.ErrPerm)
}

// taken tells whether an insert failed because the name is in use.
func taken(err error) bool {
	lite, ok := errors.AsType[sqlite3.Error](err)
	return ok && (lite.ExtendedCode == sqlite3.ErrConstraintPrimaryKey || lite.ExtendedCode == sqlite3.ErrConstraintUnique)
}

// notCommittedError is of a change that is known not to have taken place: nothing refers to its files.
type notCommittedError struct{ error }

func (e notCommittedError) Unwrap() error { return e.error }

func notFound(n name) error {
	return provision.Error(provision.NotFound, "relation %q does not exist", n.table)
}

func noSchema(n name) error {
	return provision.Error(provision.SchemaNotFound, "schema %q does not exist", n.schema)
}
