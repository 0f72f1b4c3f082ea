package embedded

import (
	"fmt"
	"slices"

	apihelpers "k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/client-go/tools/cache"
)

// serveDiscoveryGroups keeps the list of groups at /apis in step with the CRDs,
// for clients that do not read the aggregated form. On a cluster the aggregator
// does that.
func serveDiscoveryGroups(s *apiserver.CustomResourceDefinitions) error {
	crds := s.Informers.Apiextensions().V1().CustomResourceDefinitions()
	lister := crds.Lister()
	groups := s.GenericAPIServer.DiscoveryGroupManager
	sync := func(obj any) {
		group, ok := groupOf(obj)
		if !ok {
			return
		}
		list, err := lister.List(labels.Everything())
		if err != nil {
			return // the informer's own store: it has no way to fail
		}
		syncGroup(groups, group, list)
	}
	_, err := crds.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    sync,
		UpdateFunc: func(_, obj any) { sync(obj) },
		DeleteFunc: sync,
	})
	if err != nil {
		return fmt.Errorf("watch CRDs for discovery: %w", err)
	}
	return nil
}

func groupOf(obj any) (string, bool) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	crd, ok := obj.(*apiextensionsv1.CustomResourceDefinition)
	if !ok {
		return "", false
	}
	return crd.Spec.Group, true
}

// syncGroup adds or removes one group according to the established CRDs.
func syncGroup(groups discovery.GroupManager, group string, crds []*apiextensionsv1.CustomResourceDefinition) {
	var names []string
	for _, crd := range crds {
		if crd.Spec.Group != group || !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
			continue
		}
		for _, v := range crd.Spec.Versions {
			if v.Served && !slices.Contains(names, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	if len(names) == 0 {
		groups.RemoveGroup(group)
		return
	}
	slices.SortFunc(names, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	g := metav1.APIGroup{Name: group}
	for _, n := range names {
		g.Versions = append(g.Versions, metav1.GroupVersionForDiscovery{GroupVersion: group + "/" + n, Version: n})
	}
	g.PreferredVersion = g.Versions[0]
	groups.AddGroup(g)
}
