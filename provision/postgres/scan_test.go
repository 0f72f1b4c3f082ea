package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// slowView gives a row at once and the next ones much later.
func slowView(t *testing.T, s *system) provision.ScanRequest {
	t.Helper()
	const view = `CREATE VIEW public.slow AS SELECT i AS id FROM generate_series(1, 100) i, LATERAL pg_sleep(CASE WHEN i > 1 THEN 60 ELSE 0 END)`
	if err := s.exec(t.Context(), view); err != nil {
		t.Fatal(err)
	}
	columns := []catalog.Column{{Name: "id", Type: "integer"}}
	return provision.ScanRequest{Resource: plan.Resource{Kind: plan.TableKind, Path: []string{"public", "slow"}}, Columns: columns}
}

// running counts the database's statements that run.
func (s *system) running(t *testing.T) int {
	t.Helper()
	conn, err := server.Connect(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var n int
	const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND state = 'active'"
	if err := conn.QueryRow(t.Context(), query, s.database).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *system) mustEnd(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); s.running(t) > 0; {
		if time.Now().After(deadline) {
			t.Fatal("the statement goes on at the server")
		}
	}
}

// A scan's statement ends at the server with the context of Open, of Next or of the call that waits for
// the first row.
func TestScanIsCancelled(t *testing.T) {
	s := newSystem(t)
	req := slowView(t, s)
	scanner, ok := s.open(t, s.Catalog).(provision.Scanner)
	if !ok {
		t.Fatal("no scanner")
	}
	whole, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := scanner.Scan(whole, req)
	checkCode(t, "scan whose context ends", err, sqlerr.IOError)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v does not tell that time ran out", err)
	}
	s.mustEnd(t)

	// Small rows stay in the server's buffer, so it is a large first one that gets through.
	const view = `CREATE VIEW public.large AS SELECT repeat('x', 1000000) AS id FROM generate_series(1, 1000)`
	if err := s.exec(t.Context(), view); err != nil {
		t.Fatal(err)
	}
	req.Resource.Path = []string{"public", "large"}
	rows, err := scanner.Scan(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancelNext := context.WithCancel(t.Context())
	cancelNext()
	for rows.Next(ended) {
	}
	checkCode(t, "next whose context has ended", rows.Err(), sqlerr.IOError)
	if err := rows.Close(); !errors.Is(err, context.Canceled) {
		t.Fatalf("close tells %v", err)
	}
	s.mustEnd(t)
	rows, err = scanner.Scan(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	s.mustEnd(t)
}
