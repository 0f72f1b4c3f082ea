package main

import (
	"context"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/server"
)

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

// notReady is what a client is told that comes too early.
func notReady(err error) error {
	if err == nil {
		return nil
	}
	return sqlerr.New(sqlerr.CannotConnectNow, "the database system is starting up").WithCause(err)
}
