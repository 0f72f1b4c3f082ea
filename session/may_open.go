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
		if err := s.mayOpenCatalog(ctx, step.Catalog); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) mayOpenCatalog(ctx context.Context, c catalog.Catalog) error {
	if c.OID != 0 {
		return s.mustOwn(ctx, c.Owner, "foreign server", c.Name)
	}
	allowed, err := s.QueryText(ctx, "select pg_catalog.has_foreign_data_wrapper_privilege($1, 'USAGE')::pg_catalog.text", c.Type)
	if err == nil && allowed != "true" {
		err = sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for foreign-data wrapper %s", c.Type)
	}
	return err
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
