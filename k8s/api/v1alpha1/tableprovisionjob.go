package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TableProvisionJob is a one-off piece of work on one table: create it, make
// sure that it is there, alter or drop it. Which controller does it is said by
// spec.provisioner, as an IngressClass says which controller serves an Ingress.
//
// The API server keeps these promises: spec is immutable but for cancel,
// suspend and ttlAfterFinished; a cancel can not be taken back; a final phase
// never changes and status can not be removed.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=tableprovisionjobs,singular=tableprovisionjob,shortName=tpj,categories=tablewright,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:selectablefield:JSONPath=`.spec.provisioner`
// +kubebuilder:selectablefield:JSONPath=`.spec.jobId`
// +kubebuilder:selectablefield:JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name=Operation,type=string,JSONPath=`.spec.operation`
// +kubebuilder:printcolumn:name=Table,type=string,JSONPath=`.spec.displayName`
// +kubebuilder:printcolumn:name=Provisioner,type=string,JSONPath=`.spec.provisioner`,priority=1
// +kubebuilder:printcolumn:name=Phase,type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name=Done,type=integer,JSONPath=`.status.progress.done`
// +kubebuilder:printcolumn:name=Total,type=integer,JSONPath=`.status.progress.total`
// +kubebuilder:printcolumn:name=Attempt,type=integer,JSONPath=`.status.attempt`,priority=1
// +kubebuilder:printcolumn:name=Message,type=string,JSONPath=`.status.message`,priority=1
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() <= 63",message="name must be at most 63 characters"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || has(self.status)",message="status may not be removed"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.phase) || !(oldSelf.status.phase in ['Succeeded','Failed','Cancelled']) || (self.spec.cancel == oldSelf.spec.cancel && self.spec.suspend == oldSelf.spec.suspend)",message="the job has ended: cancel and suspend may not change any more"
// +kubebuilder:validation:XValidation:rule="!has(self.status) || !has(self.status.phase) || self.status.phase != 'Undoing' || (has(oldSelf.status) && has(oldSelf.status.phase) && oldSelf.status.phase in ['Running','Cancelling','Undoing'])",message="only a job that runs or is being cancelled can be undone"
type TableProvisionJob struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is the work to do.
	// +required
	Spec TableProvisionJobSpec `json:"spec"`
	// Status is how far the work is; only who holds the job writes it.
	// +optional
	Status TableProvisionJobStatus `json:"status,omitzero"`
}

// TableProvisionJobList is a list of TableProvisionJobs.
//
// +kubebuilder:object:root=true
type TableProvisionJobList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TableProvisionJob `json:"items"`
}

// Operation is what a job does to its table.
//
// +kubebuilder:validation:Enum=Create;Ensure;Alter;Drop
type Operation string

// Operations of a job.
const (
	// OperationCreate makes the table; it fails if the table is there.
	OperationCreate Operation = "Create"
	// OperationEnsure makes the table if it is absent, else checks that it fits.
	OperationEnsure Operation = "Ensure"
	// OperationAlter carries out spec.changes.
	OperationAlter Operation = "Alter"
	// OperationDrop removes the table; an absent one is success.
	OperationDrop Operation = "Drop"
)

// ObjectKind is the kind of object that a job is about.
//
// +kubebuilder:validation:Enum=Table;Schema
type ObjectKind string

// Kinds of object.
const (
	// ObjectTable is a table: spec.table describes it.
	ObjectTable ObjectKind = "Table"
	// ObjectSchema is a schema (namespace, database): spec.table.path names it
	// and nothing else of spec.table is read.
	ObjectSchema ObjectKind = "Schema"
)

// FailurePolicy is what becomes of a failed job's work.
//
// +kubebuilder:validation:Enum=Undo;Keep
type FailurePolicy string

// Failure policies of a job.
const (
	// FailurePolicyUndo takes back what the job had made.
	FailurePolicyUndo FailurePolicy = "Undo"
	// FailurePolicyKeep leaves it as it is.
	FailurePolicyKeep FailurePolicy = "Keep"
)

