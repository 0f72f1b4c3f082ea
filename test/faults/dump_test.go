package faults

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	_ "github.com/mattn/go-sqlite3" // the lake's catalogue, read without the gateway
)

// structureQuery is what a PostgreSQL holds, a line an object. Places of columns are left out: a column that
// was added and taken away again leaves a gap.
const structureQuery = `
with visible as (
	select c.*, n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
	where n.nspname !~ '^(pg_|information_schema$|tablewright$)' and (n.nspname ~ $1 or n.nspname = 'public' and c.relname ~ $2))
select 'schema ' || nspname || ' oid=' || oid from pg_namespace where nspname !~ '^(pg_|information_schema$|tablewright$)' and nspname ~ $1
union all
select format('relation %s.%s %s oid=%s options=%s comment=%s', nspname, relname, relkind, oid, reloptions, obj_description(oid, 'pg_class'))
from visible where relkind in ('r', 'p', 'v', 'i', 'S')
union all
select format('column %s.%s.%s %s null=%s default=%s identity=%s comment=%s place=%s', v.nspname, v.relname, a.attname, format_type(a.atttypid, a.atttypmod),
	not a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity, col_description(v.oid, a.attnum),
	(select count(*) from pg_attribute b where b.attrelid = v.oid and b.attnum between 1 and a.attnum and not b.attisdropped))
from visible v join pg_attribute a on a.attrelid = v.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = v.oid and d.adnum = a.attnum where v.relkind in ('r', 'p', 'v')
union all
select format('constraint %s.%s.%s %s', v.nspname, v.relname, k.conname, pg_get_constraintdef(k.oid)) from visible v join pg_constraint k on k.conrelid = v.oid
union all
select format('view %s.%s %s', nspname, relname, pg_get_viewdef(oid)) from visible where relkind = 'v'
order by 1`

// registryQuery is what the home database knows of the catalogs of a world.
const registryQuery = `
select format('catalog %s %s generation=%s', c.name, s.srvoptions, c.generation) from tablewright.catalog c
	join pg_foreign_server s on s.oid = c.server where c.name ~ $1
union all
select format('managed schema %s of %s', name, catalog) from tablewright.managed_schema where catalog ~ $1
union all
select format('shadow %s path=%s managed=%s state=%s job=%s identity=%s options=%s partitioning=%s constraints=%s', oid::regclass, path, managed, state,
	job_id, identity, options, partitioning, constraints) from tablewright.relation where catalog ~ $1
order by 1`

// dump is everything that a world consists of: both systems, the lake, home and unfinished jobs.
func (w *world) dump() string {
	w.t.Helper()
	var b strings.Builder
	for i, conn := range w.outside {
		if conn == nil {
			continue
		}
		fmt.Fprintf(&b, "-- system %d\n%s%s", i, w.lines(conn, structureQuery, ".", "."), w.rows(conn, "^s", "^$"))
	}
	fmt.Fprintf(&b, "-- lake\n%s", w.lakeText())
	own := "^" + w.id + `[a-z]\d*(_|$)` // tables and views of the home database, and what belongs to them
	fmt.Fprintf(&b, "-- home\n%s%s", w.lines(w.conn, structureQuery, "^"+w.id+`[abjl](\.|$)`, own), w.rows(w.conn, "^$", own))
	fmt.Fprintf(&b, "%s", w.lines(w.conn, registryQuery, "^"+w.id+"[abjl]$"))
	fmt.Fprintf(&b, "-- unfinished\n%s\n", w.one(unfinishedQuery, w.pattern()))
	return b.String()
}

