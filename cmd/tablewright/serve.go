package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/server"
	"github.com/tablewright/tablewright/server/httpd"
	"github.com/tablewright/tablewright/session"
)

// closeTimeout bounds the end of the home database and the control plane.
const closeTimeout = 20 * time.Second

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the gateway",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, err := loadConfig(cmd.Flags())
			if err != nil {
				return err
			}
			return serve(cmd.Context(), config, newLogger(config.Log, os.Stderr))
		},
	}
	addConfigFlags(cmd.Flags())
	return cmd
}

// serve runs the gateway until ctx ends or a part of it fails for good. Parts start in the order in which
// they need each other and end in the opposite one: clients first, the home database last.
func serve(ctx context.Context, config Config, log zerolog.Logger) (err error) {
	started := time.Now()
	if err := os.MkdirAll(config.DataDir, 0o711); err != nil { //nolint:gosec // the home database's user must reach its folder below
		return fmt.Errorf("data folder: %w", err)
	}
	db, err := openHome(ctx, config, log)
	if err != nil {
		return err
	}
	defer closing(&err, db.Close)

	listener, err := listen(ctx, config.Listen)
	if err != nil {
		return err
	}
	httpListener, err := listen(ctx, config.HTTPListen)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	registry := newRegistry()
	front := server.New(server.Options{
		Auth:         newTrust(db, config),
		NewSession:   newSession(db, log),
		Ready:        func(context.Context) error { return nil },
		DrainTimeout: config.DrainTimeout,
		Log:          component(log, "server"),
	})
	health := httpd.New(httpd.Options{
		Checks:   []httpd.Check{{Name: "listener", Ready: front.Ready}, {Name: "home", Ready: db.Ready}},
		Gatherer: registry,
		Log:      component(log, "httpd"),
	})
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return front.Serve(groupCtx, listener) })
	group.Go(func() error { return health.Serve(groupCtx, httpListener) })
	log.Info().Str("listen", listener.Addr().String()).Str("http", httpListener.Addr().String()).
		Int64("duration_ms", time.Since(started).Milliseconds()).Str("version", version).Msg("ready for connections")
	return group.Wait()
}

func openHome(ctx context.Context, config Config, log zerolog.Logger) (*home.Home, error) {
	return home.Open(ctx, home.Options{
		DSN:     config.Home.DSN,
		DataDir: config.DataDir,
		BinDir:  config.Home.BinDir,
		User:    config.Home.OSUser,
		Log:     component(log, "home"),
	})
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return ln, nil
}

// closing ends one part after everything that needed it, and keeps the first error.
func closing(err *error, stop func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if stopErr := stop(ctx); *err == nil {
		*err = stopErr
	}
}

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func component(log zerolog.Logger, name string) zerolog.Logger {
	return log.With().Str("component", name).Logger()
}

// newTrust makes the authenticator of this version: every client of this host is who it says.
func newTrust(db *home.Home, config Config) server.Trust {
	return server.Trust{
		Role: func(ctx context.Context, name string) (server.Role, error) {
			r, err := db.Role(ctx, name)
			return server.Role{Exists: r.Exists, CanLogin: r.CanLogin, Superuser: r.Superuser}, err
		},
		Database:   db.DatabaseName(),
		Statuses:   db.ParameterStatuses,
		AnyAddress: config.Insecure,
	}
}

func newSession(db *home.Home, log zerolog.Logger) func(session.Identity, session.Client) *session.Session {
	return func(id session.Identity, client session.Client) *session.Session {
		return session.New(id, homeLinks{db}, client, component(log, "session").With().Str("session_id", id.SessionID).Logger())
	}
}
