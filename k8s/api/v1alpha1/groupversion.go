package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// Group is the API group of every kind in this package.
	Group = "tablewright.dev"
	// Version is the version of every kind in this package.
	Version = "v1alpha1"

	// KindTableProvisionJob is the kind of TableProvisionJob.
	KindTableProvisionJob = "TableProvisionJob"
	// KindProvisioner is the kind of Provisioner.
	KindProvisioner = "Provisioner"

	// ResourceTableProvisionJobs is the plural resource name of TableProvisionJob.
	ResourceTableProvisionJobs = "tableprovisionjobs"
	// ResourceProvisioners is the plural resource name of Provisioner.
	ResourceProvisioners = "provisioners"

	// CRDTableProvisionJobs is the name of TableProvisionJob's CustomResourceDefinition.
	CRDTableProvisionJobs = ResourceTableProvisionJobs + "." + Group
	// CRDProvisioners is the name of Provisioner's CustomResourceDefinition.
	CRDProvisioners = ResourceProvisioners + "." + Group
)

// GroupVersion returns the group and version of this package.
func GroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: Group, Version: Version}
}

// Kind returns the full kind of a kind's name in this package.
func Kind(name string) schema.GroupVersionKind {
	return GroupVersion().WithKind(name)
}

// Resource returns the full resource of a plural name in this package.
func Resource(plural string) schema.GroupVersionResource {
	return GroupVersion().WithResource(plural)
}

// AddToScheme registers the kinds of this package with a scheme.
func AddToScheme(s *runtime.Scheme) error {
	gv := GroupVersion()
	s.AddKnownTypes(gv,
		&TableProvisionJob{}, &TableProvisionJobList{},
		&Provisioner{}, &ProvisionerList{},
	)
	metav1.AddToGroupVersion(s, gv)
	return nil
}