func (w *world) lines(conn *pgx.Conn, query string, args ...any) string {
	w.t.Helper()
	rows, err := conn.Query(context.Background(), query, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(append(lines, ""), "\n")
}

// rows are the rows of the tables whose schema matches, and of those in public whose name does.
func (w *world) rows(conn *pgx.Conn, schema, name string) string {
	w.t.Helper()
	tables := w.lines(conn, `select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind in ('r', 'p') and (n.nspname ~ $1 or n.nspname = 'public' and c.relname ~ $2) order by 1`, schema, name)
	var b strings.Builder
	for table := range strings.FieldsSeq(tables) {
		b.WriteString(w.lines(conn, "select '"+table+" '||t::text from "+table+" t order by 1"))
	}
	return b.String()
}

// lakeText is what the Iceberg catalogue holds, read from its SQLite file and the files that it names. Of a
// table it is what the current metadata says: an undone change has left a newer file that says the same.
func (w *world) lakeText() string {
	w.t.Helper()
	if _, err := os.Stat(w.lake); err != nil {
		return ""
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(w.lake, "catalog.db")+"?mode=ro&_busy_timeout=5000")
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`select 'namespace ' || namespace || ' ' || property_key, '' from iceberg_namespace_properties
		union all select 'table ' || table_namespace || '.' || table_name, metadata_location from iceberg_tables order by 1`)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var name, location string
		if err := rows.Scan(&name, &location); err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintln(&b, name, w.metadata(location))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return b.String() + w.files()
}

func (w *world) metadata(location string) string {
	if location == "" {
		return ""
	}
	w.t.Helper()
	text, err := os.ReadFile(strings.TrimPrefix(location, "file://"))
	if err != nil {
		w.t.Fatal(err)
	}
	var m struct {
		UUID    string            `json:"table-uuid"`
		Current int               `json:"current-schema-id"`
		Schemas []json.RawMessage `json:"schemas"`
		Props   map[string]string `json:"properties"`
		Shown   int64             `json:"current-snapshot-id"`
		Shots   []struct {
			ID      int64             `json:"snapshot-id"`
			Summary map[string]string `json:"summary"`
		} `json:"snapshots"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		w.t.Fatal(err)
	}
	delete(m.Props, "tablewright.job-id") // of its maker, random
	records := "0"
	for _, shot := range m.Shots {
		if shot.ID == m.Shown {
			records = shot.Summary["total-records"]
		}
	}
	for _, raw := range m.Schemas {
		var s struct {
			ID     int `json:"schema-id"`
			Fields any `json:"fields"`
			Key    any `json:"identifier-field-ids"`
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			w.t.Fatal(err)
		}
		if s.ID == m.Current {
			fields, _ := json.Marshal(s)
			return fmt.Sprint(m.UUID, " ", string(regexp.MustCompile(`"schema-id":\d+`).ReplaceAll(fields, nil)), m.Props, " rows ", records)
		}
	}
	return m.UUID
}

// files are the tables' folders, and what is in them but metadata.
func (w *world) files() string {
	var found []string
	_ = filepath.WalkDir(filepath.Join(w.lake, "warehouse"), func(path string, d fs.DirEntry, err error) error {
		inside := strings.TrimPrefix(path, w.lake)
		if err == nil && !strings.Contains(inside, "/metadata") && !strings.HasSuffix(inside, "/data") {
			found = append(found, "file "+inside)
		}
		return nil
	})
	slices.Sort(found)
	return strings.Join(append(found, ""), "\n")
}

// masks are what differs between two worlds in which the same was done. Identities are compared within one
// world only.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\bw\d+([a-z]*)(\d*)(_|\b)`), "w$1$2$3"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`oid=\d+`), "oid=N"},
	{regexp.MustCompile(`identity=\d+:\d+`), "identity=N"},
	{regexp.MustCompile(`port=\d+`), "port=N"},
	{regexp.MustCompile(`"id":\d+`), `"id":N`}, // Iceberg never uses a column's id again
}

func masked(text string) string {
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	return text
}

// difference shows the lines that only one of two dumps has, or that it has more often.
func difference(want, got string) string {
	missing := map[string]int{}
	for line := range strings.SplitSeq(want, "\n") {
		missing[line]++
	}
	var out []string
	for line := range strings.SplitSeq(got, "\n") {
		if missing[line]--; missing[line] < 0 {
			out = append(out, "+ "+line)
		}
	}
	for line, n := range missing {
		for range n {
			out = append(out, "- "+line)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
