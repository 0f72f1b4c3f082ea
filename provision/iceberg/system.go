package iceberg

import (
	"context"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// System is one opened catalogue. It is safe for use by several goroutines.
type System struct {
	catalog       string
	rows          *rowStore
	files         *fileStore
	warehouse     string
	defaultSchema string
}

var (
	_ provision.Provisioner = (*System)(nil)
	_ provision.Scanner     = (*System)(nil)
	_ provision.Writer      = (*System)(nil)
	_ provision.Describer   = (*System)(nil)
)

// Close closes the catalogue's file.
func (s *System) Close() error { return s.rows.db.close() }

// The names of the calls that are reported.
const (
	stepCreateNamespace = "create namespace"
	stepDropNamespace   = "drop namespace"
	stepLoad            = "load table"
	stepWriteMetadata   = "write metadata"
	stepCommit          = "commit"
	stepDrop            = "drop from catalog"
	stepRemoveFiles     = "remove files"
)

// Steps names the calls that an action on r makes.
func (s *System) Steps(action plan.Action, r plan.Resource) []string {
	schema := r.Kind == plan.SchemaKind
	switch action {
	case plan.Create, plan.Ensure:
		if schema {
			return []string{stepCreateNamespace}
		}
		return []string{stepWriteMetadata, stepCommit}
	case plan.Alter:
		if schema {
			return nil
		}
		return []string{stepLoad, stepCommit}
	case plan.Drop:
		if schema {
			return []string{stepDropNamespace}
		}
		if !wantsPurge(r.Table.Options, nil) {
			return []string{stepLoad, stepDrop}
		}
		return []string{stepLoad, stepDrop, stepRemoveFiles}
	case plan.Open:
		return nil
	}
	return nil
}

func (s *System) name(r plan.Resource) (name, error) { return resourceName(r, s.defaultSchema) }

func (s *System) table(n name) *tableIO { return &tableIO{s: s, n: n, files: s.files} }

// Schemas lists the catalogue's namespaces.
func (s *System) Schemas(ctx context.Context) ([]string, error) {
	names, err := s.rows.namespaces(ctx)
	return names, s.fail(ctx, err)
}

// Tables lists the tables of a namespace, without views.
func (s *System) Tables(ctx context.Context, schema string) ([]string, error) {
	names, err := s.rows.tables(ctx, schema)
	return names, s.fail(ctx, err)
}

// Version names the catalogue's kind and the version of SQLite.
func (s *System) Version(ctx context.Context) (string, error) {
	versions, err := s.rows.list(ctx, "SELECT 'Iceberg SQL catalogue, SQLite ' || sqlite_version()")
	if err != nil {
		return "", s.fail(ctx, err)
	}
	return versions[0], nil
}
