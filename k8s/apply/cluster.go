package apply

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// ErrNoClusterUID says that a control plane has no identity that could be found.
var ErrNoClusterUID = errors.New("the control plane has neither a kube-system namespace nor an identity of its own")

// ClusterUID returns the identity of a control plane, which the history calls
// `cluster`: on a cluster the uid of namespace kube-system, which lives as long
// as the cluster and is what others use; on the embedded control plane, which
// has no namespaces, the uid of its folder, found on the CRD of
// TableProvisionJob. It returns ErrNoClusterUID if there is neither.
func ClusterUID(ctx context.Context, cfg *rest.Config) (string, error) {
	kube, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return "", fmt.Errorf("identity of the control plane: client: %w", err)
	}
	ns, err := kube.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err == nil {
		return string(ns.UID), nil
	}
	if !apierrors.IsNotFound(err) {
		return "", fmt.Errorf("identity of the control plane: namespace %s: %w", metav1.NamespaceSystem, err)
	}
	ext, err := clientset.NewForConfig(cfg)
	if err != nil {
		return "", fmt.Errorf("identity of the control plane: client: %w", err)
	}
	crd, err := ext.ApiextensionsV1().CustomResourceDefinitions().Get(ctx, v1alpha1.CRDTableProvisionJobs, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", fmt.Errorf("identity of the control plane: %w", ErrNoClusterUID)
	}
	if err != nil {
		return "", fmt.Errorf("identity of the control plane: CRD %s: %w", v1alpha1.CRDTableProvisionJobs, err)
	}
	uid := crd.Annotations[v1alpha1.AnnotationClusterUID]
	if uid == "" {
		return "", fmt.Errorf("identity of the control plane: %w", ErrNoClusterUID)
	}
	return uid, nil
}

// EnsureNamespace makes a namespace where it is absent. Where there are no
// namespaces (the embedded control plane, which takes any name) it only checks
// the name. It fails if the name is no DNS-1123 label, or if the namespace is
// being deleted.
func EnsureNamespace(ctx context.Context, cfg *rest.Config, name string) error {
	if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
		return fmt.Errorf("namespace %q: %s", name, problems[0])
	}
	kube, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("namespace %s: client: %w", name, err)
	}
	api := kube.CoreV1().Namespaces()
	ns, err := api.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		ns, err = api.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			Labels: map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy},
		}}, metav1.CreateOptions{FieldManager: v1alpha1.FieldOwnerGateway})
		if apierrors.IsAlreadyExists(err) { // made by another gateway just now
			ns, err = api.Get(ctx, name, metav1.GetOptions{})
		} else if apierrors.IsNotFound(err) { // a create is only not found where the resource is
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("namespace %s: %w", name, err)
	}
	if ns.Status.Phase == corev1.NamespaceTerminating {
		return fmt.Errorf("namespace %s is being deleted", name)
	}
	return nil
}
