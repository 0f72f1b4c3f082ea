package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/postgres"
	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

// BenchmarkCreate compares Create with the same statement sent bare, on a server that waits for its disk.
func BenchmarkCreate(b *testing.B) {
	ctx := b.Context()
	durable, err := pgserver.Start(ctx, "fsync=on", "synchronous_commit=on")
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := durable.Stop(); err != nil {
			b.Error(err)
		}
	}()
	c := catalog.Catalog{Name: "pg", Type: "postgres", Options: catalog.Options{
		{Name: "host", Value: pgserver.Host},
		{Name: "port", Value: fmt.Sprint(durable.Port)},
		{Name: "user", Value: pgserver.Superuser},
		{Name: "password", Value: pgserver.Password},
	}}
	p, err := postgres.New(postgres.Options{}).Open(ctx, c, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	columns := []catalog.Column{{Name: "id", Type: "bigint", NotNull: true}, {Name: "note", Type: "text"}, {Name: "at", Type: "date"}}
	b.Run("provisioner", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			r := plan.Resource{Kind: plan.TableKind, Path: []string{"public", fmt.Sprintf("made_%d_%d", b.N, i)}, Table: catalog.Table{Columns: columns}}
			if _, err := p.Create(ctx, r, provision.Call{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		conn, err := durable.Connect(ctx, "postgres")
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close(ctx)
		for i := 0; b.Loop(); i++ {
			sql := fmt.Sprintf("CREATE TABLE public.bare_%d_%d (id bigint NOT NULL, note text, at date)", b.N, i)
			if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
				b.Fatal(err)
			}
		}
	})
}
