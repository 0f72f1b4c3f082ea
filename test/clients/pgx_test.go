package clients

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// withPgx is pgx's program.
func withPgx(ctx context.Context, s *side) (string, error) {
	p := &pgxProgram{side: s, seen: func(*pgconn.Notice) {}}
	err := p.run(ctx)
	return p.out.String(), err
}

// withoutNames is for poolers of transactions: a statement with a name is the server connection's, and the next
// transaction has another one.
const withoutNames = pgx.QueryExecModeCacheDescribe

type pgxProgram struct {
	*side
	transcript
	conn *pgx.Conn
	seen func(*pgconn.Notice) // is called with each notice
}

func (p *pgxProgram) run(ctx context.Context) error {
	if err := p.waysIn(ctx); err != nil {
		return err
	}
	conn, err := p.connect(ctx, p.url())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	p.conn = conn
	for _, do := range []func(context.Context) error{p.ddl, p.types, p.mistakes, p.notices, p.slow, p.cancel, p.fetch, p.pool} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *pgxProgram) connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { p.seen(n) }
	if p.limited {
		config.DefaultQueryExecMode = withoutNames
	}
	return pgx.ConnectConfig(ctx, config)
}

func (p *pgxProgram) waysIn(ctx context.Context) error {
	conn, err := p.connect(ctx, p.url())
	if err != nil {
		return err
	}
	var who string
	if err := conn.QueryRow(ctx, "SELECT session_user").Scan(&who); err != nil {
		return err
	}
	encrypted, ok := conn.PgConn().Conn().(*tls.Conn)
	if !ok {
		return errors.New("the connection is not encrypted")
	}
	p.say("connect", "%s, %s", who, tls.VersionName(encrypted.ConnectionState().Version))
	if err := conn.Close(ctx); err != nil {
		return err
	}
	for _, c := range []struct{ name, url string }{
		{"sslmode", strings.Replace(p.url(), "verify-full", "disable", 1)},
		{"password", strings.Replace(p.url(), "geheim", "wrong", 1)},
	} {
		_, err := pgx.Connect(ctx, c.url)
		e, ok := errors.AsType[*pgconn.PgError](err)
		if !ok {
			return fmt.Errorf("with another %s: %w", c.name, err)
		}
		p.say("connect", "with another %s: %s", c.name, e.Code)
	}
	return nil
}

// exec runs statements, which must succeed.
func (p *pgxProgram) exec(ctx context.Context, statements ...string) error {
	for _, sql := range statements {
		tag, err := p.conn.Exec(ctx, sql)
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		name, _, _ := strings.Cut(sql, "(")
		p.say("ddl", "%s: %s", strings.TrimSpace(name), tag)
	}
	return nil
}

func (p *pgxProgram) ddl(ctx context.Context) error {
	err := p.exec(ctx,
		fmt.Sprintf(`CREATE TABLE "pg.%s".item (id bigint PRIMARY KEY, name text NOT NULL)`, p.client),
		fmt.Sprintf(`INSERT INTO "pg.%s".item VALUES (1, 'one'), (2, 'ß')`, p.client),
		fmt.Sprintf(`CREATE TABLE "pg.%s".typed (%s)`, p.client, definition()),
		"BEGIN", fmt.Sprintf(`CREATE TABLE "pg.%s".gone (id int)`, p.client), "ROLLBACK",
		"BEGIN", fmt.Sprintf(`CREATE TABLE "pg.%s".gone (id int)`, p.client), "COMMIT",
		fmt.Sprintf(`DROP TABLE "pg.%s".gone`, p.client),
		fmt.Sprintf(`INSERT INTO "pg.%s".typed VALUES (%s)`, p.client, values()),
	)
	if err != nil {
		return err
	}
	// A pipeline is one transaction.
	batch := &pgx.Batch{}
	batch.Queue(fmt.Sprintf(`CREATE TABLE "pg.%s".batched (id int)`, p.client))
	batch.Queue(fmt.Sprintf(`DROP TABLE "pg.%s".batched`, p.client))
	batch.Queue("SELECT 1")
	return p.conn.SendBatch(ctx, batch).Close()
}

func (p *pgxProgram) types(ctx context.Context) error {
	marks := list(func(i int) string { return fmt.Sprintf("$%d::%s", i+1, columns[i].typ) })
	managed := fmt.Sprintf(`SELECT * FROM "pg.%s".typed WHERE id = $1`, p.client)
	for n, f := range formats {
		results := pgx.QueryResultFormats{f.code}
		var row []any
		for range 3 {
			home, err := p.row(ctx, f.code, "SELECT "+literals(), results)
			if err != nil {
				return err
			}
			if row, err = p.row(ctx, f.code, managed, results, 7); err != nil {
				return err
			}
			if diff := cmp.Diff(plain(home), plain(row)); diff != "" {
				return fmt.Errorf("%s: home and managed differ: %s", f.name, diff)
			}
		}
		for i, c := range columns {
			p.say("types", "%s %s %s", f.name, c.name, plain(row)[i])
		}
		back, err := p.row(ctx, f.code, "SELECT "+marks, append([]any{results}, row...)...)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(plain(row), plain(back)); diff != "" {
			return fmt.Errorf("%s: parameters come back otherwise: %s", f.name, diff)
		}
		key := 8 + n
		args := append([]any{key}, row[1:]...)
		if _, err := p.conn.Exec(ctx, fmt.Sprintf(`INSERT INTO "pg.%s".typed VALUES (%s)`, p.client, marks), args...); err != nil {
			return err
		}
		if back, err = p.row(ctx, f.code, managed, results, key); err != nil {
			return err
		}
		if diff := cmp.Diff(plain(row)[1:], plain(back)[1:]); diff != "" {
			return fmt.Errorf("%s: inserted values come back otherwise: %s", f.name, diff)
		}
	}
	return nil
}

