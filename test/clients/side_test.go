package clients

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

// side is what a client's program connects to: the gateway, or PostgreSQL itself.
type side struct {
	name    string // gateway or postgres
	client  string // the client's own schemas are "pg.<client>", "slow.<client>" and home_<client>
	port    int
	behind  int  // of the server behind a pooler, else 0
	limited bool // no state of a session outlives a transaction
}

// columns are all types that drivers of PostgreSQL read and write by themselves.
var columns = []struct{ name, typ, value string }{
	{"id", "int4", "7"},
	{"c_bool", "bool", "true"},
	{"c_int2", "int2", "-32768"},
	{"c_int8", "int8", "-9223372036854775808"},
	{"c_float4", "float4", "1.5"},
	{"c_float8", "float8", "-2.25e+100"},
	{"c_text", "text", "Grüße, 世界 'quoted' \\ back"},
	{"c_varchar", "varchar(20)", "varied"},
	{"c_name", "name", "a_name"},
	{"c_oid", "oid", "4294967295"},
	{"c_bytea", "bytea", `\x00ff10`},
	{"c_uuid", "uuid", "0191c6a4-5d4e-7cc0-8000-0123456789ab"},
	{"c_timestamp", "timestamp", "2026-02-28 23:59:59.123456"},
	{"c_timestamptz", "timestamptz", "2026-02-28 23:59:59.123456+00"},
	{"c_date", "date", "2026-02-28"},
	{"c_time", "time", "23:59:59.999999"},
	{"c_numeric", "numeric(20,5)", "-12345.67890"},
	{"c_json", "json", `{"a":  [1, 2.5, null]}`},
	{"c_jsonb", "jsonb", `{"b": "ß"}`},
	{"c_interval", "interval", "3 days 04:05:06.7"},
	{"c_bools", "bool[]", "{t,NULL,f}"},
	{"c_ints", "int4[]", "{1,NULL,-3}"},
	{"c_bigs", "int8[]", "{1,9223372036854775807}"},
	{"c_floats", "float8[]", "{1.5,-2.25}"},
	{"c_texts", "text[]", `{"a,b",NULL,"","\"q\""}`},
	{"c_uuids", "uuid[]", "{0191c6a4-5d4e-7cc0-8000-0123456789ab}"},
	{"c_times", "timestamptz[]", `{"2026-02-28 23:59:59.123456+00"}`},
	{"c_dates", "date[]", "{2026-02-28}"},
	{"c_numerics", "numeric[]", "{1.50,-2}"},
	{"c_null", "text", ""},
}

// definition is the column list of a table of all types.
func definition() string {
	return list(func(i int) string {
		if i == 0 {
			return "id int4 PRIMARY KEY"
		}
		return columns[i].name + " " + columns[i].typ
	})
}

// values and literals are the values in a query, without and with their names.
func values() string {
	return list(func(i int) string {
		if columns[i].value == "" {
			return "NULL::" + columns[i].typ
		}
		return literal(columns[i].value) + "::" + columns[i].typ
	})
}

func literals() string {
	return "row.* FROM (VALUES (" + values() + ")) row (" + list(func(i int) string { return columns[i].name }) + ")"
}

func types() string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.typ
	}
	return strings.Join(all, ";")
}

func list(item func(i int) string) string {
	items := make([]string, len(columns))
	for i := range columns {
		items[i] = item(i)
	}
	return strings.Join(items, ", ")
}

// gatewaySide and postgresSide make the client's schemas: for managed tables, for those that jobs make, for home's.
func gatewaySide(t *testing.T, client string) *side {
	t.Helper()
	admin, err := asAdmin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	for _, sql := range []string{
		"CREATE SCHEMA pg." + client, fmt.Sprintf(`GRANT ALL ON SCHEMA "pg.%s" TO %s`, client, user),
		"CREATE SCHEMA slow." + client, fmt.Sprintf(`GRANT ALL ON SCHEMA "slow.%s" TO %s`, client, user),
		"CREATE SCHEMA home_" + client, fmt.Sprintf("GRANT ALL ON SCHEMA home_%s TO %s", client, user),
	} {
		if _, err := admin.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	return &side{name: "gateway", client: client, port: gateway.Port}
}

func postgresSide(t *testing.T, client string) *side {
	t.Helper()
	sql := fmt.Sprintf(`CREATE SCHEMA "pg.%[1]s" AUTHORIZATION %[2]s; CREATE SCHEMA home_%[1]s AUTHORIZATION %[2]s`, client, user)
	if err := server.Exec(t.Context(), gatewaytest.Database, sql); err != nil {
		t.Fatal(err)
	}
	return &side{name: "postgres", client: client, port: int(server.Port)}
}

// url is the connection string of the clients that take one.
func (s *side) url() string { return connectionURL(user, password, s.port, gatewaytest.Database) }

// direct is the same without a pooler between.
func (s *side) direct() string {
	if s.behind == 0 {
		return s.url()
	}
	return connectionURL(user, password, s.behind, gatewaytest.Database)
}

func connectionURL(user, password string, port int, database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(user, password), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Path: database, RawQuery: "sslmode=verify-full&sslrootcert=" + authority.File("ca.crt"),
	}
	return u.String()
}

// lockURL leads to the system behind catalog `slow`, where the program holds the lock that makes a job slow.
func lockURL() string {
	return connectionURL(pgserver.Superuser, pgserver.Password, int(server.Port), "slow")
}

// environment is what programs of other languages are told.
func (s *side) environment() []string {
	return append(os.Environ(),
		"SIDE="+s.name, "CLIENT="+s.client, "HOST=127.0.0.1", "PORT="+strconv.Itoa(s.port), "DATABASE="+gatewaytest.Database,
		"LOGIN="+user, "PASSWORD="+password, "CA="+authority.File("ca.crt"), "URL="+s.url(),
		"DIRECT_URL="+s.direct(),
		"LOCK_URL="+lockURL(), "LOCK_PORT="+strconv.Itoa(int(server.Port)), "LOCK_LOGIN="+pgserver.Superuser, "LOCK_PASSWORD="+pgserver.Password,
		"DEFINITION="+definition(), "LITERALS="+literals(), "VALUES="+values(), "TYPES="+types(),
		"TZ=UTC", "PYTHONDONTWRITEBYTECODE=1",
	)
}
