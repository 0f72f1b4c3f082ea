// Package sqlerr holds the one error type that reaches a client: a SQLSTATE, a message in PostgreSQL's
// style (lower case, no full stop) and the optional fields of an ErrorResponse.
package sqlerr

import (
	"errors"
	"fmt"
)

// Error is an error with the fields of PostgreSQL's ErrorResponse. It is given its code once, where the
// fault is found; outer layers add context but never change the code.
type Error struct {
	Code       string // SQLSTATE, five characters
	Message    string // short, lower case, no full stop
	Detail     string // full sentences
	Hint       string // full sentences
	Position   int    // 1-based character position in the statement's original text, 0 when there is none
	Schema     string
	Table      string
	Column     string
	DataType   string
	Constraint string

	cause error
}

// New returns an error with the given SQLSTATE and a formatted message.
func New(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap gives cause a candidate code and message. A *Error already in cause's chain is more precise: it
// is returned as it is.
func Wrap(cause error, code, format string, args ...any) *Error {
	if inner, ok := errors.AsType[*Error](cause); ok {
		return inner
	}
	e := New(code, format, args...)
	e.cause = cause
	return e
}

// Error returns the message; detail and hint are left to the wire.
func (e *Error) Error() string { return e.Message }

// SQLState returns the code, the name that pgconn.PgError uses for the same.
func (e *Error) SQLState() string { return e.Code }

// Unwrap returns what caused the error, nil when it was found here.
func (e *Error) Unwrap() error { return e.cause }

// WithDetail returns a copy that carries a detail line.
func (e *Error) WithDetail(format string, args ...any) *Error {
	c := *e
	c.Detail = fmt.Sprintf(format, args...)
	return &c
}

// WithHint returns a copy that carries a hint.
func (e *Error) WithHint(format string, args ...any) *Error {
	c := *e
	c.Hint = fmt.Sprintf(format, args...)
	return &c
}

// At returns a copy that points at a 1-based character position of the statement; 0 or less means none.
func (e *Error) At(position int) *Error {
	c := *e
	c.Position = max(position, 0)
	return &c
}

// WithCause returns a copy that remembers what caused it (for logs; it never reaches a client).
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// From flattens any error to the one that a client is sent. An error without a code of its own is an
// internal one: its text stays in the logs and the client reads XX000.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: InternalError, Message: "internal error", cause: err}
}
