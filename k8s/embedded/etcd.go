package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.uber.org/zap/zapcore"

	"github.com/tablewright/tablewright/k8s/internal/ownerfile"
)

const (
	// defragThresholdMegabytes is the waste from which etcd's file is rewritten at
	// start; nothing else gives freed pages back to the disk.
	defragThresholdMegabytes = 64
	// snapshotEntries bounds the write-ahead log that a start has to read again.
	snapshotEntries = 5000
	// walFilesMax bounds the kept log files, 64 MB each.
	walFilesMax = 2

	etcdTickMillis     = 50
	etcdElectionMillis = 500
)

// etcd is a running etcd that only this process can reach.
type etcd struct {
	*embed.Etcd
	// endpoint is the address clients dial.
	endpoint string
	// fatal yields what etcd would have ended the process for.
	fatal <-chan error
	// closing is true once it was told to end.
	closing *atomic.Bool
}

// startEtcd starts etcd and waits until it serves. The caller closes it.
func startEtcd(ctx context.Context, o Options, socket string) (*etcd, error) {
	fatal := make(chan error, 1)
	report := func(err error) {
		select {
		case fatal <- err:
		default: // the first cause is the one that counts
		}
	}
	closing := new(atomic.Bool)
	cfg, err := etcdConfig(o, socket)
	if err != nil {
		return nil, err
	}
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(newZap(o.Log, report, closing))

	started := make(chan *embed.Etcd, 1)
	go func() { // its own goroutine, since a fatal error ends the goroutine
		defer func() {
			if p := recover(); p != nil {
				report(fmt.Errorf("%w: %v", errEtcd, p))
			}
		}()
		e, err := embed.StartEtcd(cfg)
		if err != nil {
			report(err)
			return
		}
		started <- e
	}()

	e := &etcd{endpoint: "unix://" + socket, fatal: fatal, closing: closing}
	select {
	case err := <-fatal:
		return nil, fmt.Errorf("start etcd: %w", err)
	case e.Etcd = <-started:
	}
	if err := e.await(ctx, socket); err != nil {
		e.close(etcdEndMax)
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	return e, nil
}

// await waits until etcd serves.
func (e *etcd) await(ctx context.Context, socket string) error {
	select {
	case <-e.Server.ReadyNotify():
	case <-e.Server.StopNotify():
		return errEtcd
	case err := <-e.fatal:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := os.Chmod(socket, ownerfile.FileMode); err != nil {
		return fmt.Errorf("restrict socket to its owner: %w", err)
	}
	return nil
}

func etcdConfig(o Options, socket string) (*embed.Config, error) {
	cfg := embed.NewConfig()
	cfg.Dir = filepath.Join(o.Dir, "etcd")
	if err := ownerfile.MkdirAll(cfg.Dir); err != nil {
		return nil, fmt.Errorf("folder of etcd: %w", err)
	}
	cfg.ListenClientUrls = []url.URL{{Scheme: "unix", Path: socket}}
	cfg.ListenPeerUrls = nil // a single member needs no peers, so there is no TCP at all
	// Advertised but never dialled; fixed, so that a restart finds the same member.
	cfg.AdvertiseClientUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:2379"}}
	cfg.AdvertisePeerUrls = []url.URL{{Scheme: "http", Host: "127.0.0.1:2380"}}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.QuotaBackendBytes = o.QuotaBytes
	cfg.SnapshotCount = snapshotEntries
	cfg.MaxWalFiles = walFilesMax
	cfg.BootstrapDefragThresholdMegabytes = defragThresholdMegabytes
	cfg.TickMs, cfg.ElectionMs = etcdTickMillis, etcdElectionMillis
	cfg.EnableGRPCGateway = false
	return cfg, nil
}

// clearNoSpace makes a control plane that ran into its quota writable again if
// room can be made: old revisions are dropped, the file is rewritten, and the
// alarm is taken back when the data then fits. It does nothing without an alarm.
func (e *etcd) clearNoSpace(ctx context.Context, log logr.Logger, quota int64) error {
	if !e.noSpace() {
		return nil
	}
	c := v3client.New(e.Server)
	defer func() { _ = c.Close() }()
	if _, err := c.Compact(ctx, e.Server.KV().Rev(), clientv3.WithCompactPhysical()); err != nil {
		log.V(1).Info("etcd is full and can not be compacted", "err", err.Error())
	}
	if err := e.Server.Defragment(); err != nil {
		return fmt.Errorf("etcd is full: rewrite its file: %w", err)
	}
	if size := e.Server.Backend().Size(); size >= quota {
		log.Error(errNoSpace, "the control plane refuses writes", "size_bytes", size, "quota_bytes", quota)
		return nil
	}
	if _, err := c.AlarmDisarm(ctx, &clientv3.AlarmMember{}); err != nil {
		return fmt.Errorf("etcd is full: take the alarm back: %w", err)
	}
	return nil
}

// noSpace says whether the quota was reached.
func (e *etcd) noSpace() bool {
	for _, a := range e.Server.Alarms() {
		if a.GetAlarm() == pb.AlarmType_NOSPACE {
			return true
		}
	}
	return false
}

var errNoSpace = errors.New("the data of etcd has reached its quota")

// close ends etcd within a limit. It returns false if etcd still runs.
func (e *etcd) close(limit time.Duration) bool {
	e.closing.Store(true)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		e.Close()
	}()
	select {
	case <-closed:
		return true
	case <-time.After(limit):
		return false
	}
}

// endGoroutine is what happens instead of the end of the process when etcd logs
// at a level that means it.
type endGoroutine struct {
	fatal func(error)
}

// OnWrite reports the message and ends the goroutine.
func (e endGoroutine) OnWrite(ce *zapcore.CheckedEntry, _ []zapcore.Field) {
	e.fatal(fmt.Errorf("%w: %s", errEtcd, ce.Message))
	runtime.Goexit()
}
