package main

import (
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/tablewright/tablewright/k8s/embedded"
)

// newLogger writes structured lines for machines, or readable ones for people.
func newLogger(c LogConfig, w io.Writer) zerolog.Logger {
	if c.Format == "console" {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: time.TimeOnly, NoColor: !isTerminal(w)}
	}
	level, err := zerolog.ParseLevel(c.Level)
	if err != nil {
		level = zerolog.InfoLevel
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// routeLibraryLogs sends what the Kubernetes libraries log to our log, once for the process.
func routeLibraryLogs(log zerolog.Logger) {
	embedded.RouteKlog(logrOf(log, "kubernetes"))
	ctrl.SetLogger(logrOf(log, "kubernetes"))
}
