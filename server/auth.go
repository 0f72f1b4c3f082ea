package server

import (
	"context"
	"net"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Role is what the home database says of a role.
type Role struct {
	Exists    bool
	CanLogin  bool
	Superuser bool
}

// Trust lets every client of this host be who it says, as PostgreSQL's method of that name does. The
// home session then logs in as that role.
type Trust struct {
	// Role reads a role afresh.
	Role func(ctx context.Context, name string) (Role, error)
	// Database is the database that clients see.
	Database string
	// Statuses are the settings that a fresh session reports.
	Statuses func() map[string]string
	// AnyAddress also trusts clients of other hosts; it is set by name in the configuration only.
	AnyAddress bool
}

// Authenticate checks address, role and database, with PostgreSQL's errors.
func (t Trust) Authenticate(ctx context.Context, remote net.Addr, user, database string) error {
	if !t.AnyAddress && !isLoopback(remote) {
		return sqlerr.New(sqlerr.InvalidAuthorization, "no pg_hba.conf entry for host \"%s\", user \"%s\", database \"%s\", no encryption",
			host(remote), user, database)
	}
	role, err := t.Role(ctx, user)
	switch {
	case err != nil:
		return sqlerr.Wrap(err, sqlerr.CannotConnectNow, "the database system is not ready to accept connections")
	case !role.Exists:
		return sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" does not exist", user)
	case !role.CanLogin || role.Superuser:
		return sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" is not permitted to log in", user)
	}
	switch database {
	case t.Database, "postgres", "template1":
		return nil
	default:
		return sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", database).
			WithHint("A catalog is no database: connect to \"%s\" and SET search_path, or write the catalog in names.", t.Database)
	}
}

// ParameterStatuses are the settings that a fresh session reports.
func (t Trust) ParameterStatuses() map[string]string { return t.Statuses() }

func isLoopback(addr net.Addr) bool {
	ip := net.ParseIP(host(addr))
	return ip != nil && ip.IsLoopback()
}

func host(addr net.Addr) string {
	h, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	return h
}
