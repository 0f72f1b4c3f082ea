package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

const (
	// apiEndMax is how long the API server has to end before etcd is taken away
	// from under it.
	apiEndMax = apiStopMax + 5*time.Second
	// etcdEndMax is how long etcd has to end before the server counts as stopped
	// without it.
	etcdEndMax = 10 * time.Second
)

// Server is a running control plane.
type Server struct {
	dir, uid   string
	restConfig *rest.Config
	health     rest.Interface
	etcd       *etcd

	hooksOnce sync.Once
	hooks     chan struct{} // closed: the API server's start hooks are through

	stopOnce sync.Once
	stop     chan struct{} // closed: Stop was called
	done     chan struct{} // closed: all has ended
	err      error         // why it ended by itself; read after done
	stopErr  error         // what did not end in time; read after done
}

// Start runs a control plane on the options' folder and returns once it serves
// Tablewright's CRDs. ctx bounds the start only; Stop ends the server.
//
// It returns a *LockedError if another one runs on the folder.
func Start(ctx context.Context, o Options) (*Server, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if err := ownerfile.MkdirAll(o.Dir); err != nil {
		return nil, fmt.Errorf("embedded control plane: %w", err)
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("embedded control plane: %w", err)
	}
	s := &Server{dir: o.Dir, hooks: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{})}
	if err := s.start(ctx, o, lock); err != nil {
		return nil, fmt.Errorf("embedded control plane: %w", err)
	}
	return s, nil
}

// start brings everything up. It owns the lock: on an error all is down again.
func (s *Server) start(ctx context.Context, o Options, lock *os.File) error {
	files, err := prepareFiles(ctx, o)
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	api, err := s.build(ctx, o, files)
	if err != nil {
		return errors.Join(err, files.listener.Close(), lock.Close())
	}
	apiCtx, endAPI := context.WithCancel(context.WithoutCancel(ctx))
	ended := api.run(apiCtx)
	go s.supervise(ended, endAPI, lock)

	err = s.awaitServing(ctx)
	if err == nil {
		err = s.publish(ctx)
	}
	if err == nil {
		return nil
	}
	// It must be up before it can be ended, see supervise.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), apiEndMax)
	defer cancel()
	lateErr := s.awaitServing(late)
	end, cancelEnd := context.WithTimeout(context.WithoutCancel(ctx), apiEndMax+etcdEndMax)
	defer cancelEnd()
	return errors.Join(err, lateErr, s.Stop(end))
}

// build starts etcd and makes the API server. On an error etcd is down again.
func (s *Server) build(ctx context.Context, o Options, f files) (*apiServer, error) {
	s.uid = f.uid
	s.restConfig = restConfig(f.server, f.tokens.admin, f.cert.chain)
	var err error
	if s.health, err = healthClient(s.restConfig); err != nil {
		return nil, err
	}
	if s.etcd, err = startEtcd(ctx, o, f.socket); err != nil {
		return nil, err
	}
	var api *apiServer
	if err = s.etcd.clearNoSpace(ctx, o.Log, o.QuotaBytes); err == nil {
		api, err = newAPIServer(s.etcd.endpoint, f.listener, f.cert, f.tokens)
	}
	if err != nil {
		s.etcd.close(etcdEndMax)
		return nil, err
	}
	return api, nil
}

// supervise waits for the first reason to end, then ends everything in order. It
// is the only one that closes done.
func (s *Server) supervise(apiEnded <-chan error, endAPI context.CancelFunc, lock *os.File) {
	defer close(s.done)
	apiDown := false
	select {
	case <-s.stop:
	case err := <-apiEnded:
		apiDown = true
		s.err = fmt.Errorf("the API server ended by itself: %w", orUnknown(err))
	case err := <-s.etcd.Err():
		s.err = fmt.Errorf("etcd: %w", orUnknown(err))
	case err := <-s.etcd.fatal:
		s.err = fmt.Errorf("etcd: %w", orUnknown(err))
	case <-s.etcd.Server.StopNotify():
		s.err = fmt.Errorf("etcd: %w", errEtcd)
	}
	if !apiDown {
		s.stopErr = s.stopAPI(apiEnded, endAPI)
	}
	if !s.etcd.close(etcdEndMax) {
		// The lock stays: who takes it now would find the data locked.
		s.stopErr = errors.Join(s.stopErr, fmt.Errorf("etcd did not end within %s", etcdEndMax))
		return
	}
	s.stopErr = errors.Join(s.stopErr, lock.Close())
}

// stopAPI ends the API server within a limit.
func (s *Server) stopAPI(apiEnded <-chan error, endAPI context.CancelFunc) error {
	select {
	case <-s.hooks:
		endAPI()
	default:
		// A start hook that is interrupted ends the whole process, so a server
		// that never came up is left alone; it has nothing to serve without etcd.
		return errors.New("the API server did not come up and can not be ended")
	}
	select {
	case err := <-apiEnded:
		return err
	case <-time.After(apiEndMax):
		return fmt.Errorf("the API server did not end within %s", apiEndMax)
	}
}

var errUnknown = errors.New("no reason given")

func orUnknown(err error) error {
	if err == nil {
		return errUnknown
	}
	return err
}

// Stop asks the server to end and waits until it has ended or ctx is over. More
// calls are harmless. It returns an error when ctx was over first, or when a
// part did not end within its limit.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() { close(s.stop) })
	select {
	case <-s.done:
		return s.stopErr
	case <-ctx.Done():
		return fmt.Errorf("stop the embedded control plane: %w", context.Cause(ctx))
	}
}

// Done is closed once the server has ended, asked or not.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns why the server ended by itself; nil while it runs, and after Stop.
func (s *Server) Err() error {
	if !s.ended() {
		return nil
	}
	return s.err
}

func (s *Server) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// RESTConfig returns a new client configuration with all rights.
func (s *Server) RESTConfig() *rest.Config { return rest.CopyConfig(s.restConfig) }

// UID returns the identity of this control plane: the same over restarts, and
// what apply.ClusterUID finds through its API.
func (s *Server) UID() string { return s.uid }

// KubeconfigPath returns the kubeconfig with all rights.
func (s *Server) KubeconfigPath() string { return filepath.Join(s.dir, adminKubeconfig) }

// ProvisionerKubeconfigPath returns the kubeconfig of external provisioners,
// which read jobs, write their status and register themselves, and no more.
func (s *Server) ProvisionerKubeconfigPath() string {
	return filepath.Join(s.dir, provisionerKubeconfig)
}
