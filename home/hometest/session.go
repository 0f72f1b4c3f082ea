package hometest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/tablewright/tablewright/home"
)

// Session is a connection of a role to a home database, as the gateway has one for each client.
type Session struct {
	*pgconn.PgConn
	home *home.Home
}

// Connect logs in as a role and closes the connection after the test.
func Connect(tb testing.TB, h *home.Home, user string) *Session {
	tb.Helper()
	raw, err := h.ConnectAs(tb.Context(), user, "", nil)
	if err != nil {
		tb.Fatalf("connect as %s: %v", user, err)
	}
	return Wrap(tb, h, raw)
}

// Wrap gives a raw connection a driver, and closes it after the test.
func Wrap(tb testing.TB, h *home.Home, raw *home.Conn) *Session {
	tb.Helper()
	config, err := pgconn.ParseConfig("host=/unused user=unused sslmode=disable")
	if err != nil {
		tb.Fatalf("connection: %v", err)
	}
	conn, err := pgconn.Construct(&pgconn.HijackedConn{
		Conn: raw.Conn, PID: raw.PID, SecretKey: raw.SecretKey, ParameterStatuses: raw.ParameterStatuses,
		TxStatus: raw.TxStatus, Frontend: pgproto3.NewFrontend(raw.Conn, raw.Conn), Config: config,
	})
	if err != nil {
		tb.Fatalf("connection: %v", err)
	}
	tb.Cleanup(func() {
		_ = conn.Close(context.Background())
	})
	return &Session{PgConn: conn, home: h}
}

// Run sends text as one simple query and returns the rows of its last statement, columns joined by a bar.
func (s *Session) Run(ctx context.Context, text string) ([]string, error) {
	results, err := s.Exec(ctx, text).ReadAll()
	if err != nil {
		return nil, err
	}
	return lines(results[len(results)-1]), nil
}

// RunExtended sends one statement by the extended protocol.
func (s *Session) RunExtended(ctx context.Context, text string) ([]string, error) {
	result := s.ExecParams(ctx, text, nil, nil, nil, nil).Read()
	return lines(result), result.Err
}

// Ticketed sends a statement the way the gateway does: the ticket and the statement in one pipeline.
func (s *Session) Ticketed(ctx context.Context, text string) error {
	pipeline := s.StartPipeline(ctx)
	ticket := s.home.Ticket(s.PID(), text)
	pipeline.SendQueryParams("select set_config($1, $2, true)",
		[][]byte{[]byte(home.TicketSetting), []byte(ticket)}, nil, nil, nil)
	pipeline.SendQueryParams(text, nil, nil, nil, nil)
	if err := pipeline.Sync(); err != nil {
		return errors.Join(err, pipeline.Close())
	}
	var failed error
	for {
		results, err := pipeline.GetResults()
		switch r := results.(type) {
		case *pgconn.ResultReader:
			if _, err := r.Close(); err != nil && failed == nil {
				failed = err
			}
		case *pgconn.PipelineSync:
			return errors.Join(failed, pipeline.Close())
		}
		if err != nil {
			return errors.Join(failed, err, pipeline.Close())
		}
	}
}

func lines(result *pgconn.Result) []string {
	var rows []string
	for _, row := range result.Rows {
		columns := make([]string, len(row))
		for i, value := range row {
			columns[i] = string(value)
		}
		rows = append(rows, strings.Join(columns, "|"))
	}
	return rows
}

// Code is the SQLSTATE of an error, empty for none and "?" for one without.
func Code(err error) string {
	if err == nil {
		return ""
	}
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) {
		return coded.SQLState()
	}
	return "?"
}

// QueryText makes a session a home.TextQuerier.
func (s *Session) QueryText(ctx context.Context, sql string, args ...string) (string, error) {
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	result := s.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	if result.Err != nil {
		return "", result.Err
	}
	return string(result.Rows[0][0]), nil
}
