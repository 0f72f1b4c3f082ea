package main

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/iceberg"
	"github.com/tablewright/tablewright/provision/postgres"
)

// newRegistryOfSystems is every type of catalog that this gateway can open.
func newRegistryOfSystems(config Config, deny func(netip.AddrPort) error) provision.Registry {
	folders := append([]string{filepath.Join(config.DataDir, "lake")}, config.Catalogs.Allow...)
	return provision.Registry{
		"postgres": postgres.New(postgres.Options{Deny: deny}),
		"iceberg":  iceberg.New(iceberg.Options{Allow: folders}),
	}
}

// compilers are the systems as the compiler asks them.
func compilers(registry provision.Registry) map[string]bind.System {
	systems := make(map[string]bind.System, len(registry))
	for typ, opener := range registry {
		systems[typ] = opener
	}
	return systems
}

// newSecrets resolves references of catalogs: from the store, and from the places that the configuration
// allows.
func newSecrets(config Config, store deploy.SecretStore) deploy.Secrets {
	return deploy.Secrets{
		Store:     store,
		Namespace: config.Kubernetes.Namespace,
		Folders:   append([]string{filepath.Join(config.DataDir, "secrets")}, config.Catalogs.Allow...),
		Env:       os.LookupEnv,
	}
}

// denyOwnPorts refuses the gateway's own ports as targets of catalogs: whoever reaches them through the
// gateway comes as the gateway.
func denyOwnPorts(ports ...uint16) func(netip.AddrPort) error {
	return func(target netip.AddrPort) error {
		addr := target.Addr().Unmap().WithZone("")
		if !addr.IsLoopback() && !addr.IsUnspecified() && !isOwn(addr) {
			return nil
		}
		for _, port := range ports {
			if target.Port() == port {
				return fmt.Errorf("port %d of this host is the gateway's own", port)
			}
		}
		return nil
	}
}

// isOwn tells whether an address is one of this host's.
func isOwn(addr netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return true
	}
	for _, a := range addrs {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr() == addr {
			return true
		}
	}
	return false
}
