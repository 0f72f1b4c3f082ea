package postgres

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// secretLengthMin is the length in bytes from which on a password is looked for in texts: shorter ones
// would turn ordinary words into stars.
const secretLengthMin = 4

// translator turns what pgx says of one catalog into errors of a kind. It is the only place that does.
type translator struct {
	catalog string
	secret  string
}

// connect translates a failure to reach the server or to log in.
func (t translator) connect(ctx context.Context, err error) error {
	if own := ownError(err); own != nil {
		return own
	}
	if ctx.Err() != nil {
		return t.ended(ctx)
	}
	if refused, ok := errors.AsType[*refusedError](err); ok {
		return provision.Error(provision.Denied, "%s", t.clean(refused.Error()))
	}
	if remote, ok := errors.AsType[*pgconn.PgError](err); ok {
		e := provision.Error(provision.CannotConnect, "could not connect to the server of catalog %q: %s", t.catalog, t.clean(remote.Message))
		return t.withTexts(e, remote)
	}
	return provision.Error(provision.CannotConnect, "could not connect to the server of catalog %q: %s", t.catalog, t.clean(plainReason(err)))
}

// later translates a failure on a connection that has been made.
func (t translator) later(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if own := ownError(err); own != nil {
		return own
	}
	var remote *pgconn.PgError
	isRemote := errors.As(err, &remote)
	if ctx.Err() != nil && (!isRemote || remote.Code == sqlerr.QueryCanceled || remote.Code == sqlerr.LockNotAvailable) {
		return t.ended(ctx)
	}
	if !isRemote {
		return t.unavailable(plainReason(err))
	}
	return t.remote(remote)
}

// remote translates an error that the server raised in a statement.
func (t translator) remote(e *pgconn.PgError) error {
	code := e.Code
	switch {
	case code == sqlerr.LockNotAvailable, code == sqlerr.QueryCanceled, code == "25006",
		strings.HasPrefix(code, "40"), strings.HasPrefix(code, "53"), strings.HasPrefix(code, "57"),
		strings.HasPrefix(code, "58"), strings.HasPrefix(code, "08"), strings.HasPrefix(code, "XX"),
		strings.HasPrefix(code, "25"):
		return t.withTexts(t.unavailable(e.Message), e)
	case strings.HasPrefix(code, "28"):
		return t.withTexts(provision.Error(provision.CannotConnect, "%s", t.clean(e.Message)), e)
	case code == "23505" && strings.HasPrefix(e.ConstraintName, "pg_namespace_"):
		return provision.Error(provision.SchemaExists, "schema already exists")
	case code == "23505" && strings.HasPrefix(e.ConstraintName, "pg_"):
		// Two makers of one name met: the loser sees the catalogue's own unique index.
		return provision.Error(provision.Exists, "relation already exists")
	case code == sqlerr.DuplicateObject && strings.HasPrefix(e.Message, "type "):
		// Likewise, at the table's row type.
		return provision.Error(provision.Exists, "relation already exists")
	default:
		return t.withTexts(sqlerr.New(code, "%s", t.clean(e.Message)), e)
	}
}

func (t translator) unavailable(reason string) *sqlerr.Error {
	return provision.Error(provision.Unavailable, "server of catalog %q failed: %s", t.catalog, t.clean(reason))
}

// ended is the error of a call whose context ended; errors.Is finds the context's error in it.
func (t translator) ended(ctx context.Context) error {
	reason := "the call was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = "no answer in time"
	}
	return t.unavailable(reason).WithCause(ctx.Err())
}

// withTexts adds what else the server said. The error keeps no reference to pgx's own, which holds the
// connection's whole configuration.
func (t translator) withTexts(e *sqlerr.Error, remote *pgconn.PgError) error {
	c := *e
	c.Detail, c.Hint = t.clean(remote.Detail), t.clean(remote.Hint)
	c.Schema, c.Table, c.Column = remote.SchemaName, remote.TableName, remote.ColumnName
	c.DataType, c.Constraint = remote.DataTypeName, remote.ConstraintName
	return &c
}

// clean removes the password from a text, should a server ever repeat it.
func (t translator) clean(text string) string {
	if len(t.secret) < secretLengthMin {
		return text
	}
	return strings.ReplaceAll(text, t.secret, "***")
}

func ownError(err error) error {
	if own, ok := errors.AsType[*sqlerr.Error](err); ok {
		return own
	}
	return nil
}

// plainReason is the innermost text of a network failure: pgx's own wraps user, host and database
// around it for each address it tried.
func plainReason(err error) string {
	var (
		dns       *net.DNSError
		op        *net.OpError
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &dns):
		return dns.Error()
	case errors.As(err, &authority):
		return authority.Error()
	case errors.As(err, &name):
		return name.Error()
	case errors.As(err, &invalid):
		return invalid.Error()
	case errors.As(err, &op):
		return op.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}
