package session

import (
	"context"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// mayDrop checks that the role owns the schemas that a statement drops, before an error lists what is in
// them. The words are the home database's, which checks again.
func (s *Session) mayDrop(ctx context.Context, st *parse.Statement, snap *catalog.Snapshot) error {
	drop, ok := st.Extension.(*parse.DropSchema)
	if !ok {
		return nil
	}
	for _, name := range drop.Names {
		schema, ok := snap.Schemas[strings.Join(name.Strings(), ".")]
		if !ok {
			continue
		}
		if err := s.mustOwn(ctx, schema.Owner, "schema", schema.Name); err != nil {
			return err
		}
	}
	return nil
}

// mustOwn refuses who has not the rights of an object's owner.
func (s *Session) mustOwn(ctx context.Context, owner, kind, name string) error {
	allowed, err := s.QueryText(ctx, "select pg_catalog.pg_has_role($1::pg_catalog.name, 'USAGE')::pg_catalog.text", owner)
	if err == nil && allowed != "true" {
		err = sqlerr.New(sqlerr.InsufficientPrivilege, "must be owner of %s %s", kind, name)
	}
	return err
}
