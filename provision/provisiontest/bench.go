package provisiontest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// callTimeout bounds every call of the suite that is expected to succeed.
const callTimeout = 30 * time.Second

// bench is one system that is opened, with a schema to work in.
type bench struct {
	*testing.T
	*System
	provision.Provisioner
	config Config
	schema string
}

// open starts a system and opens it; the schema is made.
func open(t *testing.T, c Config) *bench {
	t.Helper()
	b := &bench{T: t, System: c.New(t), config: c, schema: "sales"}
	b.Provisioner = b.reopen()
	if _, err := b.Create(b.ctx(), b.schemaResource(b.schema), provision.Call{}); err != nil {
		t.Fatalf("create schema: %v", err)
	}
	return b
}

// reopen opens the system once more, as another process would.
func (b *bench) reopen() provision.Provisioner {
	b.Helper()
	p, err := b.Opener.Open(b.ctx(), b.Catalog, b.Secrets)
	if err != nil {
		b.Fatalf("open: %v", err)
	}
	b.Cleanup(func() {
		if err := p.Close(); err != nil {
			b.Errorf("close: %v", err)
		}
	})
	return p
}

func (b *bench) ctx() context.Context {
	ctx, cancel := context.WithTimeout(b.Context(), callTimeout)
	b.Cleanup(cancel)
	return ctx
}

func (b *bench) schemaResource(schema string) plan.Resource {
	return plan.Resource{
		Kind: plan.SchemaKind, Name: catalog.Name{Catalog: b.Catalog.Name, Schema: schema}, Path: []string{schema},
		JobID: uuid.NewString(),
	}
}

// resource is a table with columns, made by a job of its own.
func (b *bench) resource(table string, columns ...catalog.Column) plan.Resource {
	name := catalog.Name{Catalog: b.Catalog.Name, Schema: b.schema, Table: table}
	return plan.Resource{
		Kind: plan.TableKind, Name: name, Path: name.Path(), JobID: uuid.NewString(),
		Table: catalog.Table{Name: name, Columns: columns},
	}
}

func (b *bench) orders() plan.Resource {
	return b.resource("orders", column("id", "bigint"), column("note", "text"))
}

func column(name, typ string) catalog.Column { return catalog.Column{Name: name, Type: typ} }

func (b *bench) mustCreate(r plan.Resource) provision.Observation {
	b.Helper()
	o, err := b.Create(b.ctx(), r, provision.Call{})
	if err != nil {
		b.Fatalf("create %s: %v", r.Name, describe(err))
	}
	if !o.Exists || o.Identity == "" {
		b.Fatalf("create %s: made, but observed as %+v", r.Name, o)
	}
	return o
}

func (b *bench) mustObserve(r plan.Resource) provision.Observation {
	b.Helper()
	o, err := b.Observe(b.ctx(), r)
	if err != nil {
		b.Fatalf("observe %s: %v", r.Name, describe(err))
	}
	return o
}

func (b *bench) mustBeAbsent(r plan.Resource) {
	b.Helper()
	if o := b.mustObserve(r); o.Exists {
		b.Fatalf("%s exists: %+v", r.Name, o)
	}
}

// mustFail checks that err is an error with one of the codes, in the style that clients are shown.
func (b *bench) mustFail(what string, err error, codes ...string) {
	b.Helper()
	checkError(b.T, what, b.Secret, err, codes...)
}

func checkError(t *testing.T, what, secret string, err error, codes ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("%s: succeeded, want an error with %v", what, codes)
	}
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: %v (%T) is no typed error", what, err, err)
	}
	if !slices.Contains(codes, e.Code) {
		t.Fatalf("%s: %s, want one of %v", what, describe(err), codes)
	}
	first, _ := utf8.DecodeRuneInString(e.Message)
	if e.Message == "" || unicode.IsUpper(first) && !acronym(e.Message) || strings.HasSuffix(e.Message, ".") {
		t.Fatalf("%s: message %q is not in PostgreSQL's style", what, e.Message)
	}
	for cause := err; cause != nil; cause = errors.Unwrap(cause) {
		if secret != "" && strings.Contains(cause.Error(), secret) {
			t.Fatalf("%s: the secret is in an error", what)
		}
	}
	if secret != "" && strings.Contains(e.Detail+e.Hint, secret) {
		t.Fatalf("%s: the secret is in a detail or hint", what)
	}
}

// acronym tells whether a message starts with a word in capitals, such as COPY.
func acronym(message string) bool {
	return len(message) > 1 && unicode.IsUpper(rune(message[1]))
}

func describe(err error) string {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return e.Code + " " + e.Message + " | " + e.Detail + " | " + e.Hint
}

// scan reads a whole table.
func (b *bench) scan(req provision.ScanRequest) [][]*string {
	b.Helper()
	scanner, ok := b.Provisioner.(provision.Scanner)
	if !ok {
		b.Fatalf("%T cannot scan", b.Provisioner)
	}
	ctx := b.ctx()
	rows, err := scanner.Scan(ctx, req)
	if err != nil {
		b.Fatalf("scan %s: %v", req.Resource.Name, describe(err))
	}
	var all [][]*string
	for rows.Next(ctx) {
		all = append(all, texts(rows.Values()))
	}
	if err := rows.Err(); err != nil {
		b.Fatalf("scan %s: %v", req.Resource.Name, describe(err))
	}
	if err := rows.Close(); err != nil {
		b.Fatalf("close scan of %s: %v", req.Resource.Name, describe(err))
	}
	return all
}

func texts(values [][]byte) []*string {
	row := make([]*string, len(values))
	for i, v := range values {
		if v != nil {
			text := string(v)
			row[i] = &text
		}
	}
	return row
}

func (b *bench) mustWrite(r plan.Resource, columns []catalog.Column, rows [][][]byte) {
	b.Helper()
	n, err := b.write(r, columns, rows)
	if err != nil {
		b.Fatalf("write %s: %v", r.Name, describe(err))
	}
	if n != int64(len(rows)) {
		b.Fatalf("write %s: %d rows counted, %d given", r.Name, n, len(rows))
	}
}

func (b *bench) write(r plan.Resource, columns []catalog.Column, rows [][][]byte) (int64, error) {
	b.Helper()
	writer, ok := b.Provisioner.(provision.Writer)
	if !ok {
		b.Fatalf("%T cannot write", b.Provisioner)
	}
	return writer.Write(b.ctx(), r, columns, rows)
}

// row makes one row; "\x00" is NULL.
func row(values ...string) [][]byte {
	r := make([][]byte, len(values))
	for i, v := range values {
		if v != null {
			r[i] = []byte(v)
		}
	}
	return r
}

const null = "\x00"

// sortRows orders rows by their text, so that sets of rows can be compared.
func sortRows(rows [][]*string) [][]*string {
	slices.SortFunc(rows, func(a, b []*string) int { return strings.Compare(rowText(a), rowText(b)) })
	return rows
}

func rowText(r []*string) string {
	var b strings.Builder
	for _, v := range r {
		if v == nil {
			b.WriteString("N|")
			continue
		}
		b.WriteString("V" + *v + "|")
	}
	return b.String()
}

func (b *bench) sameRows(what string, want, got [][]*string) {
	b.Helper()
	if d := cmp.Diff(sortRows(want), sortRows(got)); d != "" {
		b.Fatalf("%s: rows differ (-want +got):\n%s", what, d)
	}
}

func rowsOf(rows [][][]byte) [][]*string {
	all := make([][]*string, len(rows))
	for i, r := range rows {
		all[i] = texts(r)
	}
	return all
}
