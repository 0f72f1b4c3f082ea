package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/home/hometest"
)

// secured starts a gateway with TLS and rules of its own.
func secured(t *testing.T, a *authority, rules ...string) *gateway {
	t.Helper()
	a.issue(t, "server", 2)
	g := newGateway(hometest.Dir(t))
	g.args = []string{"--config", writeConfig(t, a, "server", rules)}
	startAndStop(t, g)
	return g
}

// writeConfig writes the configuration of a gateway with TLS; it replaces the one of an earlier call.
func writeConfig(t *testing.T, a *authority, server string, rules []string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "tls: {cert_file: %s, key_file: %s, client_ca_file: %s}\nauth:\n  rules:\n",
		a.file(server+".crt"), a.file(server+".key"), a.file("ca.crt"))
	for _, rule := range rules {
		fmt.Fprintf(&b, "    - %s\n", rule)
	}
	path := a.file("tablewright.yaml")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func startAndStop(t *testing.T, g *gateway) {
	t.Helper()
	if err := g.start(); err != nil {
		t.Fatalf("%v\n%s", err, g.output())
	}
	t.Cleanup(func() {
		if err := g.stop(syscall.SIGTERM); err != nil {
			t.Errorf("%v\n%s", err, g.output())
		}
	})
}

// asSuperuser runs statements through the socket of the embedded home database.
func (g *gateway) asSuperuser(t *testing.T, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), fmt.Sprintf("host=%s user=tablewright dbname=tablewright", filepath.Join(g.dir, "run")))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}

