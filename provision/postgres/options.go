package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

const (
	schemaDefault = "public"
	sslPrefer     = "prefer"
	portDefault   = "5432"
)

// Options describes the options of a catalog and of a table.
func (o *Opener) Options() catalog.OptionSchema {
	text, port := catalog.StringOption, catalog.IntegerOption
	own := []catalog.OptionSpec{
		{Name: "host", Type: text, Required: true, Changeable: true, Description: "host name or address; no unix socket"},
		{Name: "port", Type: port, Default: portDefault, Changeable: true, Description: "TCP port"},
		{Name: "user", Type: text, Required: true, Changeable: true, Description: "role to log in as"},
		{Name: "password", Type: text, Secret: true, Changeable: true, Description: "password of user, best a reference"},
		{Name: "database", Type: text, Changeable: true, Description: "database to connect to (default: user's name)"},
		{
			Name: "sslmode", Type: catalog.EnumOption, Default: sslPrefer, Changeable: true,
			Enum:        []string{"disable", "allow", sslPrefer, "require", "verify-ca", "verify-full"},
			Description: "how TLS is used, as in libpq",
		},
		{
			Name: "sslrootcert", Type: text, Changeable: true,
			Description: "certificates that the server's is checked against: PEM text, a reference to it, or system",
		},
		{Name: "default_schema", Type: text, Default: schemaDefault, Changeable: true, Description: "schema of a table named without one"},
	}
	return catalog.OptionSchema{
		Catalog: append(own, provision.CommonCatalogOptions()...),
		Table:   tableOptions(),
	}
}

// tableOptions are the storage parameters that may be set: those that change how a table is stored and
// nothing else.
func tableOptions() []catalog.OptionSpec {
	return []catalog.OptionSpec{
		{Name: "fillfactor", Type: catalog.IntegerOption, Changeable: true, Description: "percentage of a page that inserts fill"},
		{Name: "autovacuum_enabled", Type: catalog.BooleanOption, Changeable: true, Description: "whether autovacuum works on the table"},
	}
}

// target is where a catalog lies and how to log in there.
type target struct {
	host, user, password, database string
	port                           uint16
	sslMode, rootCert              string
}

func readTarget(ctx context.Context, c catalog.Catalog, secrets provision.SecretResolver) (target, error) {
	var t target
	var portText string
	fields := []struct {
		name, fallback string
		to             *string
	}{
		{"host", "", &t.host},
		{"port", portDefault, &portText},
		{"user", "", &t.user},
		{"password", "", &t.password},
		{"database", "", &t.database},
		{"sslmode", sslPrefer, &t.sslMode},
		{"sslrootcert", "", &t.rootCert},
	}
	for _, f := range fields {
		value, err := provision.OptionValue(ctx, c.Options, f.name, f.fallback, secrets)
		if err != nil {
			return target{}, err
		}
		*f.to = value
	}
	if t.database == "" {
		t.database = t.user
	}
	if err := checkHost(t.host); err != nil {
		return target{}, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return target{}, provision.Error(provision.Invalid, "invalid value for option %q: a TCP port expected", "port")
	}
	t.port = uint16(port)
	return t, nil
}

// checkHost refuses unix sockets, over which a server may trust whoever connects, and lists of hosts.
func checkHost(host string) error {
	switch {
	case host == "" || strings.ContainsAny(host, ", \t\r\n\x00"):
		return provision.Error(provision.Invalid, "option %q must be one host name or address", "host")
	case strings.ContainsAny(host[:1], "/@."):
		return provision.Error(provision.Invalid, "unix sockets are refused as targets").
			WithHint("Give a host name or address in option %q.", "host")
	default:
		return nil
	}
}

func defaultSchema(c catalog.Catalog) string {
	if schema, ok := c.Options.Get("default_schema"); ok && schema != "" {
		return schema
	}
	return schemaDefault
}
