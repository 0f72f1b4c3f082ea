package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/postgres"
	"github.com/tablewright/tablewright/provision/provisiontest"
	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

var databases atomic.Int64

// secretRef is what catalogs give instead of the password.
var secretRef = &catalog.SecretKeyRef{Name: "warehouse", Key: "password"}

// secrets resolves the reference, as the gateway's secret store does.
type secrets struct{}

func (secrets) Resolve(_ context.Context, o catalog.Option) (string, error) {
	if o.SecretRef == nil || *o.SecretRef != *secretRef {
		return "", errors.New("no such secret")
	}
	return pgserver.Password, nil
}

// system is a database of its own on the shared server, behind a proxy of its own.
type system struct {
	*provisiontest.System
	database string
	proxy    *provisiontest.Proxy
}

func newSystem(t *testing.T) *system {
	t.Helper()
	database := fmt.Sprintf("test_%d", databases.Add(1))
	ctx := context.Background()
	if err := server.Exec(ctx, "postgres", "CREATE DATABASE "+database); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Exec(ctx, "postgres", "DROP DATABASE "+database+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	proxy, err := provisiontest.StartProxy(ctx, fmt.Sprintf("%s:%d", pgserver.Host, server.Port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &system{database: database, proxy: proxy}
	s.System = &provisiontest.System{
		Opener: postgres.New(postgres.Options{}), Catalog: s.catalog("pg"), Secrets: secrets{}, Secret: pgserver.Password,
		MakeTable: s.makeTable, DropTable: s.dropTable, Rows: s.rows, Block: s.block,
		Down: func() error { proxy.Down(); return nil },
		Up:   func() error { proxy.Up(); return nil },
	}
	return s
}

// catalog is a catalog of the system; options replace those of the same name.
func (s *system) catalog(name string, options ...catalog.Option) catalog.Catalog {
	c := catalog.Catalog{Name: name, Type: "postgres", Options: catalog.Options{
		{Name: "host", Value: "127.0.0.1"},
		{Name: "port", Value: fmt.Sprint(s.proxy.Port())},
		{Name: "user", Value: pgserver.Superuser},
		{Name: "password", SecretRef: secretRef},
		{Name: "database", Value: s.database},
	}}
	for _, o := range options {
		c.Options = slices.DeleteFunc(c.Options, func(old catalog.Option) bool { return old.Name == o.Name })
		c.Options = append(c.Options, o)
	}
	return c
}

func (s *system) exec(ctx context.Context, sql string) error {
	return server.Exec(ctx, s.database, sql)
}

func (s *system) makeTable(ctx context.Context, path []string) error {
	return s.exec(ctx, "CREATE TABLE "+pgx.Identifier(path).Sanitize()+" (n integer)")
}

func (s *system) dropTable(ctx context.Context, path []string) error {
	return s.exec(ctx, "DROP TABLE "+pgx.Identifier(path).Sanitize())
}

// rows reads through psql's own way: text results of the simple protocol.
func (s *system) rows(ctx context.Context, path, columns []string) ([][]*string, error) {
	conn, err := server.Connect(ctx, s.database)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = pgx.Identifier{c}.Sanitize()
	}
	sql := "SET timezone = 'UTC'; SELECT " + strings.Join(names, ", ") + " FROM " + pgx.Identifier(path).Sanitize()
	results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var all [][]*string
	for _, values := range results[1].Rows {
		row := make([]*string, len(values))
		for i, v := range values {
			if v != nil {
				text := string(v)
				row[i] = &text
			}
		}
		all = append(all, row)
	}
	return all, nil
}

// block holds a lock that DROP TABLE waits for, as a long report does.
func (s *system) block(ctx context.Context, path []string) (func() error, error) {
	conn, err := server.Connect(ctx, s.database)
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, "BEGIN; LOCK TABLE "+pgx.Identifier(path).Sanitize()+" IN ACCESS SHARE MODE", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return func() error { return conn.Close(context.WithoutCancel(ctx)) }, nil
}

// open opens a catalog of the system.
func (s *system) open(t *testing.T, c catalog.Catalog) provision.Provisioner {
	t.Helper()
	p, err := s.Opener.Open(t.Context(), c, s.Secrets)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}
