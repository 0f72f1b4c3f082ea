package v1alpha1

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Provisioner is a controller's registration: that it exists, under which name
// jobs choose it, which operations it can do and that it is alive. With it the
// gateway refuses at the statement what nobody could carry out.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=provisioners,singular=provisioner,shortName=prov,categories=tablewright,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:selectablefield:JSONPath=`.spec.controllerName`
// +kubebuilder:printcolumn:name=Controller,type=string,JSONPath=`.spec.controllerName`
// +kubebuilder:printcolumn:name=Operations,type=string,JSONPath=`.spec.operations`
// +kubebuilder:printcolumn:name=Contract,type=string,JSONPath=`.spec.contractVersion`
// +kubebuilder:printcolumn:name=Ready,type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name=Heartbeat,type=date,JSONPath=`.status.heartbeatTime`
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=`.metadata.creationTimestamp`
type Provisioner struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is who the controller is and what it can do.
	// +required
	Spec ProvisionerSpec `json:"spec"`
	// Status is whether it is alive.
	// +optional
	Status ProvisionerStatus `json:"status,omitzero"`
}

// ProvisionerList is a list of Provisioners.
//
// +kubebuilder:object:root=true
type ProvisionerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Provisioner `json:"items"`
}

// ProvisionerSpec is who a controller is and what it can do.
//
// +kubebuilder:validation:XValidation:rule="self.controllerName == oldSelf.controllerName",message="controllerName is immutable"
type ProvisionerSpec struct {
	// ControllerName is what jobs write in spec.provisioner: `<domain>/<name>`.
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=316
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`
	ControllerName string `json:"controllerName"`
	// Operations are the operations it can do.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	Operations []Operation `json:"operations"`
	// ContractVersion is the version of the provisioner contract it keeps.
	// +required
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:Pattern=`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`
	ContractVersion string `json:"contractVersion"`
	// Description says in words what it is for.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Description string `json:"description,omitempty"`
}

// ProvisionerStatus is whether a controller is alive.
type ProvisionerStatus struct {
	// ObservedGeneration is the generation of spec that this status is about.
	// +optional
	// +kubebuilder:validation:Minimum=0
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// HeartbeatTime is when the controller was last known to be alive.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[-+]([01]\d|2[0-3]):[0-5]\d)$`
	HeartbeatTime *metav1.Time `json:"heartbeatTime,omitempty"`
	// Instance is which of its instances wrote the heartbeat.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Instance string `json:"instance,omitempty"`
	// Version is that instance's version.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Version string `json:"version,omitempty"`
	// Conditions: Ready.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(c, c.lastTransitionTime >= timestamp('1970-01-01T00:00:00Z'))",message="lastTransitionTime must be an RFC 3339 time"
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Supports returns whether the controller can do an operation.
func (p *Provisioner) Supports(op Operation) bool {
	return slices.Contains(p.Spec.Operations, op)
}

// Alive returns whether the heartbeat is younger than HeartbeatExpiry at now.
func (p *Provisioner) Alive(now time.Time) bool {
	t := p.Status.HeartbeatTime
	return t != nil && now.Sub(t.Time) < HeartbeatExpiry
}
