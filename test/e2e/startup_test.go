package e2e

import (
	"crypto/tls"
	be "encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// packet is a first packet: its code and what follows.
func packet(code uint32, body string) string {
	b := be.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return string(be.BigEndian.AppendUint32(b, code)) + body
}

// firstAnswer sends bytes and reads the first message, or the first bytes that are none.
func firstAnswer(t *testing.T, conn net.Conn, sent string) string {
	t.Helper()
	defer conn.Close()
	if _, err := conn.Write([]byte(sent)); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	kind := make([]byte, 1)
	if _, err := io.ReadFull(conn, kind); err != nil {
		return "the end"
	}
	if kind[0] == 'N' || kind[0] == 'S' {
		return string(kind) + ", then " + firstMessage(conn, nil)
	}
	return firstMessage(conn, kind)
}

func firstMessage(conn net.Conn, kind []byte) string {
	conn.SetReadDeadline(time.Now().Add(2 * time.Second))
	m, err := pgproto3.NewFrontend(io.MultiReader(strings.NewReader(string(kind)), conn), conn).Receive()
	switch m := m.(type) {
	case *pgproto3.ErrorResponse:
		return m.Severity + " " + m.Code + " " + m.Message
	case *pgproto3.NegotiateProtocolVersion:
		return fmt.Sprint("negotiates ", m.NewestMinorProtocol, " ", m.UnrecognizedOptions)
	case nil:
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return "silence"
		}
		return err.Error()
	default:
		return fmt.Sprintf("%T", m)
	}
}

// What a client may send first is answered as PostgreSQL answers it.
func TestFirstPackets(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	const user = "user\x00admin\x00database\x00postgres\x00"
	for name, sent := range map[string]string{
		"newer minor version":         packet(3<<16|9999, user+"\x00"),
		"unknown protocol options":    packet(3<<16, user+"_pq_.a\x00x\x00_pq_.b\x00\x00\x00"),
		"both":                        packet(3<<16|2, user+"_pq_.a\x00x\x00\x00"),
		"newer major version":         packet(4<<16, user),
		"no user":                     packet(3<<16, "database\x00x\x00\x00"),
		"no parameters":               packet(3<<16, "\x00"),
		"no end":                      packet(3<<16, user),
		"bytes behind the end":        packet(3<<16, user+"\x00more"),
		"a name without a value":      packet(3<<16, user+"x\x00"),
		"length of nothing":           "\x00\x00\x00\x00",
		"length of itself":            "\x00\x00\x00\x04",
		"too long":                    "\x00\x00\x27\x11\x00\x03\x00\x00",
		"HTTP":                        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"encryption refused, then in": packet(80877103, "") + packet(3<<16|1, user+"\x00"),
		"cancel of nobody":            packet(80877102, "\x00\x00\x00\x01\x00\x00\x00\x02"),
		"short cancel":                packet(80877102, "\x00\x00\x00\x01"),
	} {
		answer := func(port int) string {
			conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
			if err != nil {
				t.Fatal(err)
			}
			return firstAnswer(t, conn, sent)
		}
		if got, want := answer(g.port), answer(int(external.Port)); got != want {
			t.Errorf("%s: got %s, PostgreSQL answers %s", name, got, want)
		}
	}
}

// GSS encryption is refused; PostgreSQL does so too where it is built without it.
func TestGSSIsRefused(t *testing.T) {
	t.Parallel()
	g := startGateway(t)
	for sent, want := range map[string]string{
		packet(80877104, ""):                        "N, then silence",
		packet(80877104, "") + packet(80877104, ""): "N, then FATAL 08P01 received unencrypted data after GSSAPI encryption request",
	} {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(g.port))
		if err != nil {
			t.Fatal(err)
		}
		if got := firstAnswer(t, conn, sent); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Encryption can neither be cut short nor be begun by somebody else's protocol.
func TestEncryptionAtStartup(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	g := secured(t, a, "hostssl all all 127.0.0.1 trust", "hostnossl all all 127.0.0.1 trust")
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(g.port))
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	hello := packet(3<<16|1, "user\x00admin\x00database\x00postgres\x00\x00")
	encrypted := func(conn net.Conn, protocols ...string) net.Conn {
		return tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols})
	}
	asked := func(early string) net.Conn {
		conn := dial()
		if _, err := conn.Write([]byte(packet(80877103, "") + early)); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, 1)
		if _, err := io.ReadFull(conn, answer); err != nil || answer[0] != 'S' {
			t.Fatalf("got %q, %v, want S", answer, err)
		}
		return encrypted(conn)
	}
	if got := firstAnswer(t, asked(""), hello); got != "negotiates 196608 []" {
		t.Errorf("after SSLRequest: %s", got)
	}
	if got := firstAnswer(t, asked(hello), hello); got != "FATAL 08P01 received unencrypted data after SSL request" {
		t.Errorf("bytes before TLS: %s", got)
	}
	if got := firstAnswer(t, asked(""), packet(80877103, "")); got != "FATAL 0A000 unsupported frontend protocol 1234.5679: server supports 3.0 to 3.0" {
		t.Errorf("SSLRequest through TLS: %s", got)
	}
	if got := firstAnswer(t, encrypted(dial(), "postgresql"), hello); got != "negotiates 196608 []" {
		t.Errorf("direct TLS: %s", got)
	}
	for _, protocols := range [][]string{nil, {"http/1.1"}} {
		conn := encrypted(dial(), protocols...)
		_, err := conn.Write([]byte(hello))
		if err == nil {
			_, err = conn.Read(make([]byte, 1))
		}
		if err == nil {
			t.Errorf("direct TLS for %v was taken", protocols)
		}
		conn.Close()
	}
}
