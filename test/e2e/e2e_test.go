// Package e2e runs the real binary and talks to it as users do: psql in scripts, pgx and pgjdbc in
// programs, other systems' own readers for what it made there.
package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

// external is a PostgreSQL that is not the home database: the system that `postgres` catalogs stand for.
var external *pgserver.Server

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	if _, err := os.Stat(binary()); err != nil {
		return 0, fmt.Errorf("the gateway's binary is missing, run `make build` first: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	if external, err = pgserver.Start(ctx); err != nil {
		return 0, err
	}
	code := m.Run()
	return code, external.Stop()
}

// binary is the gateway that `make build` leaves.
func binary() string {
	path, err := filepath.Abs("../../bin/tablewright")
	if err != nil {
		panic(err)
	}
	return path
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               setup,
		Cmds:                commands(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}
