package clients

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/lib/pq"
)

// withPQ is lib/pq's program, by database/sql.
func withPQ(ctx context.Context, s *side) (string, error) {
	p := &pqProgram{side: s, seen: func(*pq.Error) {}}
	err := p.run(ctx)
	return p.out.String(), err
}

type pqProgram struct {
	*side
	transcript
	conn *sql.Conn
	seen func(*pq.Error) // is called with each notice
}

// open makes a database handle whose connections tell of notices.
func (p *pqProgram) open(url string) (*sql.DB, error) {
	connector, err := pq.NewConnector(url)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(pq.ConnectorWithNoticeHandler(connector, func(n *pq.Error) { p.seen(n) })), nil
}

func (p *pqProgram) run(ctx context.Context) error {
	db, err := p.open(p.url())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if p.conn, err = db.Conn(ctx); err != nil {
		return err
	}
	defer func() { _ = p.conn.Close() }()
	for _, do := range []func(context.Context) error{
		p.waysIn, p.ddl, p.types, p.mistakes, p.notices, p.slow, p.cancel, p.fetch, p.pool,
	} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *pqProgram) waysIn(ctx context.Context) error {
	var who string
	if err := p.conn.QueryRowContext(ctx, "SELECT session_user").Scan(&who); err != nil {
		return err
	}
	p.say("connect", "%s, verified", who)
	for _, c := range []struct{ name, url string }{
		{"sslmode", strings.Replace(p.url(), "verify-full", "disable", 1)},
		{"password", strings.Replace(p.url(), "geheim", "wrong", 1)},
	} {
		db, err := p.open(c.url)
		if err != nil {
			return err
		}
		e, ok := errors.AsType[*pq.Error](db.PingContext(ctx))
		if !ok {
			return fmt.Errorf("another %s is taken", c.name)
		}
		p.say("connect", "with another %s: %s", c.name, e.Code)
		if err := db.Close(); err != nil {
			return err
		}
	}
	return p.conn.PingContext(ctx)
}

func (p *pqProgram) exec(ctx context.Context, statements ...string) error {
	for _, text := range statements {
		if _, err := p.conn.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}

func (p *pqProgram) ddl(ctx context.Context) error {
	err := p.exec(ctx,
		"SET statement_timeout = '60s'",
		fmt.Sprintf(`CREATE TABLE "pg.%s".item (id bigint PRIMARY KEY, name text NOT NULL)`, p.client),
		fmt.Sprintf(`CREATE TABLE "pg.%s".typed (%s)`, p.client, definition()),
		fmt.Sprintf(`INSERT INTO "pg.%s".typed VALUES (%s)`, p.client, values()),
		fmt.Sprintf(`CREATE TABLE "pg.%[1]s".gone (id int); DROP TABLE "pg.%[1]s".gone`, p.client),
	)
	if err != nil {
		return err
	}
	result, err := p.conn.ExecContext(ctx, fmt.Sprintf(`INSERT INTO "pg.%s".item VALUES ($1, $2), ($3, $4)`, p.client), 1, "one", 2, "ß")
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	p.say("ddl", "inserted %d", n)
	for _, end := range []func(*sql.Tx) error{(*sql.Tx).Rollback, (*sql.Tx).Commit} {
		tx, err := p.conn.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, fmt.Sprintf(`CREATE TABLE "pg.%s".gone (id int)`, p.client)); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if err := end(tx); err != nil {
			return err
		}
	}
	return errors.Join(err, p.exec(ctx, fmt.Sprintf(`DROP TABLE "pg.%s".gone`, p.client)))
}

// types reads and writes by text, and by what lib/pq calls binary parameters: []byte is sent in binary, and
// what it can read in binary comes so.
func (p *pqProgram) types(ctx context.Context) error {
	marks := list(func(i int) string { return fmt.Sprintf("$%d::%s", i+1, columns[i].typ) })
	managed := fmt.Sprintf(`SELECT * FROM "pg.%s".typed WHERE id = $1`, p.client)
	var first []string
	for n, mode := range []string{"", "&binary_parameters=yes"} {
		db, err := p.open(p.url() + mode)
		if err != nil {
			return err
		}
		defer func() { _ = db.Close() }()
		home, err := pqRow(ctx, db, "SELECT "+literals())
		if err != nil {
			return err
		}
		row, err := pqRow(ctx, db, managed, 7)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(written(home), written(row)); diff != "" {
			return fmt.Errorf("home and managed differ: %s", diff)
		}
		if first == nil {
			first = written(row)
			for i, c := range columns {
				p.say("types", "%s %s", c.name, first[i])
			}
		}
		args := make([]any, len(row))
		for i, v := range row {
			// []byte is a value of type bytea for lib/pq; anything else it shows as []byte is text.
			if b, ok := v.([]byte); ok && columns[i].typ != "bytea" {
				v = string(b)
			}
			args[i] = v
		}
		back, err := pqRow(ctx, db, "SELECT "+marks, args...)
		if err != nil {
			return fmt.Errorf("parameters%s: %w", mode, err)
		}
		args[0] = 8 + n
		if _, err := db.ExecContext(ctx, fmt.Sprintf(`INSERT INTO "pg.%s".typed VALUES (%s)`, p.client, marks), args...); err != nil {
			return err
		}
		inserted, err := pqRow(ctx, db, managed, 8+n)
		if err != nil {
			return err
		}
		for what, got := range map[string][]any{"row": row, "parameters": back, "inserted": inserted} {
			if diff := cmp.Diff(first[1:], written(got)[1:]); diff != "" {
				return fmt.Errorf("%s%s: %s", what, mode, diff)
			}
		}
		p.say("types", "same with %q", mode)
	}
	return nil
}

