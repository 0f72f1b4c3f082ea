package e2e

import (
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// wireClient speaks the protocol itself.
type wireClient struct {
	*pgproto3.Frontend
	conn net.Conn
}

// dialWire connects and waits until the gateway is ready for a query.
func dialWire(t *testing.T, g *gateway) *wireClient {
	t.Helper()
	conn := connect(t, g)
	hijacked, err := conn.PgConn().Hijack()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hijacked.Conn.Close() })
	return &wireClient{Frontend: hijacked.Frontend, conn: hijacked.Conn}
}

func (c *wireClient) send(t *testing.T, messages ...pgproto3.FrontendMessage) {
	t.Helper()
	for _, m := range messages {
		c.Send(m)
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
}

// receive receives messages up to one that is wanted.
func receive[M pgproto3.BackendMessage](t *testing.T, c *wireClient) M {
	t.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if found, ok := m.(M); ok {
			return found
		}
	}
}

// TestCopyThatFails: the error of a COPY comes while the client still sends data, also when the COPY is
// one of several statements, with one of the gateway's among them; what is sent of it afterwards is dropped.
func TestCopyThatFails(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	mustExec(t, connect(t, g), "create table copied (v int)")
	for name, query := range map[string]string{
		"alone":        "copy copied from stdin",
		"with others":  "select 1; copy copied from stdin",
		"with a job's": "show jobs; copy copied from stdin; select 1",
	} {
		t.Run(name, func(t *testing.T) {
			c := dialWire(t, g)
			c.send(t, &pgproto3.Query{String: query})
			receive[*pgproto3.CopyInResponse](t, c)
			c.send(t, &pgproto3.CopyData{Data: []byte("1\n")})
			c.send(t, &pgproto3.CopyData{Data: []byte("no number\n")})
			if e := receive[*pgproto3.ErrorResponse](t, c); e.Code != "22P02" {
				t.Fatalf("got %v", e)
			}
			receive[*pgproto3.ReadyForQuery](t, c)
			c.send(t, &pgproto3.CopyData{Data: []byte("2\n")}, &pgproto3.CopyDone{}, &pgproto3.Query{String: "select count(*) from copied"})
			if row := receive[*pgproto3.DataRow](t, c); string(row.Values[0]) != "0" {
				t.Fatalf("%s rows were copied", row.Values[0])
			}
			receive[*pgproto3.ReadyForQuery](t, c)
			c.send(t, &pgproto3.Query{String: "begin; " + query})
			receive[*pgproto3.CopyInResponse](t, c)
			c.send(t, &pgproto3.CopyData{Data: []byte("1\n")}, &pgproto3.CopyDone{})
			if ready := receive[*pgproto3.ReadyForQuery](t, c); ready.TxStatus != 'T' {
				t.Fatalf("state is %c", ready.TxStatus)
			}
		})
	}
}
