package home

import (
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// What a server says right behind its first ReadyForQuery is the session's, wherever the login's reads ended.
func TestWhatFollowsTheLoginIsStillToBeRead(t *testing.T) {
	notice := encoded(t, &pgproto3.NoticeResponse{Severity: "WARNING", Code: "57P02", Message: "going down"})
	for name, after := range map[string][]byte{
		"nothing": nil, "half a message": notice[:3], "messages": append(notice, encoded(t, &pgproto3.ParameterStatus{Name: "a", Value: "b"})...),
	} {
		t.Run(name, func(t *testing.T) {
			answer := encoded(t, &pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "TimeZone", Value: "Etc/UTC"},
				&pgproto3.BackendKeyData{ProcessID: 7, SecretKey: []byte{0, 0, 0, 8}}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
			conn, err := target{network: "tcp", address: answering(t, append(answer, after...))}.login(t.Context(), Login{User: "alice", Database: "d"})
			if err != nil {
				t.Fatal(err)
			}
			if conn.PID != 7 || conn.TxStatus != 'I' || conn.ParameterStatuses["TimeZone"] != "Etc/UTC" {
				t.Errorf("login %+v", conn)
			}
			if got, err := io.ReadAll(conn); string(got) != string(after) || err != nil {
				t.Errorf("read %q, %v, want %q", got, err, after)
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func encoded(t *testing.T, messages ...pgproto3.BackendMessage) (out []byte) {
	t.Helper()
	for _, m := range messages {
		var err error
		if out, err = m.Encode(out); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// answering is the address of a server that reads a startup message, says answer at once and leaves.
func answering(t *testing.T, answer []byte) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		if _, err := conn.Read(make([]byte, 1024)); err == nil {
			_, _ = conn.Write(answer)
		}
	}()
	return listener.Addr().String()
}
