package secret

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// Cluster keeps secrets as core/v1 Secrets. It reads anybody's, and changes only
// those that it made.
type Cluster struct {
	client client.Client
}

// NewCluster returns a store on a cluster. The client must not read from a cache:
// a cache would hold every Secret of the cluster.
func NewCluster(c client.Client) *Cluster { return &Cluster{client: c} }

// Put creates or replaces the Secret; ErrForeign if it is somebody else's.
func (c *Cluster) Put(ctx context.Context, namespace, name string, data map[string][]byte) error {
	if err := errors.Join(checkRef(namespace, name), checkData(data)); err != nil {
		return err
	}
	err := retry.OnError(retry.DefaultBackoff, lostRace, func() error { return c.put(ctx, namespace, name, data) })
	if err != nil {
		return fmt.Errorf("put secret %s/%s: %w", namespace, name, err)
	}
	return nil
}

// lostRace says whether somebody wrote between our read and our write.
func lostRace(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }

func (c *Cluster) put(ctx context.Context, namespace, name string, data map[string][]byte) error {
	s := &corev1.Secret{}
	err := c.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		s = &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace,
				Name:      name,
				Labels:    map[string]string{v1alpha1.LabelManagedBy: v1alpha1.ManagedBy},
			},
			Type: corev1.SecretTypeOpaque,
			Data: data,
		}
		return c.client.Create(ctx, s, client.FieldOwner(v1alpha1.FieldOwnerGateway))
	}
	if err != nil {
		return err
	}
	if !ours(s) {
		return ErrForeign
	}
	s.Data = data
	return c.client.Update(ctx, s, client.FieldOwner(v1alpha1.FieldOwnerGateway))
}

// Get reads one value of a Secret.
func (c *Cluster) Get(ctx context.Context, namespace, name, key string) ([]byte, error) {
	if err := errors.Join(checkRef(namespace, name), checkKey(key)); err != nil {
		return nil, err
	}
	s := &corev1.Secret{}
	err := c.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("%w: %s/%s", ErrNotFound, namespace, name)
	}
	if err != nil {
		return nil, fmt.Errorf("read secret %s/%s: %w", namespace, name, err)
	}
	value, ok := s.Data[key]
	if !ok {
		return nil, fmt.Errorf("%w: %s/%s, key %s", ErrNotFound, namespace, name, key)
	}
	return value, nil
}

// Delete removes the Secret; ErrForeign if it is somebody else's.
func (c *Cluster) Delete(ctx context.Context, namespace, name string) error {
	if err := checkRef(namespace, name); err != nil {
		return err
	}
	s := &corev1.Secret{}
	err := c.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete secret %s/%s: %w", namespace, name, err)
	}
	if !ours(s) {
		return fmt.Errorf("delete secret %s/%s: %w", namespace, name, ErrForeign)
	}
	// The uid keeps a Secret that took the name in the meantime.
	err = c.client.Delete(ctx, s, client.Preconditions{UID: &s.UID})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete secret %s/%s: %w", namespace, name, err)
	}
	return nil
}

func ours(s *corev1.Secret) bool { return s.Labels[v1alpha1.LabelManagedBy] == v1alpha1.ManagedBy }
