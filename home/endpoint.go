package home

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tablewright/tablewright/home/postmaster"
	"github.com/tablewright/tablewright/socket"
)

// endpoint is where the home database listens and who the gateway is there.
type endpoint struct {
	pool     *pgxpool.Config // of the gateway's own connections
	targets  []target        // tried in turn
	user     string
	database string
}

// target is one address of a server.
type target struct {
	network, address string
	tls              *tls.Config // nil: not encrypted
}

// socketEndpoint is the embedded server's, in folder dir.
func socketEndpoint(dir string) (*endpoint, error) {
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(dir)
	// Whatever a PG variable of the environment could change is given here.
	config, err := pgxpool.ParseConfig(fmt.Sprintf("host='%s' port=5432 user=%s dbname=%s sslmode=disable "+
		"target_session_attrs=any channel_binding=disable require_auth=''", quoted, postmaster.Superuser, Database))
	if err != nil {
		return nil, fmt.Errorf("home database: %w", err)
	}
	config.ConnConfig.RuntimeParams = map[string]string{"application_name": "tablewright"}
	config.ConnConfig.Password = ""
	return newEndpoint(config), nil
}

// parseDSN is the endpoint of an external PostgreSQL. Settings that only come from PG variables of the
// environment are dropped: they are somebody else's.
func parseDSN(dsn string) (*endpoint, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("connection string of the home database: %w", err)
	}
	params := config.ConnConfig.RuntimeParams
	for param, variable := range map[string]string{"options": "PGOPTIONS", "timezone": "PGTZ"} {
		if params[param] == os.Getenv(variable) {
			delete(params, param)
		}
	}
	params["application_name"] = "tablewright"
	if config.ConnConfig.Database == "" {
		return nil, errors.New("connection string of the home database: it names no database")
	}
	return newEndpoint(config), nil
}

func newEndpoint(config *pgxpool.Config) *endpoint {
	conn := config.ConnConfig
	e := &endpoint{pool: config, user: conn.User, database: conn.Database}
	network, address := pgconn.NetworkAddress(conn.Host, conn.Port)
	e.targets = append(e.targets, target{network: network, address: address, tls: conn.TLSConfig})
	for _, f := range conn.Fallbacks {
		network, address := pgconn.NetworkAddress(f.Host, f.Port)
		e.targets = append(e.targets, target{network: network, address: address, tls: f.TLSConfig})
	}
	return e
}

// dial opens a connection to a target up to the point where a startup message may be sent. It is given
// up at the end of ctx.
func (t target) dial(ctx context.Context) (net.Conn, error) {
	dialer := net.Dialer{Timeout: dialMax}
	conn, err := dialer.DialContext(ctx, t.network, t.address)
	if err != nil {
		return nil, err
	}
	conn = socket.Wrap(conn)
	if t.tls == nil {
		return conn, nil
	}
	encrypted, err := t.encrypt(ctx, conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return encrypted, nil
}

// dialMax bounds the opening of one connection.
const dialMax = 10 * time.Second

// encrypt asks for TLS as the protocol says: eight bytes out, one byte back, which must not be read
// together with anything after it.
func (t target) encrypt(ctx context.Context, conn net.Conn) (net.Conn, error) {
	stop := watch(ctx, conn)
	defer stop()
	if _, err := conn.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}); err != nil {
		return nil, fmt.Errorf("request for TLS: %w", err)
	}
	answer := make([]byte, 1)
	if _, err := conn.Read(answer); err != nil {
		return nil, fmt.Errorf("request for TLS: %w", err)
	}
	if answer[0] != 'S' {
		return nil, errors.New("the server refused TLS")
	}
	encrypted := tls.Client(conn, t.tls)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return encrypted, nil
}

// watch makes the end of ctx end what is read or written on conn. The returned function ends the watch
// and takes the deadline away again.
func watch(ctx context.Context, conn net.Conn) func() {
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		_ = conn.SetDeadline(time.Unix(1, 0)) // a closed connection needs none
	})
	return func() {
		if !stop() {
			<-done
		}
		_ = conn.SetDeadline(time.Time{})
	}
}
