package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/deploy/recorder"
	"github.com/tablewright/tablewright/deploy/relation"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/controller"
	"github.com/tablewright/tablewright/server"
	"github.com/tablewright/tablewright/server/httpd"
	"github.com/tablewright/tablewright/session"
)

// gateway is everything between the home database, the control plane and the clients.
type gateway struct {
	config       Config
	db           *home.Home
	plane        *controlPlane
	log          zerolog.Logger
	listener     net.Listener
	httpListener net.Listener
	front        *server.Server
	health       *httpd.Server
	shared       *session.Gateway
	deployer     *deploy.Deployer
	refresher    deploy.Refresher
	store        *history.Store
	hub          *deploy.Hub
	pools        []*provision.Pool
	recorder     *recorder.Recorder
	controller   *controller.Controller
}

func openHome(ctx context.Context, config Config, log zerolog.Logger) (*home.Home, error) {
	return home.Open(ctx, home.Options{
		DSN:     config.Home.DSN,
		DataDir: config.DataDir,
		BinDir:  config.Home.BinDir,
		User:    config.Home.OSUser,
		Log:     component(log, "home"),
	})
}

// newGateway puts the parts together; nothing runs yet but the listeners.
func newGateway(ctx context.Context, config Config, db *home.Home, plane *controlPlane, log zerolog.Logger) (*gateway, error) {
	g := &gateway{config: config, db: db, plane: plane, log: log, store: history.New(db.Pool()), hub: deploy.NewHub()}
	if err := os.MkdirAll(filepath.Join(config.DataDir, "lake", "warehouse"), 0o750); err != nil {
		return nil, fmt.Errorf("folder of local lakes: %w", err)
	}
	registry := newRegistryOfSystems(config, denyOwnPorts(ownPorts(config, plane)...))
	secrets := newSecrets(config, plane.secrets)
	metrics := newMetrics()
	instance, err := instanceName(config.DataDir)
	if err != nil {
		return nil, err
	}
	if err := g.buildDeployer(instance, config, registry, secrets, metrics); err != nil {
		return nil, err
	}
	g.refresher = deploy.Refresher{Home: db, Deployer: g.deployer, Every: config.Catalogs.Refresh}
	routes, err := session.NewRouteCache()
	if err != nil {
		return nil, err
	}
	g.shared = &session.Gateway{
		Home: newHomeLinks(db, config.Limits.HomeConnectionsMax), Deployer: g.deployer, Discovery: g.deployer, Relations: relation.Access{Pool: g.pools[0]}, Secrets: secrets, Systems: compilers(registry),
		Names: session.NewNameCache(), Routes: routes,
	}
	// An external home database may be shared: a folder of this host is nothing to put into its catalogue.
	if config.Catalogs.SampleLake && db.Embedded() {
		if err := registerLake(ctx, db, config.DataDir, g.shared.Systems); err != nil {
			return nil, err
		}
	}
	if err := g.refreshNames(ctx); err != nil {
		return nil, err
	}
	if err := g.deployer.Adopt(ctx); err != nil {
		return nil, err
	}
	return g, g.buildServers(ctx, config, metrics)
}

// instanceName is the name of the gateway of a data folder, made at its first start. The folder's lock
// sees to it that one process has the name.
func instanceName(dataDir string) (string, error) {
	path := filepath.Join(dataDir, "instance")
	name, err := os.ReadFile(path)
	if err == nil && len(name) > 0 {
		return string(name), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("name of the gateway: %w", err)
	}
	fresh := "gateway-" + uuid.NewString()
	return fresh, os.WriteFile(path, []byte(fresh), 0o600)
}

