// Package embedded runs a Kubernetes control plane for custom resources inside
// the calling process: the API server of CustomResourceDefinitions on one
// loopback port, and etcd on a unix socket. Clients, controllers and kubectl use
// it as they use a cluster. It has no core/v1: no namespaces, secrets, events or
// leases, no garbage collector.
//
// # Who ends what
//
// Start returns once the server answers and the CRDs are served; it leaves three
// owners of goroutines behind: etcd, the API server, and one supervisor. The
// supervisor waits for the first of: Stop was called, the API server ended, etcd
// ended or hit a fatal error. It then ends the API server, etcd and the lock, in
// that order and each within a limit, and closes Done. Stop only asks and waits.
//
// # Files
//
// Everything lives in Options.Dir, owner-only:
//
//	lock                     held while running; holds the pid
//	etcd/                    the data
//	certs/                   serving certificate, renewed at start when it is old
//	uid                      the identity of this control plane
//	port                     the port, kept so that a restart takes the same
//	admin.token              bearer token with all rights
//	provisioner.token        bearer token of external provisioners
//	kubeconfig               for kubectl, with all rights
//	provisioner.kubeconfig   for external provisioners
package embedded
