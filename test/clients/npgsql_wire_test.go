package clients

import (
	"bytes"
	"context"
	"crypto/tls"
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