// buildDeployer makes the two schedulers, fast and slow, and what records the slow one's results. The
// controller's pool is its own: its jobs bring their own definitions of catalogs.
func (g *gateway) buildDeployer(instance string, config Config, registry provision.Registry, secrets deploy.Secrets, metrics *prometheus.Registry) error {
	fast, slow := provision.NewPool(registry, secrets), provision.NewPool(registry, secrets)
	g.pools = []*provision.Pool{fast, slow}
	g.deployer = deploy.New(deploy.Options{
		Pool: fast, History: g.store, Leases: g.store, Shadows: deploy.HomeShadows{Home: g.db, Log: g.log}, Changes: g.hub,
		Jobs:    deploy.KubeJobs{Client: g.plane.client, Namespace: config.Kubernetes.Namespace, Registry: registry},
		Holder:  instance,
		Cluster: g.plane.uid, Metrics: metrics, Log: component(g.log, "deploy"),
	})
	var err error
	g.recorder, err = recorder.New(recorder.Options{
		RESTConfig: g.plane.config, Namespace: config.Kubernetes.Namespace, History: g.store, Finisher: g.deployer,
		Log: logrOf(g.log, "recorder").V(1),
	})
	if err != nil {
		return err
	}
	g.controller, err = controller.New(controller.Options{
		RESTConfig: g.plane.config, Pool: slow, Namespace: config.Kubernetes.Namespace,
		Instance: instance, Version: version, LeaderElection: g.plane.leases,
		Log: logrOf(g.log, "controller").V(1),
	})
	return err
}

func (g *gateway) buildServers(ctx context.Context, config Config, metrics *prometheus.Registry) error {
	var err error
	if g.listener, err = listen(ctx, config.Listen); err != nil {
		return err
	}
	if g.httpListener, err = listen(ctx, config.HTTPListen); err != nil {
		return errors.Join(err, g.listener.Close())
	}
	access, err := newAccess(config)
	if err != nil {
		return errors.Join(err, g.listener.Close(), g.httpListener.Close())
	}
	g.front = server.New(server.Options{
		Access:          access,
		Roles:           g.db,
		Database:        g.db.DatabaseName(),
		Statuses:        g.db.ParameterStatuses,
		NewSession:      g.newSession,
		CancelElsewhere: g.cancelElsewhere,
		DrainTimeout:    config.DrainTimeout,
		Limits:          config.Limits,
		Log:             component(g.log, "server"),
	})
	metrics.MustRegister(g.front.Collector())
	g.health = httpd.New(httpd.Options{
		Checks: []httpd.Check{
			{Name: "listener", Ready: g.front.Ready},
			{Name: "home", Ready: g.db.Ready},
			{Name: "control_plane", Ready: g.plane.ready},
		},
		Gatherer: metrics,
		Log:      component(g.log, "httpd"),
	})
	return nil
}

// run serves until ctx ends. Clients are drained first; what carries jobs out ends after them.
func (g *gateway) run(ctx context.Context, reread func() (Config, error), ready func()) error {
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	group, groupCtx := errgroup.WithContext(ctx)
	background, backgroundCtx := errgroup.WithContext(work)
	for _, part := range []func(context.Context) error{
		g.deployer.RunLeases, g.deployer.RunRecovery, g.recorder.Run, g.controller.Run, g.listenForNames, g.listenForJobs,
		g.listenForCancels, g.refresher.Run,
	} {
		background.Go(func() error { return part(backgroundCtx) })
	}
	group.Go(func() error { return g.front.Serve(groupCtx, g.listener) })
	group.Go(func() error { return g.health.Serve(groupCtx, g.httpListener) })
	group.Go(func() error { return g.plane.died(groupCtx) })
	group.Go(func() error { return g.reloadOnSignal(groupCtx, reread) })
	group.Go(func() error {
		select {
		case <-groupCtx.Done():
			return nil
		case <-backgroundCtx.Done():
			return errors.New("a background part of the gateway ended")
		}
	})
	ready()
	err := group.Wait()
	stopWork()
	if backgroundErr := background.Wait(); backgroundErr != nil && !errors.Is(backgroundErr, context.Canceled) {
		err = errors.Join(err, backgroundErr)
	}
	return err
}

