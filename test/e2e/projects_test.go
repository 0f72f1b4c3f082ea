package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// statements are those of a project's file, with @ in place of the schema.
func statements(t *testing.T, file, schema string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "projects", file))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for s := range strings.SplitSeq(regexp.MustCompile(`(?m)^--.*$`).ReplaceAllString(string(text), ""), ";\n") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, strings.ReplaceAll(s, "@", schema))
		}
	}
	return list
}

// shape is what information_schema says of the tables of a schema.
const shape = `select string_agg(table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(character_maximum_length::text, '')
	|| ' ' || coalesce(numeric_precision::text, '') || ',' || coalesce(numeric_scale::text, '') || ' ' || is_nullable
	|| ' ' || coalesce(column_default, '-') || ' ' || is_identity, E'\n' order by table_name, ordinal_position)
	from information_schema.columns where table_schema = `

// constraints are what pg_catalog says of them, without the oids of names that PostgreSQL makes up.
const constraints = `select string_agg(conrelid::regclass::text || ' ' || pg_get_constraintdef(oid), E'\n' order by conrelid::regclass::text, pg_get_constraintdef(oid))
	from pg_constraint where contype <> 'n' and connamespace = `

// Files of real projects, made through the gateway in another PostgreSQL, are what psql makes of them there
// without it.
func TestProjectsOnPostgres(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	direct, err := external.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close(t.Context())
	conn := connect(t, g)
	registerExternal(t, conn)
	for _, project := range []string{"clinic", "telemetry", "ledger"} {
		t.Run(project, func(t *testing.T) {
			if _, err := direct.Exec(t.Context(), "create schema direct_"+project+"; set search_path = direct_"+project); err != nil {
				t.Fatal(err)
			}
			for _, s := range statements(t, project+".sql", "direct_"+project) {
				if _, err := direct.Exec(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
			mustExec(t, conn, "create schema ext."+project)
			for _, s := range statements(t, project+".sql", "ext."+project) {
				mustExec(t, conn, s)
			}
			for _, query := range []string{shape, constraints} {
				got, want := ask(t, direct, query, project), ask(t, direct, query, "direct_"+project)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-made directly +made through the gateway):\n%s", diff)
				}
			}
		})
	}
}

// What the lake cannot hold is told in one clear error a statement; what it can is made.
func TestProjectsOnLake(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	conn := connect(t, g)
	var answers []string
	for _, project := range []string{"clinic", "telemetry", "ledger"} {
		mustExec(t, conn, "create schema lake."+project)
		for _, s := range statements(t, project+".sql", "lake."+project) {
			_, err := conn.Exec(t.Context(), s)
			name := strings.Fields(s)[2]
			if err != nil {
				answers = append(answers, name+": "+err.Error())
				continue
			}
			answers = append(answers, name+": made")
		}
	}
	want := []string{
		`lake.clinic.patient: ERROR: column defaults are not supported by iceberg tables (SQLSTATE 0A000)`,
		`lake.clinic.ward: ERROR: CHECK constraints are not supported by iceberg tables (SQLSTATE 0A000)`,
		`lake.clinic.stay: ERROR: foreign keys are not supported by catalogs of type "iceberg" (SQLSTATE 0A000)`,
		`lake.telemetry.device: made`,
		`lake.telemetry.reading: made`,
		`lake.telemetry.reading_rejected: made`,
		`lake.ledger."Account": ERROR: identity columns are not supported by iceberg tables (SQLSTATE 0A000)`,
		`lake.ledger.entry: ERROR: foreign keys are not supported by catalogs of type "iceberg" (SQLSTATE 0A000)`,
		`lake.ledger.a_name_of_exactly_sixty_three_bytes_as_postgresql_would_take_it: ERROR: column "b" cannot have type interval in an iceberg table (SQLSTATE 42804)`,
	}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
