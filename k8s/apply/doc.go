// Package apply writes objects by server-side apply under a field owner, installs
// CRDs, and finds out what a control plane is: its identity, and whether it has
// namespaces.
package apply