// close closes what opened catalogs.
func (g *gateway) close(context.Context) error {
	var errs []error
	for _, p := range g.pools {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// refreshNames reads which names may mean something managed.
func (g *gateway) refreshNames(ctx context.Context) error {
	return g.shared.Names.Refresh(func() (relations, schemas []string, err error) {
		names, err := g.db.Managed(ctx)
		return names.Relations, append(names.Schemas, names.Catalogs...), err
	})
}

// namesPauseMin and namesPauseMax bound the time from one reading of the names to the next: a file of many
// definitions makes a change with each.
const (
	namesPauseMin = 100 * time.Millisecond
	namesPauseMax = time.Second
)

// namesShare is how many times as long as a reading the pause is at least: the list may be long.
const namesShare = 10

// listenForNames keeps the names fresh, whichever gateway changes them.
func (g *gateway) listenForNames(ctx context.Context) error {
	changed := make(chan struct{}, 1)
	var reader sync.WaitGroup
	reader.Go(func() { g.refreshNamesAfter(ctx, changed) })
	err := g.db.Listen(ctx, func() {
		select {
		case changed <- struct{}{}:
		default: // it will be read anyway
		}
	})
	close(changed)
	reader.Wait()
	return untilDone(ctx, err)
}

// refreshNamesAfter reads the names after each change, several at once, until changed is closed. A reading that
// fails is repeated.
func (g *gateway) refreshNamesAfter(ctx context.Context, changed <-chan struct{}) {
	for range changed {
		for read := false; !read && ctx.Err() == nil; {
			began := time.Now()
			err := g.refreshNames(ctx)
			if read = err == nil; !read && ctx.Err() == nil {
				g.log.Warn().Err(err).Msg("names of managed objects not read")
			}
			select {
			case <-ctx.Done():
			case <-time.After(min(max(namesPauseMin, namesShare*time.Since(began)), namesPauseMax)):
			}
		}
	}
}

func (g *gateway) listenForJobs(ctx context.Context) error {
	return g.hub.Run(ctx, g.store, func(err error) { g.log.Warn().Err(err).Msg("connection for news of jobs lost") })
}

// cancelElsewhere passes a cancel on whose session is not this gateway's.
func (g *gateway) cancelElsewhere(ctx context.Context, pid, secret uint32) {
	if err := g.db.PassCancelOn(ctx, pid, secret); err != nil {
		g.log.Warn().Err(err).Msg("cancel did not reach the other gateways")
	}
}

func (g *gateway) listenForCancels(ctx context.Context) error {
	return g.db.ListenCancels(ctx, func(pid uint32, fits func(uint32) bool) { g.front.Cancel(ctx, pid, fits) })
}

// untilDone is the error of a part that should run until ctx ends.
func untilDone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (g *gateway) newSession(id session.Identity, client session.Client) *session.Session {
	log := component(g.log, "session").With().Str("session_id", id.SessionID).Logger()
	return session.New(id, g.shared, client, log)
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return ln, nil
}

func newMetrics() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// ownPorts are the ports of this host that catalogs may not point at.
func ownPorts(config Config, plane *controlPlane) []uint16 {
	var ports []uint16
	add := func(text string) {
		if port, err := strconv.ParseUint(text, 10, 16); err == nil {
			ports = append(ports, uint16(port))
		}
	}
	for _, address := range []string{config.Listen, config.HTTPListen} {
		if _, port, err := net.SplitHostPort(address); err == nil {
			add(port)
		}
	}
	if u, err := url.Parse(plane.config.Host); err == nil {
		add(u.Port())
	}
	if home, err := pgconn.ParseConfig(config.Home.DSN); err == nil && config.Home.DSN != "" {
		ports = append(ports, home.Port) // of this host only: another host's own pg_hba must keep the gateway's role in
	}
	return ports
}
