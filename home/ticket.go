package home

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// TicketSetting is the setting that carries a ticket.
const TicketSetting = "tablewright.ticket"

// GuardConstraint and WallConstraint are the constraint names in the errors of the guard and of tw_guard,
// by which the gateway knows its own.
const (
	GuardConstraint = "tablewright.guard"
	WallConstraint  = "tablewright.wall"
)

// Ticket is what the backend pid must find in the setting TicketSetting to let the statement change a
// managed object. The text is that of the whole top-level statement, byte for byte; parameters are not
// covered. Set it in the same transaction, just before the statement.
func (h *Home) Ticket(pid uint32, statement string) string {
	mac := hmac.New(sha256.New, h.key)
	mac.Write(strconv.AppendUint(nil, uint64(pid), 10))
	mac.Write([]byte{'|'})
	mac.Write([]byte(statement))
	return hex.EncodeToString(mac.Sum(nil))
}

// ExecTicketed runs a statement on a managed object in a transaction of the gateway's own pool.
func (h *Home) ExecTicketed(ctx context.Context, tx pgx.Tx, statement string) error {
	ticket := h.Ticket(tx.Conn().PgConn().PID(), statement)
	if _, err := tx.Exec(ctx, "select set_config($1, $2, true)", TicketSetting, ticket); err != nil {
		return fmt.Errorf("ticket: %w", err)
	}
	// Not as a prepared statement: its text must be what the server sees at top level.
	if _, err := tx.Exec(ctx, statement, pgx.QueryExecModeExec); err != nil {
		return err // a PgError that callers look into
	}
	return nil
}

// QueryTicketed runs such a statement that answers one text.
func (h *Home) QueryTicketed(ctx context.Context, tx pgx.Tx, statement string) (string, error) {
	ticket := h.Ticket(tx.Conn().PgConn().PID(), statement)
	if _, err := tx.Exec(ctx, "select set_config($1, $2, true)", TicketSetting, ticket); err != nil {
		return "", fmt.Errorf("ticket: %w", err)
	}
	var answer string
	err := tx.QueryRow(ctx, statement, pgx.QueryExecModeExec).Scan(&answer)
	return answer, err
}

// RefreshFailed notes at a catalog why it could not be refreshed.
func (h *Home) RefreshFailed(ctx context.Context, name, message string) error {
	_, err := h.pool.Exec(ctx, "update tablewright.catalog set refreshed = now(), refresh_error = $2 where name = $1", name, message)
	return err
}

// readKey reads the key of tickets; the first gateway of a home database makes it.
func readKey(ctx context.Context, pool *pgxpool.Pool) ([]byte, error) {
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, fmt.Errorf("key of tickets: %w", err)
	}
	var key []byte
	err := pool.QueryRow(ctx, "select key from tablewright.secret").Scan(&key)
	if errors.Is(err, pgx.ErrNoRows) {
		inner, outer := hmacBlocks(fresh)
		if _, err := pool.Exec(ctx, `insert into tablewright.secret (key, inner_block, outer_block)
			values ($1, $2, $3) on conflict do nothing`, fresh, inner, outer); err != nil {
			return nil, fmt.Errorf("key of tickets: %w", err)
		}
		err = pool.QueryRow(ctx, "select key from tablewright.secret").Scan(&key)
	}
	if err != nil {
		return nil, fmt.Errorf("key of tickets: %w", err)
	}
	return key, nil
}

// hmacBlocks are the key xored with HMAC's two pads, for a hash with blocks of 64 bytes.
func hmacBlocks(key []byte) (inner, outer []byte) {
	inner, outer = make([]byte, sha256.BlockSize), make([]byte, sha256.BlockSize)
	copy(inner, key)
	copy(outer, key)
	for i := range inner {
		inner[i] ^= 0x36
		outer[i] ^= 0x5c
	}
	return inner, outer
}
