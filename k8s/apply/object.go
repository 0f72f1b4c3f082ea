package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// NewScheme returns a scheme with core/v1 and the kinds of tablewright.dev.
func NewScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	if err := corev1.AddToScheme(s); err != nil {
		return nil, fmt.Errorf("scheme: core/v1: %w", err)
	}
	if err := v1alpha1.AddToScheme(s); err != nil {
		return nil, fmt.Errorf("scheme: %s: %w", v1alpha1.GroupVersion(), err)
	}
	return s, nil
}

// NewClient returns a client that reads from the server, not from a cache, and
// knows the kinds of NewScheme.
func NewClient(cfg *rest.Config) (client.WithWatch, error) {
	s, err := NewScheme()
	if err != nil {
		return nil, err
	}
	c, err := client.NewWithWatch(cfg, client.Options{Scheme: s})
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return c, nil
}

// Object applies metadata and spec of obj as owner, and fills obj with what the
// server then holds. Fields that owner had applied before and that obj leaves out
// are removed. Fields of another owner are taken over, so apply only what owner
// alone decides.
//
// A uid in obj is a condition: it returns ErrOtherObject if that object is gone or
// its name belongs to another one by now. So is a resourceVersion (Conflict).
func Object(ctx context.Context, c client.Client, owner string, obj client.Object) error {
	u, err := toApply(c, obj)
	if err != nil {
		return err
	}
	delete(u.Object, "status")
	err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(owner), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("apply %s %s: %w", u.GetKind(), client.ObjectKeyFromObject(obj), refusal(err))
	}
	return fromApply(u, obj)
}

// Status applies the status of obj as owner, and fills obj with what the server
// then holds. uid and resourceVersion are conditions as in Object; a uid without a
// resourceVersion costs a read, since the server itself ignores it in a status.
//
// It is not for claiming a job: two claims by one owner name would both succeed.
// Claim by an update of the status, which carries the resourceVersion.
func Status(ctx context.Context, c client.Client, owner string, obj client.Object) error {
	u, err := toApply(c, obj)
	if err != nil {
		return err
	}
	delete(u.Object, "spec")
	if err := bindVersion(ctx, c, u); err != nil {
		return fmt.Errorf("apply status of %s %s: %w", u.GetKind(), client.ObjectKeyFromObject(obj), err)
	}
	for _, f := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
		unstructured.RemoveNestedField(u.Object, "metadata", f)
	}
	err = c.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(owner), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("apply status of %s %s: %w", u.GetKind(), client.ObjectKeyFromObject(obj), refusal(err))
	}
	return fromApply(u, obj)
}

// bindVersion turns the condition of a uid into one of a resourceVersion, which
// no other object of the name ever has.
func bindVersion(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	if u.GetUID() == "" || u.GetResourceVersion() != "" {
		return nil
	}
	now := &metav1.PartialObjectMetadata{}
	now.SetGroupVersionKind(u.GroupVersionKind())
	err := c.Get(ctx, client.ObjectKeyFromObject(u), now)
	if apierrors.IsNotFound(err) || err == nil && now.UID != u.GetUID() {
		return ErrOtherObject
	}
	if err != nil {
		return err
	}
	u.SetResourceVersion(now.ResourceVersion)
	return nil
}

// ErrOtherObject says that the object with the uid that was given is gone, or that
// its name belongs to another one by now.
var ErrOtherObject = errors.New("the name does not belong to that object any more")

// refusal marks an error that the server gave because of the uid: Conflict where
// there is no object of the name, Invalid where there is another one.
func refusal(err error) error {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		return err
	}
	byUID := apierrors.IsConflict(err) && strings.Contains(status.ErrStatus.Message, "uid mismatch")
	if apierrors.IsInvalid(err) && status.ErrStatus.Details != nil {
		for _, c := range status.ErrStatus.Details.Causes {
			byUID = byUID || c.Field == "metadata.uid"
		}
	}
	if byUID {
		return fmt.Errorf("%w: %w", ErrOtherObject, err)
	}
	return err
}

// toApply turns an object into an apply configuration: without what only the
// server sets.
func toApply(c client.Client, obj client.Object) (*unstructured.Unstructured, error) {
	gvk, err := apiutil.GVKForObject(obj, c.Scheme())
	if err != nil {
		return nil, fmt.Errorf("apply %T: %w", obj, err)
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("apply %s %s: encode: %w", gvk.Kind, client.ObjectKeyFromObject(obj), err)
	}
	u := &unstructured.Unstructured{Object: m}
	u.SetGroupVersionKind(gvk)
	for _, f := range []string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields", "selfLink"} {
		unstructured.RemoveNestedField(u.Object, "metadata", f)
	}
	return u, nil
}

func fromApply(u *unstructured.Unstructured, obj client.Object) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj); err != nil {
		return fmt.Errorf("decode applied %s %s: %w", u.GetKind(), client.ObjectKeyFromObject(obj), err)
	}
	return nil
}
