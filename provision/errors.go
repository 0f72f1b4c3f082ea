package provision

import (
	"context"
	"errors"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Kind sorts the failures of external systems; each package translates its own errors once.
type Kind int

// The kinds of failure.
const (
	NotFound Kind = iota + 1
	SchemaNotFound
	Exists
	SchemaExists
	Conflict
	Denied
	CannotConnect
	Unavailable
	Unsupported
	Invalid
	InvalidType
)

// Code is the SQLSTATE of a kind.
func (k Kind) Code() string {
	switch k {
	case NotFound:
		return sqlerr.UndefinedTable
	case SchemaNotFound:
		return sqlerr.InvalidSchemaName
	case Exists:
		return sqlerr.DuplicateTable
	case SchemaExists:
		return sqlerr.DuplicateSchema
	case Conflict:
		return sqlerr.ObjectInUse
	case Denied:
		return sqlerr.InsufficientPrivilege
	case CannotConnect:
		return sqlerr.FDWUnableToEstablish
	case Unsupported:
		return sqlerr.FeatureNotSupported
	case Invalid:
		return sqlerr.InvalidParameterValue
	case InvalidType:
		return sqlerr.DatatypeMismatch
	default:
		return sqlerr.IOError
	}
}

// Error is a failure of a kind; its message never holds a secret.
func Error(k Kind, format string, args ...any) *sqlerr.Error {
	return sqlerr.New(k.Code(), format, args...)
}

// Retryable tells whether repeating the same call may succeed: the system is out of reach or timed out.
// Everything else needs a person or another statement.
func Retryable(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return true
	}
	return e.Code == sqlerr.IOError || e.Code == sqlerr.FDWUnableToEstablish
}
