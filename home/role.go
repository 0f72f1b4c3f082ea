package home

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Role is what a login needs to know of a role.
type Role struct {
	Exists     bool
	CanLogin   bool
	ValidUntil time.Time // zero: no limit
	Superuser  bool
	ConnLimit  int    // -1: no limit
	Verifier   string // the stored password: SCRAM-SHA-256$…, md5…, or empty
}

// Role reads a role afresh. A role that does not exist is no error: a login must not tell the difference.
func (h *Home) Role(ctx context.Context, name string) (Role, error) {
	var role Role
	var until *time.Time
	var verifier *string
	err := h.pool.QueryRow(ctx, `select can_login, valid_until, superuser, connection_limit, verifier
		from tablewright.role($1)`, name).Scan(&role.CanLogin, &until, &role.Superuser, &role.ConnLimit, &verifier)
	if errors.Is(err, pgx.ErrNoRows) {
		return Role{}, nil
	}
	if err != nil {
		return Role{}, fmt.Errorf("role %q: %w", name, err)
	}
	role.Exists = true
	if until != nil {
		role.ValidUntil = *until
	}
	if verifier != nil {
		role.Verifier = *verifier
	}
	return role, nil
}
