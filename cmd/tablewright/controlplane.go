package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/go-logr/logr"
	"github.com/rs/zerolog"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/k8s/apply"
	"github.com/tablewright/tablewright/k8s/crds"
	"github.com/tablewright/tablewright/k8s/embedded"
	"github.com/tablewright/tablewright/k8s/secret"
)

// embeddedMemoryBytes is where the collector begins to work harder, when nobody says otherwise: the API
// server inside the process leaves much garbage under load.
const embeddedMemoryBytes = 1 << 30

// controlPlane is the Kubernetes API that jobs are resources of: one inside this process, or a cluster.
type controlPlane struct {
	config    *rest.Config
	client    client.Client
	uid       string
	namespace string
	secrets   deploy.SecretStore
	leases    bool             // it has Leases, so that one of several controllers can be the leader
	embedded  *embedded.Server // nil for a cluster
}

// openControlPlane starts the embedded control plane, or connects to a cluster and installs the CRDs.
func openControlPlane(ctx context.Context, config Config, log zerolog.Logger) (*controlPlane, error) {
	p := &controlPlane{namespace: config.Kubernetes.Namespace}
	if config.Kubernetes.Kubeconfig == "" && !config.Kubernetes.InCluster {
		if err := p.startEmbedded(ctx, config, log); err != nil {
			return nil, err
		}
	} else if err := p.connect(ctx, config); err != nil {
		return nil, err
	}
	var err error
	if p.client, err = apply.NewClient(p.config); err != nil {
		return nil, fmt.Errorf("control plane: %w", err)
	}
	if err := p.lookAround(config); err != nil {
		return nil, err
	}
	return p, apply.EnsureNamespace(ctx, p.config, config.Kubernetes.Namespace)
}

// lookAround finds out what the control plane has beside our own resources: a cluster has Secrets and
// Leases, the embedded control plane of another gateway has neither.
func (p *controlPlane) lookAround(config Config) error {
	found, err := discovery.NewDiscoveryClientForConfig(p.config)
	if err != nil {
		return fmt.Errorf("control plane: %w", err)
	}
	if p.leases, err = serves(found, "coordination.k8s.io/v1", "leases"); err != nil {
		return err
	}
	core, err := serves(found, "v1", "secrets")
	if err != nil {
		return err
	}
	if core {
		p.secrets = secret.NewCluster(p.client)
		return nil
	}
	p.secrets, err = secret.NewDir(filepath.Join(config.DataDir, "catalog-secrets"))
	return err
}

// serves tells whether a control plane has a resource.
func serves(d *discovery.DiscoveryClient, groupVersion, resource string) (bool, error) {
	list, err := d.ServerResourcesForGroupVersion(groupVersion)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("control plane: %w", err)
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == resource }), nil
}

func (p *controlPlane) startEmbedded(ctx context.Context, config Config, log zerolog.Logger) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(embeddedMemoryBytes)
	}
	server, err := embedded.Start(ctx, embedded.Options{
		Dir:  filepath.Join(config.DataDir, "k8s"),
		Port: config.Kubernetes.Port,
		Log:  logrOf(log, "k8s"),
	})
	if err != nil {
		return err
	}
	p.embedded, p.config, p.uid = server, server.RESTConfig(), server.UID()
	return nil
}

func (p *controlPlane) connect(ctx context.Context, config Config) error {
	var err error
	if config.Kubernetes.InCluster {
		p.config, err = rest.InClusterConfig()
	} else {
		p.config, err = clientcmd.BuildConfigFromFlags("", config.Kubernetes.Kubeconfig)
	}
	if err != nil {
		return fmt.Errorf("control plane: %w", err)
	}
	definitions, err := crds.List()
	if err != nil {
		return err
	}
	if err := apply.InstallCRDs(ctx, p.config, definitions); err != nil {
		return err
	}
	p.uid, err = apply.ClusterUID(ctx, p.config)
	return err
}

// ready tells whether the control plane answers.
func (p *controlPlane) ready(ctx context.Context) error {
	if p.embedded != nil {
		return p.embedded.Ready(ctx)
	}
	return p.client.List(ctx, &v1alpha1.TableProvisionJobList{}, client.Limit(1), client.InNamespace(p.namespace))
}

func (p *controlPlane) stop(ctx context.Context) error {
	if p.embedded == nil {
		return nil
	}
	return p.embedded.Stop(ctx)
}

// died returns when an embedded control plane ends on its own.
func (p *controlPlane) died(ctx context.Context) error {
	if p.embedded == nil {
		<-ctx.Done()
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-p.embedded.Done():
		return fmt.Errorf("the control plane ended: %w", p.embedded.Err())
	}
}

// logrOf is a component's logger for the Kubernetes libraries.
func logrOf(log zerolog.Logger, name string) logr.Logger {
	return logr.FromSlogHandler(zerolog.NewSlogHandler(component(log, name)))
}