// libpq comes in by psql with a connection string and returns who it is then, or what psql printed.
func libpq(t *testing.T, conninfo string) string {
	t.Helper()
	cmd := exec.Command("psql", "-X", "-Atc", "select session_user || ' ' || current_setting('is_superuser')", conninfo)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "PGCONNECT_TIMEOUT=10", "HOME=/nonexistent"}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestWaysIn(t *testing.T) {
	t.Parallel()
	a, stranger := newAuthority(t), newAuthority(t)
	g := secured(t, a,
		"hostssl all admin 127.0.0.1 trust",
		"hostnossl all all all reject",
		"hostssl all cara 127.0.0.1/32 cert",
		"hostssl all dora all scram-sha-256 clientcert=verify-full",
		"hostssl all +staff all reject",
		"hostssl tablewright,lake,postgres all all scram-sha-256",
	)
	a.issue(t, "cara", 3)
	a.issue(t, "dora", 4)
	stranger.issue(t, "cara", 5)
	g.asSuperuser(t,
		"create role alice login password 'gehe im'", "create role ünïcode login password 'pä\u00a0ss'",
		"create role cara login", "create role dora login password 'd'", "create role nopass login",
		"create role expired login password 'x' valid until '2001-01-01'", "create role later login password 'x' valid until '2999-01-01'",
		"create role nologin password 'x'", "create role limited login password 'x' connection limit 0",
		"create role boss login superuser password 'x'", "create role staff", "create role eve login password 'x' in role staff",
		"set password_encryption = md5", "create role old login password 'x'",
	)
	base := fmt.Sprintf("host=127.0.0.1 port=%d sslmode=verify-full sslrootcert=%s ", g.port, a.file("ca.crt"))
	cert := func(a *authority, name string) string {
		return fmt.Sprintf("sslcert=%s sslkey=%s ", a.file(name+".crt"), a.file(name+".key"))
	}
	failed := func(user string) string {
		return fmt.Sprintf(`FATAL:  password authentication failed for user "%s"`, user)
	}
	for _, c := range []struct{ name, conninfo, want string }{
		{"password", "dbname=tablewright user=alice password='gehe im'", "alice off"},
		{"channel binding", "dbname=tablewright user=alice password='gehe im' channel_binding=require", "alice off"},
		{"without channel binding", "dbname=tablewright user=alice password='gehe im' channel_binding=disable", "alice off"},
		{"SASLprep", "dbname=tablewright user=ünïcode password='pä ss'", "ünïcode off"},
		{"valid until later", "dbname=postgres user=later password=x", "later off"},
		{"wrong password", "dbname=tablewright user=alice password=y", failed("alice")},
		{"no such role", "dbname=tablewright user=nobody_here password=y", failed("nobody_here")},
		{"role without password", "dbname=tablewright user=nopass password=y", failed("nopass")},
		{"md5 password", "dbname=tablewright user=old password=x", failed("old")},
		{"expired", "dbname=tablewright user=expired password=x", failed("expired")},
		{"nologin", "dbname=tablewright user=nologin password=x", `FATAL:  role "nologin" is not permitted to log in`},
		{"connection limit", "dbname=tablewright user=limited password=x", `FATAL:  too many connections for role "limited"`},
		{"superuser", "dbname=tablewright user=boss password=x", `FATAL:  role "boss" is not permitted to log in`},
		{"gateway's role", "dbname=tablewright user=tablewright password=x", failed("tablewright")},
		{"PostgreSQL's role", "dbname=tablewright user=pg_monitor password=x", failed("pg_monitor")},
		{"other database", "dbname=lake user=alice password='gehe im'", `FATAL:  database "lake" does not exist`},
		{"no rule", "dbname=elsewhere user=alice password='gehe im'", `FATAL:  no pg_hba.conf entry for host "127.0.0.1", user "alice", database "elsewhere", SSL encryption`},
		{"rejected in clear", "dbname=tablewright user=alice password='gehe im' sslmode=disable", `FATAL:  pg_hba.conf rejects connection for host "127.0.0.1", user "alice", database "tablewright", no encryption`},
		{"rejected group", "dbname=tablewright user=eve password=x", `FATAL:  pg_hba.conf rejects connection for host "127.0.0.1", user "eve", database "tablewright", SSL encryption`},
		{"certificate", "dbname=tablewright user=cara " + cert(a, "cara"), "cara off"},
		{"no certificate", "dbname=tablewright user=cara", "FATAL:  connection requires a valid client certificate"},
		{"somebody else's certificate", "dbname=tablewright user=cara " + cert(a, "dora"), `FATAL:  certificate authentication failed for user "cara"`},
		{"certificate of a stranger", "dbname=tablewright user=cara " + cert(stranger, "cara"), "alert"},
		{"certificate and password", "dbname=tablewright user=dora password=d " + cert(a, "dora"), "dora off"},
		{"password without certificate", "dbname=tablewright user=dora password=d", "FATAL:  connection requires a valid client certificate"},
		{"wrong password with certificate", "dbname=tablewright user=dora password=e " + cert(a, "dora"), failed("dora")},
		{"server of another authority", "dbname=tablewright user=alice password='gehe im' sslrootcert=" + stranger.file("ca.crt"), "certificate verify failed"},
		{"encryption asked for both ways", "dbname=tablewright user=alice password='gehe im' gssencmode=prefer", "alice off"},
	} {
		if got := libpq(t, base+c.conninfo); got != c.want && (strings.HasSuffix(c.want, "off") || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %s\nwant %s", c.name, got, c.want)
		}
	}
	for _, extra := range []string{"", "sslnegotiation=direct ", "channel_binding=require ", "sslnegotiation=direct channel_binding=require "} {
		conn, err := pgx.Connect(t.Context(), base+extra+"dbname=tablewright user=alice password='gehe im'")
		if err != nil {
			t.Errorf("pgx with %q: %v", extra, err)
			continue
		}
		var user string
		if err := conn.QueryRow(t.Context(), "select current_user").Scan(&user); err != nil || user != "alice" {
			t.Errorf("pgx with %q: %q, %v", extra, user, err)
		}
		conn.Close(t.Context())
	}
	if log := g.output(); strings.Contains(log, "gehe im") {
		t.Error("a password is in the log")
	}
}

