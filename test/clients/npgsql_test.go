package clients

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// npgsqlTypes asks what Npgsql asks before its first command, with one Query of four statements: the version,
// all types with what they are made of, the fields of composites, the labels of enums. It reads the same
// catalogues in the same ways, in words of its own.
const npgsqlTypes = `SELECT version();
SELECT n.nspname, t.oid, t.typname, t.kind, t.typnotnull, t.element
FROM (SELECT a.*, e.typname AS element_name, ec.relkind AS element_relkind,
	CASE WHEN ep.proname = 'array_recv' THEN 'a' ELSE e.typtype END AS element_kind
	FROM (SELECT b.oid, b.typname, b.typnamespace, b.typnotnull, c.relkind,
		CASE WHEN p.proname = 'array_recv' THEN 'a' ELSE b.typtype END AS kind,
		CASE WHEN p.proname = 'array_recv' THEN b.typelem WHEN b.typtype = 'r' THEN r.rngsubtype
			WHEN b.typtype = 'm' THEN (SELECT rngtypid FROM pg_range WHERE rngmultitypid = b.oid)
			WHEN b.typtype = 'd' THEN b.typbasetype END AS element
		FROM pg_type AS b LEFT JOIN pg_class AS c ON c.oid = b.typrelid LEFT JOIN pg_proc AS p ON p.oid = b.typreceive
			LEFT JOIN pg_range AS r ON r.rngtypid = b.oid) AS a
	LEFT JOIN pg_type AS e ON e.oid = a.element LEFT JOIN pg_class AS ec ON ec.oid = e.typrelid
	LEFT JOIN pg_proc AS ep ON ep.oid = e.typreceive) AS t
JOIN pg_namespace AS n ON n.oid = t.typnamespace
WHERE n.nspname = 'pg_catalog' AND (kind IN ('b', 'r', 'm', 'e', 'd') OR kind = 'p' AND typname IN ('record', 'void', 'unknown')
	OR kind = 'a' AND element_kind IN ('b', 'r', 'm', 'e', 'd'))
ORDER BY CASE WHEN kind IN ('b', 'e', 'p') THEN 0 WHEN kind = 'r' THEN 1 WHEN kind = 'm' THEN 2 WHEN kind = 'd' AND element_kind <> 'a' THEN 4
	WHEN kind = 'a' THEN 5 ELSE 6 END, t.oid;
-- fields of composites
SELECT t.oid, a.attname, a.atttypid FROM pg_type AS t JOIN pg_class AS c ON c.oid = t.typrelid JOIN pg_attribute AS a ON a.attrelid = t.typrelid
WHERE t.typtype = 'c' AND c.relkind = 'c' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY t.oid, a.attnum;
-- labels of enums
SELECT t.oid, enumlabel FROM pg_enum JOIN pg_type AS t ON t.oid = enumtypid ORDER BY t.oid, enumsortorder;
`

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

// open connects with the settings of Npgsql's startup packet.
func (p *npgsqlProgram) open(ctx context.Context, url string) (*pgconn.HijackedConn, error) {
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams = map[string]string{"client_encoding": "UTF8", "application_name": "npgsql"}
	config.ChannelBinding = "require"
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return conn.Hijack()
}

// answers are what comes up to ReadyForQuery; first is called with the first notice.
type answers struct {
	kinds   string
	rows    [][][]byte
	formats []int16
	notices []string
	err     *pgproto3.ErrorResponse
}

func (p *npgsqlProgram) ask(first func() error, messages ...pgproto3.FrontendMessage) (a answers, err error) {
	for _, m := range messages {
		p.conn.Frontend.Send(m)
	}
	if err := p.conn.Frontend.Flush(); err != nil {
		return a, err
	}
	for {
		m, err := p.conn.Frontend.Receive()
		if err != nil {
			return a, err
		}
		done, err := a.take(m, first)
		if done || err != nil {
			return a, err
		}
	}
}

func (a *answers) take(m pgproto3.BackendMessage, first func() error) (done bool, err error) {
	switch m := m.(type) {
	case *pgproto3.ReadyForQuery:
		a.kinds += "Z"
		return true, nil
	case *pgproto3.DataRow:
		if !strings.HasSuffix(a.kinds, "D") {
			a.kinds += "D"
		}
		row := make([][]byte, len(m.Values))
		for i, v := range m.Values {
			row[i] = bytes.Clone(v)
		}
		a.rows = append(a.rows, row)
	case *pgproto3.RowDescription:
		a.kinds += "T"
		a.formats = nil
		for _, f := range m.Fields {
			a.formats = append(a.formats, f.Format)
		}
	case *pgproto3.NoticeResponse:
		if a.notices = append(a.notices, m.Severity+" "+m.Message); len(a.notices) == 1 && first != nil {
			return false, first()
		}
	case *pgproto3.ErrorResponse:
		a.kinds += "E"
		a.err = new(*m)
	case *pgproto3.CommandComplete:
		a.kinds += "C"
	case *pgproto3.PortalSuspended:
		a.kinds += "s"
	case *pgproto3.ParseComplete:
		a.kinds += "1"
	case *pgproto3.BindComplete:
		a.kinds += "2"
	case *pgproto3.NoData:
		a.kinds += "n"
	case *pgproto3.ParameterDescription:
		a.kinds += "t"
	}
	return false, nil
}

// npgsqlCommand is one of Npgsql's commands: the unnamed statement, its portal described, all results in one format.
func npgsqlCommand(sql string, format int16, params ...[]byte) []pgproto3.FrontendMessage {
	return []pgproto3.FrontendMessage{
		&pgproto3.Parse{Query: sql},
		&pgproto3.Bind{ParameterFormatCodes: []int16{format}, Parameters: params, ResultFormatCodes: []int16{format}},
		&pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{},
	}
}

// do asks what must succeed.
func (p *npgsqlProgram) do(messages ...pgproto3.FrontendMessage) (answers, error) {
	a, err := p.ask(nil, messages...)
	if err == nil && a.err != nil {
		err = pgconn.ErrorResponseToPgError(a.err)
	}
	return a, err
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

// stop sends a CancelRequest as Npgsql does, on an encrypted connection of its own.
func (p *npgsqlProgram) stop() error {
	raw, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.port))
	if err != nil {
		return err
	}
	defer func() { _ = raw.Close() }()
	if _, err := raw.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}); err != nil {
		return err
	}
	if _, err := io.ReadFull(raw, make([]byte, 1)); err != nil {
		return err
	}
	encrypted := tls.Client(raw, &tls.Config{InsecureSkipVerify: true})
	request, err := (&pgproto3.CancelRequest{ProcessID: p.conn.PID, SecretKey: p.conn.SecretKey}).Encode(nil)
	if err != nil {
		return err
	}
	if _, err := encrypted.Write(request); err != nil {
		return err
	}
	// The server closes and says nothing.
	if n, _ := encrypted.Read(make([]byte, 1)); n != 0 {
		return errors.New("a CancelRequest was answered")
	}
	return nil
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
