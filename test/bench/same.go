package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/history"
)

// same sends the commits of the gateway's CREATE TABLE themselves, to the gateway's own home database: the record in the
// history, the shadow under the eyes of the guard with its ticket, the table, the job's end. What is left out is what
// the gateway finds out, checks and asks between them.
type same struct {
	pool         *pgxpool.Pool // for the history
	store        *history.Store
	home, remote *pgx.Conn
	key          []byte // of tickets
	plan         json.RawMessage
}

func newSame(ctx context.Context, st *stage, plan string) (_ *same, err error) {
	b := &same{plan: json.RawMessage(plan)}
	defer func() {
		if err != nil {
			b.close(ctx)
		}
	}()
	plain, err := st.home.Connect(ctx, database)
	if err != nil {
		return nil, err
	}
	config := plain.Config()
	if err := plain.Close(ctx); err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // nothing is prepared that is sent once
	if b.home, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, err
	}
	if b.remote, err = st.remote.Connect(ctx, "postgres"); err != nil {
		return nil, err
	}
	if b.pool, err = pgxpool.New(ctx, b.home.Config().ConnString()); err != nil {
		return nil, err
	}
	b.store = history.New(b.pool)
	return b, b.home.QueryRow(ctx, "select key from tablewright.secret").Scan(&b.key)
}

func (b *same) close(ctx context.Context) {
	var errs []error
	for _, conn := range []*pgx.Conn{b.home, b.remote} {
		if conn != nil {
			errs = append(errs, conn.Close(ctx))
		}
	}
	if b.pool != nil {
		b.pool.Close()
	}
	_ = errors.Join(errs...) // nothing is left to lose
}

// ticketed queues a statement that the guard asks a ticket for.
func (b *same) ticketed(batch *pgx.Batch, sql string) {
	mac := hmac.New(sha256.New, b.key)
	mac.Write(fmt.Appendf(nil, "%d|%s", b.home.PgConn().PID(), sql))
	batch.Queue("select set_config($1, $2, true)", home.TicketSetting, hex.EncodeToString(mac.Sum(nil)))
	batch.Queue(sql)
}

// create makes one table, in four commits.
func (b *same) create(ctx context.Context, name string) error {
	full := schemaName + "." + name
	job, joined, err := b.store.Begin(ctx, history.Record{
		JobID: uuid.Must(uuid.NewV7()), WorkKey: full, HomeXID: "3", Kind: "CREATE TABLE", Target: full, TargetUID: "absent",
		Statement: "CREATE TABLE " + full + " " + tableBody, Submitter: admin, Path: history.Fast, State: history.Running,
		Plan: b.plan, Holder: "bench", Lease: leaseOfBench,
	})
	if err != nil || joined {
		return fmt.Errorf("record: joined %t, %w", joined, err)
	}
	shadow := fmt.Sprintf("%q.%s", schemaName, name)
	identity := "1:1"
	patch, err := home.RelationPatch{Path: []string{"s", name}, State: "ready", Identity: &identity}.Statement(shadow)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue("begin")
	b.ticketed(batch, "create table "+shadow+" "+tableBody)
	b.ticketed(batch, patch)
	batch.Queue("commit")
	if err := b.home.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if _, err := b.remote.Exec(ctx, "create table s."+name+" "+tableBody, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	return b.store.Transition(ctx, job.JobID, history.Change{State: history.Succeeded, TargetUID: identity})
}
