package embedded_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/tablewright/tablewright/k8s/embedded/embeddedtest"
)

// Not parallel: goroutines of other tests would count.
func TestStopLeavesNoGoroutine(t *testing.T) {
	s := embeddedtest.Start(t)
	createJob(t, s.RESTConfig())
	watch(t, s.RESTConfig())
	embeddedtest.Stop(t, s)
	// The health check of the API server's log keeps one goroutine a process.
	if err := goleak.Find(goleak.IgnoreAnyFunction("k8s.io/apimachinery/pkg/util/wait.Forever")); err != nil {
		t.Fatalf("after Stop: %v", err)
	}
}
