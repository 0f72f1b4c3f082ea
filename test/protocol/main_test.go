// Package protocol holds conversations with clients, message by message. Those below testdata/both are
// held with Tablewright and with a PostgreSQL, which must give the same answers; those below testdata/own
// are about what PostgreSQL does not have.
package protocol

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

var (
	gateway   *gatewaytest.Gateway
	reference *pgserver.Server
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "protocol:", err)
		code = 1
	}
	os.Exit(code)
}

// run starts one PostgreSQL and one gateway for all tests. The PostgreSQL is the reference and holds, in a
// database of its own, the system that the gateway's catalog `shop` stands for.
func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if reference, err = pgserver.Start(ctx, "timezone=UTC"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, reference.Stop()) }()
	if err := prepareReference(ctx); err != nil {
		return 0, err
	}
	if gateway, err = gatewaytest.Start(ctx, "TABLEWRIGHT_SECRET_SHOP="+pgserver.Password); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, gateway.Stop()) }()
	if err := prepareGateway(ctx); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// user is the role that scripts run as, on both sides.
const user = "admin"

// prepareReference gives the reference what a gateway has at its start, as far as clients see it.
func prepareReference(ctx context.Context) error {
	trust := filepath.Join(reference.Dir, "data", "pg_hba.conf")
	if err := os.WriteFile(trust, []byte("host all all 127.0.0.1/32 trust\n"), 0o600); err != nil {
		return err
	}
	if err := reference.Own(trust); err != nil {
		return err
	}
	for _, sql := range []string{
		"SELECT pg_reload_conf()",
		"CREATE ROLE " + user + " LOGIN",
		"CREATE DATABASE " + gatewaytest.Database + " OWNER " + user,
		"CREATE DATABASE shop",
	} {
		if err := reference.Exec(ctx, "postgres", sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return reference.Exec(ctx, gatewaytest.Database, `CREATE SCHEMA "shop.app" AUTHORIZATION `+user)
}

// prepareGateway makes schema "shop.app" one of an external system.
func prepareGateway(ctx context.Context) error {
	c, err := connect(ctx, gateway.Address(), nil)
	if err != nil {
		return err
	}
	defer c.close()
	for _, sql := range []string{
		fmt.Sprintf(`CREATE CATALOG shop WITH (type = 'postgres', host = '%s', port = %d, user = '%s', password = 'env:TABLEWRIGHT_SECRET_SHOP', database = 'shop')`,
			pgserver.Host, reference.Port, pgserver.Superuser),
		"CREATE SCHEMA shop.app",
	} {
		if err := c.exec(sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}