// plain writes values so that two can be compared.
func plain(row []any) []string {
	written := make([]string, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case []any:
			written[i] = strings.Join(plain(v), ", ")
		case time.Time:
			written[i] = v.UTC().Format(time.RFC3339Nano)
		case pgtype.Numeric:
			number, err := v.Value()
			written[i] = fmt.Sprint(number, err)
		default:
			written[i] = fmt.Sprintf("%#v", v)
		}
	}
	return written
}

// row is the one row of a query, in the format that was asked for.
func (p *pgxProgram) row(ctx context.Context, format int16, sql string, args ...any) ([]any, error) {
	rows, err := p.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, errors.Join(rows.Err(), fmt.Errorf("no row of %s", sql))
	}
	for _, f := range rows.FieldDescriptions() {
		if f.Format != format {
			return nil, fmt.Errorf("column %s comes in format %d, not %d", f.Name, f.Format, format)
		}
	}
	got, err := rows.Values()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		return nil, fmt.Errorf("more than a row of %s", sql)
	}
	return got, rows.Err()
}

func (p *pgxProgram) mistakes(ctx context.Context) error {
	for _, sql := range mistakenStatements(p.client) {
		for _, mode := range []pgx.QueryExecMode{withoutNames, pgx.QueryExecModeSimpleProtocol} {
			_, err := p.conn.Exec(ctx, sql, mode)
			e, ok := errors.AsType[*pgconn.PgError](err)
			if !ok {
				return fmt.Errorf("%s: %w", sql, err)
			}
			p.say("error", "%s at %d: %s", e.Code, e.Position, e.Message)
		}
	}
	return p.conn.Ping(ctx)
}

// told runs a statement and calls back with its first notice, while it runs.
func (p *pgxProgram) told(ctx context.Context, sql string, first func() error) (notices []string, err error) {
	var failed error
	p.seen = func(n *pgconn.Notice) {
		if notices = append(notices, n.Severity+" "+n.Message); len(notices) == 1 {
			failed = first()
		}
	}
	defer func() { p.seen = func(*pgconn.Notice) {} }()
	_, err = p.conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if failed != nil {
		return nil, failed
	}
	return notices, err
}

func (p *pgxProgram) notices(ctx context.Context) error { return p.sayNotices(ctx, p.side, p.told) }

func (p *pgxProgram) slow(ctx context.Context) error {
	if p.name != "gateway" {
		return nil
	}
	release, err := p.sayJobNotices(ctx, p.side, p.told, func(ctx context.Context, sql string) error {
		_, err := p.conn.Exec(ctx, sql)
		return err
	})
	if err != nil {
		return err
	}
	err = p.stopped(ctx, child(p.client))
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return fmt.Errorf("a cancelled CREATE TABLE: %w", err)
	}
	p.say("gateway cancel", "%s %s", e.Code, e.Message)
	return errors.Join(release(), p.conn.Ping(ctx))
}

// stopped runs a statement and cancels it at its first notice. PostgreSQL signals a process twice for a CancelRequest
// (it, and its group): only the end of the request's connection tells that no signal for it can meet the next statement.
func (p *pgxProgram) stopped(ctx context.Context, sql string) error {
	sent := make(chan error, 1)
	notices, err := p.told(ctx, sql, func() error {
		go func() { sent <- p.conn.PgConn().CancelRequest(ctx) }()
		return nil
	})
	if len(notices) == 0 {
		return err
	}
	select {
	case failed := <-sent:
		return errors.Join(failed, err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pgxProgram) cancel(ctx context.Context) error {
	err := p.stopped(ctx, noticeAndSleep)
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return fmt.Errorf("a cancelled statement: %w", err)
	}
	p.say("cancel", "%s %s", e.Code, e.Message)
	return p.conn.Ping(ctx)
}

// fetch reads row by row, and by a cursor of the home database: pgx sets no row limit itself.
func (p *pgxProgram) fetch(ctx context.Context) error {
	for _, sql := range []string{`SELECT id FROM "pg.shared".big`, "SELECT i FROM generate_series(1, 2500) i"} {
		rows, err := p.conn.Query(ctx, sql)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[int])
		if err != nil {
			return err
		}
		sum := 0
		for _, id := range ids {
			sum += id
		}
		p.say("fetch", "%d, %d", len(ids), sum)
	}
	return pgx.BeginFunc(ctx, p.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DECLARE few CURSOR FOR SELECT i FROM generate_series(1, 2500) i"); err != nil {
			return err
		}
		n := 0
		for {
			tag, err := tx.Exec(ctx, "FETCH 1000 FROM few")
			if err != nil {
				return err
			}
			if tag.RowsAffected() == 0 {
				p.say("fetch", "by a cursor %d", n)
				return nil
			}
			n += int(tag.RowsAffected())
		}
	})
}

func (p *pgxProgram) pool(ctx context.Context) error {
	config, err := pgxpool.ParseConfig(p.url())
	if err != nil {
		return err
	}
	if p.limited {
		config.ConnConfig.DefaultQueryExecMode = withoutNames
	}
	config.MaxConns = poolSize
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	sum, err := together(func(arrive func()) (int, error) {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return 0, err
		}
		defer conn.Release()
		arrive()
		var n int
		err = conn.QueryRow(ctx, fmt.Sprintf(`SELECT sum(id)::int + 1 FROM "pg.%s".item WHERE id <= $1`, p.client), 2).Scan(&n)
		return n, err
	})
	p.say("pool", "%d connections, %d", pool.Stat().TotalConns(), sum)
	return err
}
