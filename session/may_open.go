package session

import (
	"context"
	"crypto/subtle"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// mayOpen checks, before any system is called, that the role may register or change the catalogs that a plan opens:
// a system is called with the secrets that the catalog's owner gave, at an address that the statement may have
// changed. The words are the home database's, which checks again.
func (s *Session) mayOpen(ctx context.Context, p *plan.Plan) error {
	for _, step := range p.Steps {
		if step.Action != plan.Open {
			continue
		}
		sql, name := "select pg_catalog.has_foreign_data_wrapper_privilege($1, 'USAGE')::pg_catalog.text", step.Catalog.Type
		refused := sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for foreign-data wrapper %s", step.Catalog.Type)
		if step.Catalog.OID != 0 {
			sql, name = "select pg_catalog.pg_has_role($1::pg_catalog.name, 'USAGE')::pg_catalog.text", step.Catalog.Owner
			refused = sqlerr.New(sqlerr.InsufficientPrivilege, "must be owner of foreign server %s", step.Catalog.Name)
		}
		allowed, err := s.QueryText(ctx, sql, name)
		if err != nil {
			return err
		}
		if allowed != "true" {
			return refused
		}
	}
	return nil
}

// sameSecrets are the places of those stored secrets whose values a plan would store again. Only who may
// change the catalog learns it.
func (s *Session) sameSecrets(ctx context.Context, p *plan.Plan) ([]catalog.SecretKeyRef, error) {
	var same []catalog.SecretKeyRef
	for _, secret := range p.Secrets {
		if secret.Replaces == nil {
			continue
		}
		if err := s.mayOpen(ctx, p); err != nil {
			return nil, err
		}
		stored, err := s.gateway.Secrets.Resolve(ctx, catalog.Option{SecretRef: secret.Replaces})
		if err == nil && subtle.ConstantTimeCompare([]byte(stored), []byte(secret.Value)) == 1 {
			same = append(same, *secret.Replaces)
		}
	}
	return same, nil
}
