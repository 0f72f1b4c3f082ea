package v1alpha1

import "time"

// Field owners of server-side apply. Gateway and controller each own the fields
// they set, so that neither resets the other's.
const (
	// FieldOwnerGateway owns what the gateway writes: metadata and spec.
	FieldOwnerGateway = "tablewright-gateway"
	// FieldOwnerController owns what a controller writes: status.
	FieldOwnerController = "tablewright-controller"
)

// FinalizerRecord keeps a TableProvisionJob until its end is committed to the
// job history; the recorder removes it after that commit.
const FinalizerRecord = "tablewright.dev/record"

// Labels of everything that Tablewright writes into a cluster. Values are made
// by LabelValue; full names are in the annotations.
const (
	// LabelManagedBy is the well-known label with value ManagedBy.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// LabelJobID carries the id (uuid) of the job which a resource works for.
	LabelJobID = "tablewright.dev/job-id"
	// LabelCatalog carries the catalog's name, cut to what a label holds.
	LabelCatalog = "tablewright.dev/catalog"
	// LabelTarget carries the target's full name, cut to what a label holds.
	LabelTarget = "tablewright.dev/target"

	// ManagedBy is the value of LabelManagedBy.
	ManagedBy = "tablewright"
)

// Annotations of everything that Tablewright writes into a cluster.
const (
	// AnnotationTarget is the target's full name in SQL quoting, never cut.
	AnnotationTarget = "tablewright.dev/target"
	// AnnotationTraceParent is a W3C traceparent which the controller continues.
	AnnotationTraceParent = "tablewright.dev/traceparent"
	// AnnotationClusterUID is the control plane's uid. Only an embedded control
	// plane sets it, on the CRD of TableProvisionJob.
	AnnotationClusterUID = "tablewright.dev/cluster-uid"
)

const (
	// ProvisionerPrefix begins the spec.provisioner of the built-in controller.
	ProvisionerPrefix = Group + "/"
	// ContractVersion is the version of the provisioner contract of this package.
	ContractVersion = "v1"

	// HeartbeatInterval is how often who holds a job, or runs as a Provisioner,
	// renews its heartbeat.
	HeartbeatInterval = 10 * time.Second
	// HeartbeatExpiry is the age at which a heartbeat counts as missed for good:
	// three intervals. Another instance may then take the job over.
	HeartbeatExpiry = 3 * HeartbeatInterval
	// StatusWriteInterval is the least time between two status writes of a job
	// that do not change its phase.
	StatusWriteInterval = time.Second
	// AcceptTimeout is how long a job may stay unaccepted before who waits for
	// it is told so.
	AcceptTimeout = 60 * time.Second
)

// BuiltinProvisioner returns the spec.provisioner by which the built-in
// controller is chosen for a catalog type: `tablewright.dev/<type>`.
func BuiltinProvisioner(catalogType string) string {
	return ProvisionerPrefix + catalogType
}