// Drivers of other languages, with what each can do.
func TestWaysInByJDBC(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	g := secured(t, a, "hostssl all cara all cert", "hostssl all all all scram-sha-256")
	a.issue(t, "cara", 3)
	g.asSuperuser(t, "create role alice login password 'geheim'", "create role cara login")
	url := fmt.Sprintf("jdbc:postgresql://127.0.0.1:%d/tablewright?sslmode=verify-full&sslrootcert=%s", g.port, a.file("ca.crt"))
	for _, jar := range jars(t) {
		cases := map[string]string{
			"&user=alice&password=geheim": "alice",
			"&user=alice&password=wrong":  "28P01",
			"&user=cara&sslcert=" + a.file("cara.crt") + "&sslkey=" + a.file("cara.pk8"): "cara",
		}
		if strings.Contains(jar, "42.7") {
			cases["&user=alice&password=geheim&channelBinding=require"] = "alice"
			cases["&user=alice&password=geheim&sslNegotiation=direct&channelBinding=require"] = "alice"
		}
		for params, want := range cases {
			out, err := exec.Command("java", "-cp", jar, filepath.Join("testdata", "jdbc", "WhoAmI.java"), url+params).CombinedOutput()
			if got := strings.TrimSpace(string(out)); got != want {
				t.Errorf("%s %s: got %s, %v, want %s", filepath.Base(jar), params, got, err, want)
			}
		}
	}
}

