package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/k8s/apply"
	"github.com/tablewright/tablewright/k8s/crds"
)

// readyPoll is how often a starting server is asked whether it is ready.
const readyPoll = 20 * time.Millisecond

// awaitServing waits until the API server says that it is ready. From then on it
// may be asked to end.
func (s *Server) awaitServing(ctx context.Context) error {
	for {
		err := s.health.Get().AbsPath("/readyz").Do(ctx).Error()
		if err == nil {
			s.hooksOnce.Do(func() { close(s.hooks) })
			return nil
		}
		select {
		case <-s.done:
			return errors.Join(errors.New("it ended while it was starting"), s.err)
		case <-ctx.Done():
			return fmt.Errorf("it was not ready in time: %w", errors.Join(context.Cause(ctx), err))
		case <-time.After(readyPoll):
		}
	}
}

// Ready asks the server whether it serves and can be written to.
func (s *Server) Ready(ctx context.Context) error {
	if s.ended() {
		return errors.Join(errors.New("the embedded control plane has ended"), s.err)
	}
	if err := s.health.Get().AbsPath("/readyz").Do(ctx).Error(); err != nil {
		return fmt.Errorf("the embedded control plane is not ready: %w", err)
	}
	if s.etcd.noSpace() {
		return fmt.Errorf("the embedded control plane refuses writes: %w", errNoSpace)
	}
	return nil
}

// healthClient asks for paths of the server that are no resources.
func healthClient(cfg *rest.Config) (rest.Interface, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("client of the API server: %w", err)
	}
	return c, nil
}

// publish installs the CRDs, and on one of them this control plane's identity.
func (s *Server) publish(ctx context.Context) error {
	list, err := crds.List()
	if err != nil {
		return err
	}
	if err := apply.InstallCRDs(ctx, s.restConfig, list); err != nil {
		return err
	}
	return apply.SetClusterUID(ctx, s.restConfig, v1alpha1.CRDTableProvisionJobs, s.uid)
}
