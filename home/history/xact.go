package history

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// XactStatus is what became of a transaction of the home database.
type XactStatus string

// The ends of a transaction.
const (
	Committed  XactStatus = "committed"
	Aborted    XactStatus = "aborted"
	InProgress XactStatus = "in progress"
	Unknown    XactStatus = "unknown" // too long ago, or never begun on this server
)

// XactStatus asks what became of the transaction with the decimal id xid. It is exact, also after the
// server or its backend was killed.
func (s *Store) XactStatus(ctx context.Context, xid string) (XactStatus, error) {
	if _, err := strconv.ParseUint(xid, 10, 64); err != nil {
		return Unknown, fmt.Errorf("transaction id %q: %w", xid, err)
	}
	var status *string
	err := s.pool.QueryRow(ctx, "select pg_xact_status($1::text::xid8)", xid).Scan(&status)
	var answered *pgconn.PgError
	switch {
	case errors.As(err, &answered) && answered.Code == sqlerr.InvalidParameterValue:
		return Unknown, nil // still to come
	case err != nil:
		return Unknown, fmt.Errorf("transaction %s: %w", xid, err)
	case status == nil:
		return Unknown, nil // so long ago that the server has forgotten
	}
	return XactStatus(*status), nil
}
