package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/tablewright/tablewright/server"
	"github.com/tablewright/tablewright/server/hba"
)

// newAccess reads who may come in, and the files of TLS.
func newAccess(config Config) (*server.Access, error) {
	lines := config.Auth.Rules
	if len(lines) == 0 {
		lines = defaultRules(config.Insecure)
	}
	rules, err := hba.Parse(lines)
	if err != nil {
		return nil, fmt.Errorf("configuration: auth.rules: %w", err)
	}
	access := &server.Access{Rules: rules, Insecure: config.Insecure}
	if config.TLS.CertFile != "" {
		if access.TLS, err = server.LoadTLS(config.TLS.CertFile, config.TLS.KeyFile, config.TLS.ClientCAFile); err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
	}
	if err := access.Check(loopback(config.Listen) != nil); err != nil {
		return nil, fmt.Errorf("configuration: auth.rules: %w", err)
	}
	return access, nil
}

// defaultRules are those of a configuration that has none.
func defaultRules(insecure bool) []string {
	if insecure {
		return []string{"host all all all trust"}
	}
	return []string{"host all all 127.0.0.0/8 trust", "host all all ::1 trust"}
}

// reloadOnSignal reads rules and certificates again at every SIGHUP, until ctx ends. What is wrong is logged,
// and what was there before stays.
func (g *gateway) reloadOnSignal(ctx context.Context, read func() (Config, error)) error {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	defer signal.Stop(asked)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-asked:
		}
		config, err := read()
		if err == nil && config.Listen != g.config.Listen {
			err = errors.New("configuration: listen: a change takes a restart")
		}
		var access *server.Access
		if err == nil {
			access, err = newAccess(config)
		}
		if err != nil {
			g.log.Error().Err(err).Msg("configuration not read again; the former rules and certificates stay")
			continue
		}
		g.front.SetAccess(access)
		g.log.Info().Msg("rules of authentication and TLS files read again")
	}
}
