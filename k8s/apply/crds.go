package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// servedPoll is how often a new CRD is asked for until it is served.
const servedPoll = 50 * time.Millisecond

// FieldOwnerCRDs owns the specs of the CRDs that InstallCRDs writes.
const FieldOwnerCRDs = "tablewright-crds"

// InstallCRDs creates or updates CRDs and waits until each of them is established
// and its resources are served and found by discovery. ctx bounds the wait. The
// CRDs passed in are not changed.
func InstallCRDs(ctx context.Context, cfg *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	c, err := clientset.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("install CRDs: client: %w", err)
	}
	for _, crd := range crds {
		if err := installCRD(ctx, c, crd); err != nil {
			return fmt.Errorf("install CRD %s: %w", crd.Name, err)
		}
	}
	for _, crd := range crds {
		if err := awaitServed(ctx, c, crd.Name); err != nil {
			return fmt.Errorf("install CRD %s: %w", crd.Name, err)
		}
	}
	return nil
}

func installCRD(ctx context.Context, c clientset.Interface, crd *apiextensionsv1.CustomResourceDefinition) error {
	want := map[string]any{
		"apiVersion": apiextensionsv1.SchemeGroupVersion.String(),
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": crd.Name, "labels": crd.Labels, "annotations": crd.Annotations},
		"spec":       crd.Spec,
	}
	data, err := json.Marshal(want)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return patchCRD(ctx, c, crd.Name, data, FieldOwnerCRDs)
}

func patchCRD(ctx context.Context, c clientset.Interface, name string, data []byte, owner string) error {
	force := true // a CRD of ours is nobody else's to shape
	_, err := c.ApiextensionsV1().CustomResourceDefinitions().Patch(ctx, name, types.ApplyPatchType, data,
		metav1.PatchOptions{FieldManager: owner, Force: &force})
	return err
}

// awaitServed waits until the server lists the resources of a CRD.
func awaitServed(ctx context.Context, c clientset.Interface, name string) error {
	for {
		err := served(ctx, c, name)
		if err == nil {
			return nil
		}
		if _, never := errors.AsType[*neverServedError](err); never {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not served in time: %w", errors.Join(context.Cause(ctx), err))
		case <-time.After(servedPoll):
		}
	}
}

// neverServedError is a condition of a CRD that waiting does not change.
type neverServedError struct {
	reason, message string
}

func (e *neverServedError) Error() string { return e.reason + ": " + e.message }

// served returns nil if a CRD is established and everything of it is there.
func served(ctx context.Context, c clientset.Interface, name string) error {
	crd, err := c.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if cond := apihelpers.FindCRDCondition(crd, apiextensionsv1.NamesAccepted); cond != nil && cond.Status == apiextensionsv1.ConditionFalse {
		return &neverServedError{reason: cond.Reason, message: cond.Message}
	}
	if !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
		return errors.New("it is not established")
	}
	for _, v := range crd.Spec.Versions {
		if !v.Served {
			continue
		}
		if err := versionServed(ctx, c.Discovery(), crd, v.Name); err != nil {
			return err
		}
	}
	return nil
}

// versionServed asks discovery first, which clients map kinds by, and then for
// the resource itself: after Established it may be 404 for a moment.
func versionServed(ctx context.Context, d discovery.DiscoveryInterface, crd *apiextensionsv1.CustomResourceDefinition, version string) error {
	gv := crd.Spec.Group + "/" + version
	var list metav1.APIResourceList
	raw, err := d.RESTClient().Get().AbsPath("/apis", crd.Spec.Group, version).Do(ctx).Raw()
	if err != nil {
		return fmt.Errorf("discovery of %s: %w", gv, err)
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("discovery of %s: %w", gv, err)
	}
	found := false
	for _, r := range list.APIResources {
		found = found || r.Name == crd.Spec.Names.Plural
	}
	if !found {
		return fmt.Errorf("discovery of %s does not name %s yet", gv, crd.Spec.Names.Plural)
	}
	err = d.RESTClient().Get().AbsPath("/apis", crd.Spec.Group, version, crd.Spec.Names.Plural).
		Param("limit", "1").Do(ctx).Error()
	if apierrors.IsForbidden(err) {
		return nil // it is there; that we may not read it is not the question
	}
	return err
}

// SetClusterUID writes an embedded control plane's identity where ClusterUID
// finds it: on the named CRD, under an owner of its own, so that installing the
// CRD again does not remove it.
func SetClusterUID(ctx context.Context, cfg *rest.Config, crdName, uid string) error {
	c, err := clientset.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("set cluster uid: client: %w", err)
	}
	data, err := json.Marshal(map[string]any{
		"apiVersion": apiextensionsv1.SchemeGroupVersion.String(),
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": crdName, "annotations": map[string]string{v1alpha1.AnnotationClusterUID: uid}},
	})
	if err != nil {
		return fmt.Errorf("set cluster uid: encode: %w", err)
	}
	if err := patchCRD(ctx, c, crdName, data, "tablewright-control-plane"); err != nil {
		return fmt.Errorf("set cluster uid: %w", err)
	}
	return nil
}
