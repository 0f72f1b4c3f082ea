package home

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
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

// IsMember tells whether a role is a member of another one, directly or not, as pg_hba.conf sees it: a
// superuser is not a member of everything. Roles that do not exist are members of nothing.
func (h *Home) IsMember(ctx context.Context, name, of string) (bool, error) {
	var member bool
	err := h.pool.QueryRow(ctx, `with recursive up as (
			select oid from pg_roles where rolname = $1
			union select m.roleid from pg_auth_members m join up on m.member = up.oid)
		select exists (select from up join pg_roles r on r.oid = up.oid where r.rolname = $2)`, name, of).Scan(&member)
	if err != nil {
		return false, fmt.Errorf("membership of role %q: %w", name, err)
	}
	return member, nil
}

// MockSalt is a salt for a role that has no password: the same each time and at each gateway, and not to be
// foreseen by clients.
func (h *Home) MockSalt(name string) []byte { return h.mac("mock-salt", name) }

// mac is a code that only the gateways of a home database can make. purpose keeps codes of one purpose from
// being good for another.
func (h *Home) mac(purpose, text string) []byte {
	code := hmac.New(sha256.New, h.key)
	code.Write([]byte(purpose + "|" + text))
	return code.Sum(nil)
}
