// Package v1alpha1 holds the custom resources of API group tablewright.dev:
// TableProvisionJob, one piece of slow work on one table, and Provisioner, by
// which a controller says that it exists and what it can do.
//
// The rules written beside the types (markers) are enforced by the API server;
// the CRDs under k8s/crds are generated from them.
//
// +kubebuilder:object:generate=true
// +groupName=tablewright.dev
package v1alpha1
