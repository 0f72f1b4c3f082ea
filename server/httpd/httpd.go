// Package httpd serves health and metrics over HTTP.
package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"
)

const (
	readHeaderTimeout = 5 * time.Second
	readyTimeout      = 2 * time.Second
	shutdownTimeout   = 5 * time.Second
)

// Check is one thing that must hold for the gateway to be ready.
type Check struct {
	Name  string
	Ready func(ctx context.Context) error
}

// Options of a Server.
type Options struct {
	Checks   []Check
	Gatherer prometheus.Gatherer
	Log      zerolog.Logger
}

// Server answers /healthz (the process runs), /readyz (clients can be served; names what is missing) and
// /metrics (Prometheus).
type Server struct {
	opts Options
	http *http.Server
}

// New returns a server that serves nothing yet.
func New(opts Options) *Server {
	s := &Server{opts: opts}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.Handle("GET /metrics", promhttp.HandlerFor(opts.Gatherer, promhttp.HandlerOpts{}))
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: readHeaderTimeout}
	return s
}

// Serve answers until ctx ends.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(ln) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := s.http.Shutdown(stop)
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	s.write(w, http.StatusOK, map[string]string{"status": "alive"})
}

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	answer := map[string]string{}
	code := http.StatusOK
	for _, c := range s.opts.Checks {
		answer[c.Name] = "ready"
		if err := c.Ready(ctx); err != nil {
			answer[c.Name] = "not ready"
			code = http.StatusServiceUnavailable
			s.opts.Log.Debug().Str("check", c.Name).Err(err).Msg("not ready")
		}
	}
	s.write(w, code, answer)
}

func (s *Server) write(w http.ResponseWriter, code int, answer map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		s.opts.Log.Debug().Err(err).Msg("health answer not sent")
	}
}