// pqRow is the one row of a query that is prepared and run thrice.
func pqRow(ctx context.Context, db *sql.DB, query string, args ...any) (row []any, err error) {
	stmt, err := db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = stmt.Close() }()
	for range 3 {
		row = make([]any, len(columns))
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		if err := stmt.QueryRowContext(ctx, args...).Scan(into...); err != nil {
			return nil, err
		}
	}
	return row, nil
}

func written(row []any) []string {
	all := make([]string, len(row))
	for i, v := range row {
		if b, ok := v.([]byte); ok {
			v = string(b)
		}
		all[i] = fmt.Sprintf("%#v", v)
	}
	return all
}

func (p *pqProgram) mistakes(ctx context.Context) error {
	for _, text := range mistakenStatements(p.client) {
		_, err := p.conn.ExecContext(ctx, text)
		e, ok := errors.AsType[*pq.Error](err)
		if !ok {
			return fmt.Errorf("%s: %w", text, err)
		}
		p.say("error", "%s at %s: %s", e.Code, e.Position, e.Message)
	}
	return p.conn.PingContext(ctx)
}

// told runs a statement and calls back with its first notice, while it runs.
func (p *pqProgram) told(ctx context.Context, text string, first func() error) (notices []string, err error) {
	var failed error
	p.seen = func(n *pq.Error) {
		if notices = append(notices, n.Severity+" "+n.Message); len(notices) == 1 {
			failed = first()
		}
	}
	defer func() { p.seen = func(*pq.Error) {} }()
	_, err = p.conn.ExecContext(ctx, text)
	if failed != nil {
		return nil, failed
	}
	return notices, err
}

func (p *pqProgram) notices(ctx context.Context) error { return p.sayNotices(ctx, p.side, p.told) }

func (p *pqProgram) slow(ctx context.Context) error {
	if p.name != "gateway" {
		return nil
	}
	release, err := p.sayJobNotices(ctx, p.side, p.told, func(ctx context.Context, sql string) error { return p.exec(ctx, sql) })
	if err != nil {
		return err
	}
	code, err := p.cancelled(ctx, child(p.client))
	p.say("gateway cancel", "%s", code)
	return errors.Join(err, release())
}

// cancelled runs a statement whose context ends with its first notice: lib/pq then sends a CancelRequest and
// gives the connection up, so the statement has one of its own. What the server answers is told.
func (p *pqProgram) cancelled(ctx context.Context, text string) (code string, err error) {
	db, err := p.open(p.url())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	own := *p
	if own.conn, err = db.Conn(ctx); err != nil {
		return "", err
	}
	defer func() { _ = own.conn.Close() }()
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	own.seen, p.seen = nil, func(*pq.Error) { cancel() }
	defer func() { p.seen = func(*pq.Error) {} }()
	_, err = own.conn.ExecContext(within, text)
	if e, ok := errors.AsType[*pq.Error](err); ok {
		return string(e.Code), db.PingContext(ctx)
	}
	return "", fmt.Errorf("a cancelled statement: %w", err)
}

func (p *pqProgram) cancel(ctx context.Context) error {
	code, err := p.cancelled(ctx, noticeAndSleep)
	p.say("cancel", "%s", code)
	return err
}

// fetch reads row by row, and by a cursor of the home database: lib/pq sets no row limit itself.
func (p *pqProgram) fetch(ctx context.Context) error {
	for _, query := range []string{`SELECT id FROM "pg.shared".big WHERE id > $1`, "SELECT i FROM generate_series(1, 2500) i WHERE i > $1"} {
		n, sum, err := p.count(ctx, query, 0)
		if err != nil {
			return err
		}
		p.say("fetch", "%d, %d", n, sum)
	}
	if err := p.exec(ctx, "BEGIN", "DECLARE few CURSOR FOR SELECT i FROM generate_series(1, 2500) i"); err != nil {
		return err
	}
	for {
		n, sum, err := p.count(ctx, "FETCH 1000 FROM few")
		if err != nil {
			return err
		}
		p.say("fetch", "by a cursor %d, %d", n, sum)
		if n == 0 {
			return p.exec(ctx, "COMMIT")
		}
	}
}

func (p *pqProgram) count(ctx context.Context, query string, args ...any) (n, sum int, err error) {
	rows, err := p.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return 0, 0, err
		}
		n, sum = n+1, sum+id
	}
	return n, sum, rows.Err()
}

func (p *pqProgram) pool(ctx context.Context) error {
	db, err := p.open(p.url())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(poolSize)
	db.SetMaxIdleConns(poolSize)
	sum, err := together(func(arrive func()) (n int, err error) {
		conn, err := db.Conn(ctx)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		arrive()
		err = conn.QueryRowContext(ctx, fmt.Sprintf(`SELECT sum(id)::int + 1 FROM "pg.%s".item WHERE id <= $1`, p.client), 2).Scan(&n)
		return n, err
	})
	p.say("pool", "%d connections, %d", db.Stats().OpenConnections, sum)
	return err
}
