// Package embeddedtest gives tests an embedded control plane of their own.
package embeddedtest

import (
	"context"
	"testing"
	"time"

	"github.com/tablewright/tablewright/k8s/embedded"
)

const (
	startMax = 60 * time.Second
	stopMax  = 30 * time.Second
)

// Start runs a control plane in a temporary folder until the test has ended. It
// takes about a second, so share one between subtests.
func Start(t testing.TB) *embedded.Server {
	t.Helper()
	return StartWith(t, embedded.Options{Dir: t.TempDir()})
}

// StartWith runs a control plane with the given options until the test has ended.
func StartWith(t testing.TB, o embedded.Options) *embedded.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startMax)
	defer cancel()
	s, err := embedded.Start(ctx, o)
	if err != nil {
		t.Fatalf("start the embedded control plane: %v", err)
	}
	t.Cleanup(func() { Stop(t, s) })
	return s
}

// Stop ends a control plane and fails the test if that goes wrong.
func Stop(t testing.TB, s *embedded.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), stopMax)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Errorf("stop the embedded control plane: %v", err)
	}
	if err := s.Err(); err != nil {
		t.Errorf("the embedded control plane had ended by itself: %v", err)
	}
}
