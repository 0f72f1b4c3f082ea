package embedded

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// What etcd would end the process for, such as a disk that does not take a write,
// must end the server only, and say so.
func TestFatalEtcdEndsTheServerNotTheProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := Options{Dir: t.TempDir()}
	s, err := Start(ctx, o)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	// The logger ends the goroutine that calls it.
	go s.etcd.GetLogger().Fatal("the disk is gone")
	select {
	case <-s.Done():
	case <-ctx.Done():
		t.Fatalf("the server still runs")
	}
	if err := s.Err(); !errors.Is(err, errEtcd) || !strings.Contains(err.Error(), "the disk is gone") {
		t.Fatalf("Err: %v", err)
	}
	if err := s.Ready(ctx); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Fatalf("Ready: %v", err)
	}
	if err := s.Stop(ctx); err != nil {
		t.Fatalf("Stop after it ended by itself: %v", err)
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		t.Fatalf("the folder is still locked: %v", err)
	}
	_ = lock.Close()
}
