package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/tablewright/tablewright/home"
)

// closeTimeout bounds the end of each part that keeps data.
const closeTimeout = 20 * time.Second

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			read := func() (Config, error) { return loadConfig(cmd.Flags()) }
			config, err := read()
			if err != nil {
				return err
			}
			return serve(cmd.Context(), config, read, newLogger(config.Log, os.Stderr))
		},
	}
	addConfigFlags(cmd.Flags())
	return cmd
}

// serve runs the gateway until ctx ends or a part of it fails for good. Parts start in the order in which
// they need each other and end in the opposite one: clients first, the home database last.
func serve(ctx context.Context, config Config, reread func() (Config, error), log zerolog.Logger) (err error) {
	started := time.Now()
	if _, err := newAccess(config); err != nil {
		return err
	}
	routeLibraryLogs(log)
	if err := forgetLibpqEnvironment(); err != nil {
		return err
	}
	if err := os.MkdirAll(config.DataDir, 0o711); err != nil { //nolint:gosec // the home database's user must reach its folder below
		return fmt.Errorf("data folder: %w", err)
	}
	db, plane, err := openData(ctx, config, log)
	if db != nil {
		defer closing(ctx, &err, db.Close)
	}
	if plane != nil {
		defer closing(ctx, &err, plane.stop)
	}
	if err != nil {
		return err
	}
	g, err := newGateway(ctx, config, db, plane, log)
	if err != nil {
		return err
	}
	defer closing(ctx, &err, g.close)
	return g.run(ctx, reread, func() {
		log.Info().Str("listen", g.listener.Addr().String()).Str("http", g.httpListener.Addr().String()).
			Int64("duration_ms", time.Since(started).Milliseconds()).Str("version", version).Msg("ready for connections")
	})
}

// forgetLibpqEnvironment unsets libpq's variables: the driver would mix them into connections whose every
// parameter the configuration or a catalog gives.
func forgetLibpqEnvironment() error {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "PG") && name != "PGPASSFILE" {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// openData opens the home database and the control plane, side by side. Whichever was opened is returned,
// whatever became of the other.
func openData(ctx context.Context, config Config, log zerolog.Logger) (*home.Home, *controlPlane, error) {
	var db *home.Home
	var plane *controlPlane
	// Not under a common context: its end would end what was opened well.
	var group errgroup.Group
	group.Go(func() (err error) {
		db, err = openHome(ctx, config, log)
		return err
	})
	group.Go(func() (err error) {
		plane, err = openControlPlane(ctx, config, log)
		return err
	})
	err := group.Wait()
	return db, plane, err
}

// closing ends one part after everything that needed it, and keeps the first error.
func closing(ctx context.Context, err *error, stop func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if stopErr := stop(ctx); *err == nil {
		*err = stopErr
	}
}

func component(log zerolog.Logger, name string) zerolog.Logger {
	return log.With().Str("component", name).Logger()
}
