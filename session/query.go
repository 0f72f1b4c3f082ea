package session

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// ownName is the prepared statement and portal of the session's own queries. The client's unnamed ones
// stay as they are.
const ownName = "tw_own"

// result is what a query of the session's own came to.
type result struct {
	Rows [][][]byte // text form; nil is NULL
	Tag  string
}

// query runs one statement of the session's own on the home connection, inside the client's transaction
// and without ending it, and collects its rows. Parameters are in text form. An error puts the home
// server into its failed state, as an error of the client's would; it has no position, since the text is none
// of the client's.
func (s *Session) query(ctx context.Context, sql string, args ...[]byte) (result, error) {
	x := newExchange(s.client)
	if err := s.addQuery(x, sql, args); err != nil {
		return result{}, err
	}
	r, err := s.collect(ctx, x)
	return r, withoutPosition(err)
}

// collect sends what has been added and waits for its answers. The rows of several queries follow each other.
func (s *Session) collect(ctx context.Context, x *exchange) (result, error) {
	if err := s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) }); err != nil {
		return result{}, err
	}
	return result{Rows: x.rows, Tag: x.tag}, nil
}

// withoutPosition takes the place off an error about a text that is none of the client's.
func withoutPosition(err error) error {
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return e.At(0)
	}
	return err
}

// addQuery adds the messages that run one statement under the session's own name. A leftover of an
// earlier query that failed is closed first.
func (s *Session) addQuery(x *exchange, sql string, args [][]byte) error {
	return s.backend.addAll(x,
		outgoing{&pgproto3.Close{ObjectType: 'P', Name: ownName}, 'C'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
		outgoing{&pgproto3.Parse{Name: ownName, Query: sql}, 'P'},
		outgoing{&pgproto3.Bind{DestinationPortal: ownName, PreparedStatement: ownName, Parameters: args}, 'B'},
		outgoing{&pgproto3.Execute{Portal: ownName}, 'E'},
		outgoing{&pgproto3.Close{ObjectType: 'P', Name: ownName}, 'C'},
		outgoing{&pgproto3.Close{ObjectType: 'S', Name: ownName}, 'C'},
	)
}

// texts makes text parameters.
func texts(values ...string) [][]byte {
	args := make([][]byte, len(values))
	for i, v := range values {
		args[i] = []byte(v)
	}
	return args
}
