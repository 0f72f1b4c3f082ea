package session

import (
	"context"
	"encoding/json"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/role"
	"github.com/tablewright/tablewright/home/scram"
)

// isAdminQuery asks whether the statement's user is an administrator of the gateway.
const isAdminQuery = `select coalesce(pg_catalog.bool_or(pg_catalog.pg_has_role(current_user, oid, 'member')), false)::pg_catalog.text
 from pg_catalog.pg_roles where rolname operator(pg_catalog.=) 'admin'`

// runRoles runs a statement on roles. An administrator's is run with the gateway's right to make roles, inside
// the client's own transaction; others' with their own rights. Either way a password does not leave the
// gateway, but what PostgreSQL would store of it.
func (s *Session) runRoles(ctx context.Context, st *routed, e *execution) error {
	change, err := role.Of(st.parsed, verifierOf)
	if err != nil {
		return err
	}
	admin, err := s.QueryText(ctx, isAdminQuery)
	if err != nil {
		return err
	}
	if change.Own || admin != "true" {
		return s.runText(ctx, st, plan.HomeStatement{SQL: change.Text}, e)
	}
	if change.Refused != nil {
		return change.Refused
	}
	wanted, err := json.Marshal(map[string]any{"text": change.Text, "roles": append([]string{}, change.Roles()...), "ended": append([]string{}, change.Ended...)})
	if err != nil {
		return err
	}
	x := newExchange(s.client)
	x.show = func(f Frame) bool { return f.Type == 'N' }
	x.keepTag = true
	ticket := s.home.Ticket(s.backend.link.PID, "roles|"+string(wanted))
	if err := s.addQuery(x, "select tablewright.change_roles($1, $2)", texts(string(wanted), ticket)); err != nil {
		return err
	}
	if err := s.backend.run(ctx, x, func() { s.cancelHome(context.WithoutCancel(ctx)) }); err != nil {
		return err
	}
	s.held = CommandComplete{change.Tag}
	return nil
}

// verifierOf is what is stored of a password.
func verifierOf(password string) (string, error) {
	if scram.IsStored(password) {
		return password, nil
	}
	v, err := scram.NewVerifier(password)
	return v.String(), err
}
