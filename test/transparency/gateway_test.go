package transparency

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/home/postmaster"
	"github.com/tablewright/tablewright/test/gatewaytest"
)

const database = gatewaytest.Database

// gateway is one running binary with a data folder of its own, and a connection of the superuser to its
// home server past it.
type gateway struct {
	*gatewaytest.Gateway
	root *pgx.Conn
}

// startGateway runs the binary and waits until it is ready.
func startGateway(ctx context.Context) (*gateway, error) {
	running, err := gatewaytest.Start(ctx)
	if err != nil {
		return nil, err
	}
	g := &gateway{Gateway: running}
	if err := g.prepare(ctx); err != nil {
		return nil, errors.Join(err, g.stop())
	}
	return g, nil
}

// prepare: nothing of these servers is to last, and nothing is to happen in them by itself.
func (g *gateway) prepare(ctx context.Context) (err error) {
	dsn := fmt.Sprintf("host=%s user=%s dbname=%s sslmode=disable", g.socket(), postmaster.Superuser, database)
	if g.root, err = pgx.Connect(ctx, dsn); err != nil {
		return err
	}
	for _, setting := range []string{"fsync", "synchronous_commit", "autovacuum"} {
		if _, err := g.root.Exec(ctx, "alter system set "+setting+" = off"); err != nil {
			return err
		}
	}
	_, err = g.root.Exec(ctx, "select pg_reload_conf()")
	return err
}

// managedNames are the names that scripts use most. Tables of an external system have them too, so that the
// gateway has to find out, statement by statement, that none of them is meant.
var managedNames = []string{"t", "u", "v", "p", "c", "a", "b", "s", "q", "doc", "mv"}

// manage makes these tables.
func (g *gateway) manage(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://admin@%s/%s?sslmode=disable", g.Address(), database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "create schema lake.shop"); err != nil {
		return err
	}
	for _, name := range managedNames {
		sql := fmt.Sprintf("create table lake.shop.%s (id bigint, v text) with (provisioning = 'inline')", name)
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// stop ends the gateway, which must do so in order.
func (g *gateway) stop() error {
	if g.root != nil {
		_ = g.root.Close(context.Background())
	}
	return g.Stop()
}

// socket is the folder of the home server's private socket.
func (g *gateway) socket() string { return filepath.Join(g.Dir, "run") }
