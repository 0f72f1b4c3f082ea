package controller

import (
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/tablewright/tablewright/provision"
)

const (
	workersDefault = 4
	// Lengths that the API allows for status.controller, in bytes.
	instanceLengthMax = 253
	versionLengthMax  = 63
)

// Options say which jobs a controller carries out, and as whom.
type Options struct {
	// RESTConfig reaches the control plane. Required.
	RESTConfig *rest.Config
	// Pool opens catalogs; its registry says which types the controller serves. Required. It resolves
	// secrets for Namespace and is the controller's own: jobs name their catalogs freely, and the
	// gateway's generation does not tell two definitions of one name apart.
	Pool *provision.Pool
	// Namespace is where the jobs are, and their secrets. Required: a controller that served several
	// would mix up their secrets and connections.
	Namespace string
	// Instance tells this instance from others of the same controller, such as a pod's name. Required. A
	// process that starts again with the name takes its jobs up at once.
	Instance string
	// Version is written beside the instance.
	Version string
	// LeaderElection lets one of several instances work, by a Lease in Namespace. An embedded control
	// plane knows no leases: there the lock of the data folder is the leader.
	LeaderElection bool
	// Workers is how many jobs are carried out at once. Default 4.
	Workers int
	// Log receives what goes wrong. It is silent while all is well.
	Log logr.Logger
	// Clock is replaced in tests.
	Clock clock.WithTicker
}

func (o Options) complete() (Options, error) {
	var errs []error
	if o.RESTConfig == nil {
		errs = append(errs, errors.New("no control plane is given"))
	}
	if o.Pool == nil || len(o.Pool.Registry()) == 0 {
		errs = append(errs, errors.New("no types of catalog are given"))
	}
	if o.Namespace == "" {
		errs = append(errs, errors.New("no namespace is given"))
	}
	if o.Instance == "" || len(o.Instance) > instanceLengthMax {
		errs = append(errs, fmt.Errorf("instance name %q must have 1 to %d bytes", o.Instance, instanceLengthMax))
	}
	if o.Workers < 0 {
		errs = append(errs, fmt.Errorf("%d workers are not possible", o.Workers))
	}
	if len(errs) > 0 {
		return o, fmt.Errorf("controller of table provision jobs: %w", errors.Join(errs...))
	}
	if o.Workers == 0 {
		o.Workers = workersDefault
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	o.Version = clamp(o.Version, versionLengthMax)
	return o, nil
}
