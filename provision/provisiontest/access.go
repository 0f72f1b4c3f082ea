package provisiontest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

func testDenied(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	r.Identity = b.mustCreate(r).Identity
	p, err := b.Opener.Open(b.ctx(), *b.Denied, b.Secrets)
	if err != nil {
		t.Fatalf("open: %v", describe(err))
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	_, err = p.Create(b.ctx(), b.resource("other", column("n", "integer")), provision.Call{})
	b.mustFail("create without the right", err, sqlerr.InsufficientPrivilege)
	b.mustFail("delete without the right", p.Delete(b.ctx(), r, provision.Call{}), sqlerr.InsufficientPrivilege)
	_, err = p.Create(b.ctx(), b.schemaResource("fresh"), provision.Call{})
	b.mustFail("create schema without the right", err, sqlerr.InsufficientPrivilege)
	if seen := b.mustObserve(r); seen.Identity != r.Identity {
		t.Fatalf("the table is %+v", seen)
	}
}

func testDownAndUp(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	if err := b.Down(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.ctx(), 3*time.Second)
	defer cancel()
	unreachable := []string{sqlerr.IOError, sqlerr.FDWUnableToEstablish}
	_, err := b.Create(ctx, r, provision.Call{})
	b.mustFail("create while the system is down", err, unreachable...)
	if !provision.Retryable(err) {
		t.Fatalf("error %v is not retryable", err)
	}
	_, err = b.Observe(ctx, r)
	b.mustFail("observe while the system is down", err, unreachable...)
	b.mustFail("delete while the system is down", b.Delete(ctx, r, provision.Call{}), unreachable...)
	_, err = b.Opener.Open(ctx, b.Catalog, b.Secrets)
	b.mustFail("open while the system is down", err, unreachable...)
	if err := b.Up(); err != nil {
		t.Fatal(err)
	}
	b.mustBeAbsent(r)
	b.mustCreate(r)
}

func testBroken(t *testing.T, c Config) {
	s := c.New(t)
	for _, broken := range s.Broken {
		ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
		_, err := s.Opener.Open(ctx, broken, s.Secrets)
		cancel()
		checkError(t, "open "+broken.Name, s.Secret, err, sqlerr.FDWUnableToEstablish)
	}
}

func testCheck(t *testing.T, c Config) {
	b := open(t, c)
	r := b.orders()
	if err := b.Opener.Check(b.Catalog, r); err != nil {
		t.Fatalf("check of a good table: %v", describe(err))
	}
	if err := b.Opener.Check(b.Catalog, plan.Resource{Kind: plan.CatalogKind}); err != nil {
		t.Fatalf("check of a good catalog: %v", describe(err))
	}
	r.Table.Options = catalog.Options{{Name: "no_such_option", Value: "1"}}
	b.mustFail("check of an unknown option", b.Opener.Check(b.Catalog, r), sqlerr.InvalidParameterValue)
	_, err := b.Create(b.ctx(), r, provision.Call{})
	b.mustFail("create with an unknown option", err, sqlerr.InvalidParameterValue)
	unknown := b.Catalog
	unknown.Options = append(slices.Clip(unknown.Options), catalog.Option{Name: "no_such_option", Value: "1"})
	b.mustFail("check of an unknown catalog option", b.Opener.Check(unknown, plan.Resource{Kind: plan.CatalogKind}), sqlerr.InvalidParameterValue)
	_, err = b.Opener.Open(b.ctx(), unknown, b.Secrets)
	b.mustFail("open with an unknown option", err, sqlerr.InvalidParameterValue)
	misplaced := b.orders()
	misplaced.Path = []string{"a", "b", "c"}
	b.mustFail("check of a path that is too long", b.Opener.Check(b.Catalog, misplaced), sqlerr.InvalidParameterValue)
	for _, spec := range b.Opener.Options().Catalog {
		if spec.Name == "" || spec.Description == "" || spec.Type == "" {
			t.Fatalf("option %+v is not described", spec)
		}
	}
}

func testDescribe(t *testing.T, c Config) {
	b := open(t, c)
	b.mustCreate(b.orders())
	d, ok := b.Provisioner.(provision.Describer)
	if !ok {
		t.Fatalf("%T describes nothing", b.Provisioner)
	}
	schemas, err := d.Schemas(b.ctx())
	if err != nil || !contains(schemas, b.schema) {
		t.Fatalf("schemas are %v, %v; %q is among them", schemas, err, b.schema)
	}
	tables, err := d.Tables(b.ctx(), b.schema)
	if err != nil || len(tables) != 1 || tables[0] != "orders" {
		t.Fatalf("tables are %v, %v", tables, err)
	}
	version, err := d.Version(b.ctx())
	if err != nil || version == "" {
		t.Fatalf("version is %q, %v", version, err)
	}
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

func testTwoOpeners(t *testing.T, c Config) {
	b := open(t, c)
	other := b.reopen()
	r := b.orders()
	made := b.mustCreate(r)
	seen, err := other.Observe(b.ctx(), r)
	if err != nil || seen.Identity != made.Identity {
		t.Fatalf("the other sees %+v, %v", seen, err)
	}
	b.mustWrite(r, r.Table.Columns, [][][]byte{row("1", "a")})
	if _, err := other.(provision.Writer).Write(b.ctx(), r, r.Table.Columns, [][][]byte{row("2", "b")}); err != nil {
		t.Fatalf("the other writes: %v", describe(err))
	}
	want := rowsOf([][][]byte{row("1", "a"), row("2", "b")})
	b.sameRows("both wrote", want, b.scan(provision.ScanRequest{Resource: r, Columns: r.Table.Columns}))
	if err := other.Delete(b.ctx(), r, provision.Call{}); err != nil {
		t.Fatalf("the other deletes: %v", describe(err))
	}
	b.mustBeAbsent(r)
}
