package embedded

import (
	"errors"
	"sync/atomic"

	"github.com/go-logr/logr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
)

// RouteKlog sends what the Kubernetes libraries log to log, one level lower than
// they think it is: silent when healthy. It sets klog's logger for the whole
// process, so call it once at the process's start, before anything uses klog.
func RouteKlog(log logr.Logger) {
	klog.SetLoggerWithOptions(log.V(1).WithName("kubernetes"), klog.ContextualLogger(true))
}

// newZap returns a logger for etcd that writes to log. What etcd would end the
// process for (it calls Fatal or Panic) goes to fatal instead, and ends only the
// goroutine that met it. Once closing is true errors count as information: etcd
// calls it an error that its listeners close.
func newZap(log logr.Logger, fatal func(error), closing *atomic.Bool) *zap.Logger {
	end := endGoroutine{fatal: fatal}
	return zap.New(&zapCore{log: log.WithName("etcd"), closing: closing}, zap.WithFatalHook(end), zap.WithPanicHook(end))
}

// storageVersionLater is what etcd calls an error when it looks at a new data folder's version before its
// first write has come to the disk; it looks again 4 s later.
const storageVersionLater = "failed to update storage version"

// zapCore is a zapcore.Core that writes to a logr.Logger: errors as errors,
// warnings at level 1, information at level 2, debugging not at all.
type zapCore struct {
	log     logr.Logger
	closing *atomic.Bool
	fields  []zapcore.Field
}

func (c *zapCore) Enabled(l zapcore.Level) bool {
	return l > zapcore.WarnLevel || l == zapcore.WarnLevel && c.log.V(1).Enabled() ||
		l == zapcore.InfoLevel && c.log.V(2).Enabled()
}

func (c *zapCore) With(fields []zapcore.Field) zapcore.Core {
	all := make([]zapcore.Field, 0, len(c.fields)+len(fields))
	return &zapCore{log: c.log, closing: c.closing, fields: append(append(all, c.fields...), fields...)}
}

func (c *zapCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) {
		return ce.AddCore(e, c)
	}
	return ce
}

func (c *zapCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	enc := zapcore.NewMapObjectEncoder()
	for _, f := range c.fields {
		f.AddTo(enc)
	}
	for _, f := range fields {
		f.AddTo(enc)
	}
	kv := make([]any, 0, 2*len(enc.Fields))
	for k, v := range enc.Fields {
		kv = append(kv, k, v)
	}
	switch {
	case e.Level > zapcore.WarnLevel && !c.closing.Load() && e.Message != storageVersionLater:
		c.log.Error(nil, e.Message, kv...)
	case e.Level >= zapcore.WarnLevel:
		c.log.V(1).Info(e.Message, kv...)
	default:
		c.log.V(2).Info(e.Message, kv...)
	}
	return nil
}

func (c *zapCore) Sync() error { return nil }

// errEtcd is the cause of what etcd calls fatal.
var errEtcd = errors.New("etcd can not go on")
