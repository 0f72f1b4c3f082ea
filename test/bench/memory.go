package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// kind is a kind of idle session.
type kind struct {
	name  string
	count int
	dsn   string                                            // beside host and port
	work  func(ctx context.Context, c *pgconn.PgConn) error // what the session has done before; nil: nothing
}

// measureMemory compares the gateway's resident memory before and after many sessions have begun to idle.
func measureMemory(ctx context.Context, st *stage, o options) error {
	fmt.Print("\n## Memory of idle sessions\n\n| sessions | resident before, MiB | after, MiB | **KiB a session** |\n| --- | --: | --: | --: |\n")
	for _, k := range []kind{
		{name: "without a home connection", count: o.idle},
		{name: "without a home connection, TLS", count: o.idle / 2, dsn: " sslmode=require"},
		{name: "with a home connection, one statement run", count: o.atHome, work: runOne},
		{name: "with a home connection, prepared statements and a result of 1 MB", count: o.results, work: runMuch},
	} {
		progress("memory: %d sessions %s", k.count, k.name)
		if err := measureKind(ctx, st, k); err != nil {
			return fmt.Errorf("%d sessions %s: %w", k.count, k.name, err)
		}
	}
	return nil
}

// measureKind measures on a gateway that has done nothing else, but for one session of the kind.
func measureKind(ctx context.Context, st *stage, k kind) (err error) {
	g, err := st.newGateway(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Stop()) }()
	var open []*pgconn.PgConn
	defer func() {
		for _, c := range open {
			_ = c.Close(context.WithoutCancel(ctx))
		}
	}()
	begin := func() error {
		dsn := k.dsn
		if dsn == "" {
			dsn = " sslmode=disable"
		}
		c, err := pgconn.Connect(ctx, fmt.Sprintf("host=127.0.0.1 port=%d user=%s dbname=%s%s", g.Port, user, database, dsn))
		if err != nil {
			return err
		}
		open = append(open, c)
		if k.work == nil {
			return nil
		}
		return k.work(ctx, c)
	}
	if err := begin(); err != nil {
		return err
	}
	before, err := settled(ctx, g.PID)
	if err != nil {
		return err
	}
	for range k.count {
		if err := begin(); err != nil {
			return err
		}
	}
	after, err := settled(ctx, g.PID)
	if err != nil {
		return err
	}
	fmt.Printf("| %d %s | %.0f | %.0f | **%.0f** |\n", k.count, k.name, before/1024, after/1024, (after-before)/float64(k.count))
	return nil
}

func runOne(ctx context.Context, c *pgconn.PgConn) error {
	_, err := c.Exec(ctx, "select abalance from pgbench_accounts where aid = 1").ReadAll()
	return err
}

func runMuch(ctx context.Context, c *pgconn.PgConn) error {
	for i := range 10 {
		name := fmt.Sprintf("s%d", i)
		if _, err := c.Prepare(ctx, name, "select abalance from pgbench_accounts where aid = $1", nil); err != nil {
			return err
		}
		if r := c.ExecPrepared(ctx, name, [][]byte{[]byte("1")}, nil, nil).Read(); r.Err != nil {
			return r.Err
		}
	}
	return c.ExecParams(ctx, "select repeat('x', 1000000)", nil, nil, nil, nil).Read().Err
}

// settle is how long the memory of a process is watched: what the collector and the control plane do meanwhile
// is then part of both figures.
const settle = 5 * time.Second

// settled is the least resident memory of a process within a while, in KiB.
func settled(ctx context.Context, pid int) (float64, error) {
	least := 0.0
	for end := time.Now().Add(settle); time.Now().Before(end); {
		now, err := resident(pid)
		if err != nil {
			return 0, err
		}
		if least == 0 || now < least {
			least = now
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(settle / 20):
		}
	}
	return least, nil
}

// resident is VmRSS in KiB.
func resident(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		}
	}
	return 0, errors.New("no VmRSS")
}
