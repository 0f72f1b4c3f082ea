package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// mistakenStatements are told with their places; PostgreSQL says what is right.
func mistakenStatements(client string) []string {
	return []string{
		"SELECT 1 FROM FROM x", fmt.Sprintf(`CREATE TABLE "pg.%s".item (id int,, name text)`, client),
		fmt.Sprintf(`CREATE TABLE "pg.%s".bad (id int, ß nosuchtype)`, client),
		fmt.Sprintf(`CREATE TABLE "pg.%s".item (id int)`, client),
		fmt.Sprintf(`SELECT ß FROM "pg.%s".item`, client), "SELECT 1/0",
	}
}

// lockKey is the advisory lock of a client's own.
func lockKey(client string) string { return "hashtext('" + client + "')" }

func noticeAndLock(client string) string {
	return "SET LOCAL statement_timeout = '60s'; DO $$ BEGIN RAISE NOTICE 'first'; PERFORM pg_advisory_xact_lock(" + lockKey(client) +
		"); RAISE NOTICE 'second'; END $$"
}

const noticeAndSleep = "DO $$ BEGIN RAISE NOTICE 'sleeping'; PERFORM pg_sleep(600); END $$"

// lockKeyOf holds the client's advisory lock until release.
func lockKeyOf(ctx context.Context, s *side) (release func() error, err error) {
	holder, err := pgx.Connect(ctx, s.direct())
	if err != nil {
		return nil, err
	}
	if _, err := holder.Exec(ctx, "SELECT pg_advisory_lock("+lockKey(s.client)+")"); err != nil {
		return nil, errors.Join(err, holder.Close(ctx))
	}
	return func() error { return holder.Close(ctx) }, nil
}

// child is made by a job, which waits for whoever locks its parent.
func child(client string) string {
	return fmt.Sprintf(`CREATE TABLE "slow.%[1]s".child (id int, parent int REFERENCES "slow.%[1]s".parent) WITH (notice_after = '0')`, client)
}

// lockParent holds the lock that child waits for, until release.
func lockParent(ctx context.Context, client string) (release func() error, err error) {
	holder, err := pgx.Connect(ctx, lockURL())
	if err != nil {
		return nil, err
	}
	_, err = holder.Exec(ctx, fmt.Sprintf("BEGIN; LOCK TABLE %s.parent IN ACCESS EXCLUSIVE MODE", client), pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, errors.Join(err, holder.Close(ctx))
	}
	return func() error { return holder.Close(ctx) }, nil
}

// transcript is what a program in Go shows.
type transcript struct{ out bytes.Buffer }

func (t *transcript) say(thing, format string, args ...any) {
	fmt.Fprintf(&t.out, thing+": "+format+"\n", args...)
}

// teller runs a statement by a driver and calls first with its first notice, while it runs.
type teller func(ctx context.Context, sql string, first func() error) (notices []string, err error)

// sayNotices shows that a notice comes while its statement runs: only then what holds the statement lets go.
func (t *transcript) sayNotices(ctx context.Context, s *side, told teller) error {
	release, err := lockKeyOf(ctx, s)
	if err != nil {
		return err
	}
	seen, err := told(ctx, noticeAndLock(s.client), release)
	t.say("notice", "%q", seen)
	return err
}

// sayJobNotices shows the same of the notices of a job, whose table is made and dropped again. The lock that the
// table waits for is held again afterwards, until release.
func (t *transcript) sayJobNotices(
	ctx context.Context, s *side, told teller, exec func(context.Context, string) error,
) (release func() error, err error) {
	if err := exec(ctx, fmt.Sprintf(`CREATE TABLE "slow.%s".parent (id int PRIMARY KEY)`, s.client)); err != nil {
		return nil, err
	}
	if release, err = lockParent(ctx, s.client); err != nil {
		return nil, err
	}
	seen, err := told(ctx, child(s.client), release)
	if err != nil {
		return nil, err
	}
	if len(seen) == 0 || !strings.Contains(seen[0], "started for CREATE TABLE") {
		return nil, fmt.Errorf("the notices are %q", seen)
	}
	t.say("gateway notice", "started, then the end")
	if err := exec(ctx, fmt.Sprintf(`DROP TABLE "slow.%s".child`, s.client)); err != nil {
		return nil, err
	}
	return lockParent(ctx, s.client)
}

// formats are how pgx asks for all columns in text or in binary.
var formats = []struct {
	name string
	code int16
}{{"text", pgx.TextFormatCode}, {"binary", pgx.BinaryFormatCode}}

const poolSize = 50

// together lets as many workers as a pool has connections work at once: arrive waits for all of them.
func together(work func(arrive func()) (int, error)) (sum int, err error) {
	type result struct {
		n   int
		err error
	}
	results, arrived, all := make(chan result), make(chan struct{}), make(chan struct{})
	for range poolSize {
		go func() {
			n, err := work(func() {
				arrived <- struct{}{}
				<-all
			})
			results <- result{n, err}
		}()
	}
	for range poolSize {
		select {
		case <-arrived:
		case r := <-results:
			return 0, fmt.Errorf("a worker does not arrive: %w", r.err)
		case <-time.After(programMax):
			return 0, io.ErrNoProgress
		}
	}
	close(all)
	for range poolSize {
		r := <-results
		sum, err = sum+r.n, errors.Join(err, r.err)
	}
	return sum, err
}
