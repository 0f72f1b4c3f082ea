package postgres

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	idleInTransactionMax = "60s" // a gateway that died behind a broken network holds no lock longer
	connIdleTimeMax      = time.Minute
	pingAfterIdle        = 100 * time.Millisecond
)

// parsed is a connection string that overrides what pgx would take from the gateway's own environment
// and home directory; everything else is set by hand below.
const parsed = "host=127.0.0.1 port=5432 user=none password=none dbname=none sslmode=disable passfile=/dev/null " +
	"target_session_attrs=any"

func poolConfig(t target, o Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(parsed)
	if err != nil {
		return nil, err
	}
	tlsConfigs, err := t.tlsConfigs()
	if err != nil {
		return nil, err
	}
	cc := config.ConnConfig
	cc.Host, cc.Port, cc.User, cc.Password, cc.Database = t.host, t.port, t.user, t.password, t.database
	cc.TLSConfig = tlsConfigs[0]
	cc.Fallbacks = nil
	for _, fallback := range tlsConfigs[1:] {
		cc.Fallbacks = append(cc.Fallbacks, &pgconn.FallbackConfig{Host: t.host, Port: t.port, TLSConfig: fallback})
	}
	cc.ConnectTimeout = o.ConnectTimeout
	cc.DialFunc = dialer(o.Deny)
	cc.RuntimeParams = runtimeParams()
	cc.DefaultQueryExecMode = pgx.QueryExecModeExec
	cc.StatementCacheCapacity, cc.DescriptionCacheCapacity = 0, 0
	cc.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &canceller{conn: c}
	}
	config.MaxConns, config.MinConns, config.MinIdleConns = o.ConnsMax, 0, 0
	config.MaxConnIdleTime = connIdleTimeMax
	config.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > pingAfterIdle }
	return config, nil
}

// runtimeParams fixes what the text forms of values, and the meaning of names, depend on. With an empty
// search path every name that is no built-in one is printed with its schema.
func runtimeParams() map[string]string {
	return map[string]string{
		"application_name":                    "tablewright",
		"client_encoding":                     "UTF8",
		"search_path":                         "",
		"DateStyle":                           "ISO, MDY",
		"IntervalStyle":                       "postgres",
		"TimeZone":                            "UTC",
		"bytea_output":                        "hex",
		"extra_float_digits":                  "1",
		"standard_conforming_strings":         "on",
		"idle_in_transaction_session_timeout": idleInTransactionMax,
	}
}

// refusedError tells that an address is no allowed target.
type refusedError struct{ cause error }

func (e *refusedError) Error() string { return e.cause.Error() }
func (e *refusedError) Unwrap() error { return e.cause }

// dialer dials addresses that are not denied. pgx has resolved names by then, so a name cannot lead to
// a denied address.
func dialer(deny func(netip.AddrPort) error) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if network != "tcp" {
			return nil, &refusedError{fmt.Errorf("%s sockets are refused as targets", network)}
		}
		addr, err := netip.ParseAddrPort(address)
		if err != nil {
			return nil, fmt.Errorf("address %s is not resolved: %w", address, err)
		}
		if deny != nil {
			if err := deny(netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())); err != nil {
				return nil, &refusedError{err}
			}
		}
		d := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 10 * time.Second, Count: 3}}
		return d.DialContext(ctx, network, address)
	}
}
