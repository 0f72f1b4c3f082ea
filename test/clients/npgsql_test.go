package clients

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// withNpgsql sends what Npgsql sends, message by message: there is no .NET here.
func withNpgsql(ctx context.Context, s *side) (string, error) {
	p := &npgsqlProgram{side: s}
	err := p.run(ctx)
	return p.out.String(), err
}

type npgsqlProgram struct {
	*side
	out  bytes.Buffer
	conn *pgconn.HijackedConn
}

func (p *npgsqlProgram) say(thing, format string, args ...any) {
	fmt.Fprintf(&p.out, thing+": "+format+"\n", args...)
}

func (p *npgsqlProgram) run(ctx context.Context) error {
	for _, url := range []string{strings.Replace(p.url(), "verify-full", "disable", 1), strings.Replace(p.url(), "geheim", "wrong", 1)} {
		_, err := p.open(ctx, url)
		e, ok := errors.AsType[*pgconn.PgError](err)
		if ok {
			p.say("connect", "refused with %s", e.Code)
		} else {
			p.say("connect", "refused: %v", err != nil)
		}
	}
	conn, err := p.open(ctx, p.url())
	if err != nil {
		return err
	}
	p.conn = conn
	defer func() { _ = p.conn.Conn.Close() }()
	for _, do := range []func(context.Context) error{p.startup, p.ddl, p.types, p.mistakes, p.notices, p.slow, p.cancel, p.fetch, p.pool} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// startup is what comes between the greeting and the first command, and what a pool sends before the next.
func (p *npgsqlProgram) startup(context.Context) error {
	encrypted, ok := p.conn.Conn.(*tls.Conn)
	if !ok {
		return errors.New("the connection is not encrypted")
	}
	p.say("connect", "%s", tls.VersionName(encrypted.ConnectionState().Version))
	for _, name := range []string{"server_version", "integer_datetimes", "TimeZone", "client_encoding", "standard_conforming_strings"} {
		p.say("connect", "%s = %s", name, p.conn.ParameterStatuses[name])
	}
	a, err := p.do(&pgproto3.Query{String: npgsqlTypes})
	if err != nil {
		return err
	}
	var all bytes.Buffer
	unknown := false
	for _, row := range a.rows[1:] {
		fmt.Fprintf(&all, "%s\n", bytes.Join(row, []byte(" ")))
		unknown = unknown || len(row) > 2 && string(row[2]) == "unknown"
	}
	p.say("connect", "%s, %d rows of types, unknown among them: %v, %.20s…", a.kinds, len(a.rows)-1, unknown, &all)
	// The reset goes out with the command that follows it.
	if a, err = p.do(&pgproto3.Query{String: "DISCARD ALL"}); err != nil {
		return err
	}
	p.say("connect", "reset %s", a.kinds)
	for _, sql := range []string{
		"SET SESSION AUTHORIZATION DEFAULT", "RESET ALL", "CLOSE ALL", "UNLISTEN *", "SELECT pg_advisory_unlock_all()", "DISCARD SEQUENCES", "DISCARD TEMP",
	} {
		p.conn.Frontend.Send(&pgproto3.Query{String: sql})
	}
	for range 7 {
		if a, err = p.do(); err != nil {
			return err
		}
		p.say("connect", "reset by parts %s", a.kinds)
	}
	return nil
}

func (p *npgsqlProgram) ddl(context.Context) error {
	schema := fmt.Sprintf(`"pg.%s"`, p.client)
	for _, sql := range []string{
		"CREATE TABLE " + schema + ".item (id bigint PRIMARY KEY, name text NOT NULL)",
		"INSERT INTO " + schema + ".item VALUES (1, 'one'), (2, 'ß')",
		"CREATE TABLE " + schema + ".typed (" + definition() + ")",
		"INSERT INTO " + schema + ".typed VALUES (" + values() + ")",
		"BEGIN", "CREATE TABLE " + schema + ".gone (id int)", "ROLLBACK",
		"CREATE TABLE " + schema + ".gone (id int)", "DROP TABLE " + schema + ".gone",
	} {
		a, err := p.do(npgsqlCommand(sql, 1)...)
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		p.say("ddl", "%.12s: %s", sql, a.kinds)
	}
	// DISCARD ALL, a prepared statement and what uses it, in one go.
	p.conn.Frontend.Send(&pgproto3.Query{String: "DISCARD ALL"})
	if a, err := p.do(); err != nil || a.kinds != "CZ" {
		return fmt.Errorf("DISCARD ALL before a command: %s: %w", a.kinds, err)
	}
	a, err := p.do(&pgproto3.Parse{Name: "_p1", Query: "SELECT name FROM " + schema + ".item WHERE id = $1"},
		&pgproto3.Describe{ObjectType: 'S', Name: "_p1"}, &pgproto3.Sync{})
	p.say("ddl", "prepared %s", a.kinds)
	if err != nil {
		return err
	}
	a, err = p.do(&pgproto3.Bind{
		PreparedStatement: "_p1", ParameterFormatCodes: []int16{1}, Parameters: [][]byte{binary.BigEndian.AppendUint64(nil, 2)}, ResultFormatCodes: []int16{1},
	}, &pgproto3.Execute{}, &pgproto3.Sync{})
	p.say("ddl", "executed %s %s", a.kinds, a.rows)
	return err
}

func (p *npgsqlProgram) types(context.Context) error {
	marks := list(func(i int) string { return fmt.Sprintf("$%d::%s", i+1, columns[i].typ) })
	managed := fmt.Sprintf(`SELECT * FROM "pg.%s".typed WHERE id = `, p.client)
	for _, f := range formats {
		home, err := p.do(npgsqlCommand("SELECT "+literals(), f.code)...)
		if err != nil {
			return err
		}
		var row [][]byte
		for _, sql := range []string{managed + "7", "SELECT " + marks} {
			var params [][]byte
			if row != nil {
				params = row
			}
			a, err := p.do(npgsqlCommand(sql, f.code, params...)...)
			if err != nil {
				return err
			}
			for _, format := range a.formats {
				if format != f.code {
					return fmt.Errorf("%s: described as %v", sql, a.formats)
				}
			}
			if row = a.rows[0]; shown(row) != shown(home.rows[0]) {
				return fmt.Errorf("%s, %s: %s is not %s", f.name, sql, shown(row), shown(home.rows[0]))
			}
		}
		p.say("types", "%s %s", f.name, shown(row))
		args := append([][]byte{[]byte("8")}, row[1:]...)
		if f.code == 1 {
			args[0] = binary.BigEndian.AppendUint32(nil, 9)
		}
		a, err := p.do(npgsqlCommand(fmt.Sprintf(`INSERT INTO "pg.%s".typed VALUES (%s)`, p.client, marks), f.code, args...)...)
		if err != nil {
			return err
		}
		p.say("types", "%s inserted %s", f.name, a.kinds)
	}
	for _, key := range []string{"8", "9"} {
		a, err := p.do(npgsqlCommand(managed+key, 0)...)
		if err != nil {
			return err
		}
		p.say("types", "%s", shown(a.rows[0]))
	}
	return nil
}

func shown(row [][]byte) string {
	parts := make([]string, len(row))
	for i, v := range row {
		parts[i] = hex.EncodeToString(v)
	}
	return strings.Join(parts, " ")
}

func (p *npgsqlProgram) mistakes(context.Context) error {
	for _, sql := range mistakenStatements(p.client) {
		a, err := p.ask(nil, npgsqlCommand(sql, 1)...)
		if err != nil || a.err == nil {
			return fmt.Errorf("%s: %s, %w", sql, a.kinds, err)
		}
		p.say("error", "%s: %s at %d: %s", a.kinds, a.err.Code, a.err.Position, a.err.Message)
	}
	_, err := p.do(npgsqlCommand("SELECT 1", 1)...)
	return err
}

func (p *npgsqlProgram) notices(ctx context.Context) error {
	release, err := lockKeyOf(ctx, p.side)
	if err != nil {
		return err
	}
	a, err := p.ask(release, &pgproto3.Query{String: noticeAndLock(p.client)})
	p.say("notice", "%q", a.notices)
	return err
}

func (p *npgsqlProgram) cancel(context.Context) error {
	a, err := p.ask(p.stop, npgsqlCommand(noticeAndSleep, 1)...)
	if err != nil || a.err == nil {
		return fmt.Errorf("a cancelled statement: %s, %w", a.kinds, err)
	}
	p.say("cancel", "%s %s", a.kinds, a.err.Code)
	_, err = p.do(npgsqlCommand("SELECT 1", 1)...)
	return err
}

func (p *npgsqlProgram) slow(ctx context.Context) error {
	if p.name != "gateway" {
		return nil
	}
	if _, err := p.do(npgsqlCommand(fmt.Sprintf(`CREATE TABLE "slow.%s".parent (id int PRIMARY KEY)`, p.client), 1)...); err != nil {
		return err
	}
	release, err := lockParent(ctx, p.client)
	if err != nil {
		return err
	}
	a, err := p.ask(release, npgsqlCommand(child(p.client), 1)...)
	if err != nil || a.err != nil || len(a.notices) == 0 {
		return fmt.Errorf("a slow statement: %s, %w", a.kinds, err)
	}
	p.say("gateway notice", "started, then the end")
	if _, err := p.do(npgsqlCommand(fmt.Sprintf(`DROP TABLE "slow.%s".child`, p.client), 1)...); err != nil {
		return err
	}
	if release, err = lockParent(ctx, p.client); err != nil {
		return err
	}
	a, err = p.ask(p.stop, npgsqlCommand(child(p.client), 1)...)
	if err != nil || a.err == nil {
		return fmt.Errorf("a cancelled job: %s, %w", a.kinds, err)
	}
	p.say("gateway cancel", "%s %s", a.kinds, a.err.Code)
	return release()
}

// fetch goes on with a portal three times, another statement between.
func (p *npgsqlProgram) fetch(context.Context) error {
	for _, sql := range []string{`SELECT id FROM "pg.shared".big`, "SELECT i FROM generate_series(1, 2500) i"} {
		messages := []pgproto3.FrontendMessage{
			&pgproto3.Parse{Query: sql}, &pgproto3.Bind{DestinationPortal: "few", ResultFormatCodes: []int16{1}},
			&pgproto3.Describe{ObjectType: 'P', Name: "few"}, &pgproto3.Execute{Portal: "few", MaxRows: 1000},
			&pgproto3.Parse{Query: "SELECT 1"}, &pgproto3.Bind{}, &pgproto3.Execute{},
			&pgproto3.Execute{Portal: "few", MaxRows: 1000}, &pgproto3.Execute{Portal: "few", MaxRows: 1000}, &pgproto3.Sync{},
		}
		a, err := p.do(messages...)
		p.say("fetch", "%s, %d rows", a.kinds, len(a.rows))
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *npgsqlProgram) pool(ctx context.Context) error {
	sum, err := together(func(arrive func()) (int, error) {
		own := npgsqlProgram{side: p.side}
		var err error
		if own.conn, err = own.open(ctx, p.url()); err != nil {
			return 0, err
		}
		defer func() { _ = own.conn.Conn.Close() }()
		if _, err := own.do(&pgproto3.Query{String: "DISCARD ALL"}); err != nil {
			return 0, err
		}
		arrive()
		a, err := own.do(npgsqlCommand(fmt.Sprintf(`SELECT sum(id)::int + 1 FROM "pg.%s".item WHERE id <= 2`, p.client), 1)...)
		if err != nil {
			return 0, err
		}
		return int(binary.BigEndian.Uint32(a.rows[0][0])), nil
	})
	p.say("pool", "%d connections, %d", poolSize, sum)
	return err
}