// TableProvisionJobSpec is the work to do and all that is needed for it: a
// controller asks no other place but the secrets it refers to.
//
// +kubebuilder:validation:XValidation:rule="self.jobId == oldSelf.jobId && self.operation == oldSelf.operation && self.kind == oldSelf.kind && self.provisioner == oldSelf.provisioner && self.deadline == oldSelf.deadline && self.backoffLimit == oldSelf.backoffLimit && self.onFailure == oldSelf.onFailure && self.displayName == oldSelf.displayName && has(self.requestedBy) == has(oldSelf.requestedBy) && (!has(self.requestedBy) || self.requestedBy == oldSelf.requestedBy)",message="spec is immutable but for cancel, suspend and ttlAfterFinished"
// +kubebuilder:validation:XValidation:rule="self.catalog == oldSelf.catalog && self.table == oldSelf.table",message="spec.catalog and spec.table are immutable"
// +kubebuilder:validation:XValidation:rule="has(self.changes) == has(oldSelf.changes) && (!has(self.changes) || self.changes == oldSelf.changes)",message="spec.changes is immutable"
// +kubebuilder:validation:XValidation:rule="!oldSelf.cancel || self.cancel",message="a cancel cannot be taken back"
// +kubebuilder:validation:XValidation:rule="self.operation == 'Alter' ? (has(self.changes) && size(self.changes) > 0) : !has(self.changes)",message="changes are for operation Alter, which needs at least one"
type TableProvisionJobSpec struct {
	// JobID is the job's id in the history (uuid, version 7): one a run.
	// +required
	// +kubebuilder:validation:Pattern=`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`
	JobID string `json:"jobId"`
	// DisplayName is the table's full name in SQL quoting, for people.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=1024
	DisplayName string `json:"displayName,omitempty"`
	// Operation is what to do.
	// +required
	Operation Operation `json:"operation"`
	// Kind is the kind of object at spec.table.path.
	// +optional
	// +kubebuilder:default=Table
	Kind ObjectKind `json:"kind,omitempty"`
	// Provisioner names the controller that does it: `<domain>/<name>`.
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=316
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`
	Provisioner string `json:"provisioner"`
	// Catalog is the system that holds the table, and how to reach it.
	// +required
	Catalog CatalogRef `json:"catalog"`
	// Table is the table as it is wanted (Create, Ensure), as it is after the
	// changes (Alter), or the one to remove (Drop).
	// +required
	Table TableSpec `json:"table"`
	// Changes are the steps of an Alter, in order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Changes []TableChange `json:"changes,omitempty"`
	// Deadline is how long the job may take from its start, retries included.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) > duration('0s')",message="deadline must be a positive duration"
	Deadline metav1.Duration `json:"deadline"`
	// BackoffLimit is how often a failed attempt is repeated.
	// +optional
	// +kubebuilder:default=6
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	BackoffLimit *int32 `json:"backoffLimit,omitempty"`
	// OnFailure says what becomes of a failed job's work.
	// +optional
	// +kubebuilder:default=Undo
	OnFailure FailurePolicy `json:"onFailure,omitempty"`
	// RequestedBy is the role that asked for it.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RequestedBy string `json:"requestedBy,omitempty"`
	// Cancel asks to stop; it can not be taken back. When it comes too late the
	// job ends Succeeded.
	// +optional
	// +kubebuilder:default=false
	Cancel bool `json:"cancel,omitempty"`
	// Suspend asks to hold before the next step.
	// +optional
	// +kubebuilder:default=false
	Suspend bool `json:"suspend,omitempty"`
	// TTLAfterFinished is how long the object is kept after its end was recorded
	// in the history. Absent: for ever.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('0s')",message="ttlAfterFinished may not be negative"
	TTLAfterFinished *metav1.Duration `json:"ttlAfterFinished,omitempty"`
}

// BackoffLimitOrDefault returns the backoff limit, which is 6 where it is not set.
func (s *TableProvisionJobSpec) BackoffLimitOrDefault() int32 {
	const backoffLimitDefault = 6
	if s.BackoffLimit == nil {
		return backoffLimitDefault
	}
	return *s.BackoffLimit
}