// SIGHUP reads rules and certificates again; what is wrong changes nothing, and sessions go on.
func TestReload(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	g := secured(t, a, "host all all 127.0.0.1 scram-sha-256")
	g.asSuperuser(t, "create role alice login password 'x'")
	base := fmt.Sprintf("host=127.0.0.1 port=%d dbname=tablewright user=alice password=x ", g.port)
	kept, err := pgx.Connect(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close(context.Background())
	reload := func(config, said string) {
		t.Helper()
		before := strings.Count(g.output(), said)
		if config != "" {
			writeConfig(t, a, "server", []string{config})
		}
		if err := g.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); strings.Count(g.output(), said) == before; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("nothing said %q\n%s", said, g.output())
			}
		}
	}
	reload("hostssl all all all scram-sha-256", "read again")
	if got := libpq(t, base+"sslmode=disable"); !strings.Contains(got, "no pg_hba.conf entry") {
		t.Errorf("the new rules are not held: %s", got)
	}
	reload("hostssl all all all ident", "not read again")
	reload("host all all all trust", "not read again")
	if got := libpq(t, base+"sslmode=require"); got != "alice off" {
		t.Errorf("a bad configuration has changed the rules: %s", got)
	}
	writeConfig(t, a, "server", []string{"hostssl all all all scram-sha-256"})
	certificate, err := os.ReadFile(a.file("server.crt"))
	if err != nil {
		t.Fatal(err)
	}
	other := newAuthority(t)
	other.issue(t, "server", 9)
	for _, name := range []string{"server.crt", "server.key", "ca.crt"} {
		data, err := os.ReadFile(other.file(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(a.file(name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := os.ReadFile(a.file("server.crt")); err != nil || bytes.Equal(now, certificate) {
		t.Fatal("the certificate was not replaced")
	}
	reload("", "files read again")
	if got := libpq(t, base+"sslmode=verify-full sslrootcert="+other.file("ca.crt")); got != "alice off" {
		t.Errorf("the new certificate is not used: %s", got)
	}
	if _, err := kept.Exec(t.Context(), "select 1"); err != nil {
		t.Errorf("a session did not outlive the reloads: %v", err)
	}
}

// What would let anybody in is refused at start.
func TestUnsafeStart(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.issue(t, "server", 2)
	for _, c := range []struct {
		config, want string
		args         []string
	}{
		{"{}", "needs TLS and a rule", []string{"--listen", "0.0.0.0:0"}},
		{"auth: {rules: [host all all all scram-sha-256]}", "needs TLS and a rule", []string{"--listen", "0.0.0.0:0"}},
		{"auth: {rules: [host all all all trust]}", "trusts clients of other hosts", nil},
		{"auth: {rules: [host all all 0.0.0.0/0 trust]}", "trusts clients of other hosts", nil},
		{"auth: {rules: [host all all 127.0.0.0/1 trust]}", "trusts clients of other hosts", nil},
		{"auth: {rules: [hostssl all all all scram-sha-256]}", "needs TLS", nil},
		{"auth: {rules: [host all all all md5]}", "md5", nil},
		{"auth: {rules: [local all all all trust]}", "hostssl", nil},
		{"auth: {rules: [host all all example.com reject]}", "example.com", nil},
		{"auth: {rules: [host all all all cert]}", "hostssl only", nil},
		{"auth: {rules: [host all all]}", "TYPE DATABASE USER", nil},
		{fmt.Sprintf("tls: {cert_file: %s, key_file: %s}\nauth: {rules: [hostssl all all all cert]}", a.file("server.crt"), a.file("server.key")), "client_ca_file", nil},
		{"tls: {cert_file: /nowhere, key_file: /nowhere}", "/nowhere", nil},
	} {
		path := filepath.Join(t.TempDir(), "tablewright.yaml")
		if err := os.WriteFile(path, []byte(c.config), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		out, err := exec.CommandContext(ctx, binary(), append([]string{"serve", "--data-dir", t.TempDir(), "--config", path}, c.args...)...).CombinedOutput()
		cancel()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), c.want) {
			t.Errorf("%s %v: %v, want an error that names %q\n%s", c.config, c.args, err, c.want, out)
		}
	}
}

// An external home database may ask each role for its own password: the gateway proves it with what the
// client's proof revealed, and never learns the password.
func TestPasswordsOfExternalHome(t *testing.T) {
	t.Parallel()
	socket := hometest.Bare(t)
	hometest.RunSetup(t, socket)
	super, err := pgx.Connect(t.Context(), hometest.DSN(socket, "tablewright", hometest.ExternalDatabase))
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(context.Background())
	for _, sql := range []string{
		"create role alice login password 'geheim'",
		"create role pwless login",
		// From here on the socket itself asks for passwords, but of the gateway's role and the superuser.
		"copy (select unnest(array['local all tablewright trust', 'local all " + hometest.ExternalOwner + " trust', 'local all all scram-sha-256'])) to '" + hba(t, super) + "'",
		"select pg_reload_conf()",
	} {
		if _, err := super.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	g := newGateway(hometest.Dir(t))
	path := filepath.Join(t.TempDir(), "tablewright.yaml")
	if err := os.WriteFile(path, []byte("auth: {rules: [host all pwless 127.0.0.1 trust, host all all all scram-sha-256]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.args = []string{"--home-dsn", hometest.DSN(socket, hometest.ExternalOwner, hometest.ExternalDatabase), "--config", path}
	startAndStop(t, g)
	base := fmt.Sprintf("host=127.0.0.1 port=%d dbname=postgres sslmode=prefer ", g.port)
	if got := libpq(t, base+"user=alice password=geheim"); got != "alice off" {
		t.Errorf("alice: %s", got)
	}
	if got := libpq(t, base+"user=alice password=falsch"); !strings.Contains(got, "password authentication failed") {
		t.Errorf("alice with a wrong password: %s", got)
	}
	conn, err := pgx.Connect(t.Context(), base+"user=pwless")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "select 1")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "28P01" {
		t.Errorf("a role without a password at home: %v, want 28P01", err)
	}
}

func hba(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	var path string
	if err := conn.QueryRow(t.Context(), "show hba_file").Scan(&path); err != nil {
		t.Fatal(err)
	}
	return path
}
