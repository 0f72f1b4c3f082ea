package embedded_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/tablewright/tablewright/k8s/embedded"
)

// envChild makes the test binary run a control plane on the folder it names
// until its input ends, so that tests can kill a real process.
const envChild = "TABLEWRIGHT_TEST_EMBEDDED_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envChild); dir != "" {
		os.Exit(runChild(dir))
	}
	embedded.RouteKlog(logr.Discard())
	log.SetLogger(logr.Discard())
	os.Exit(m.Run())
}

// runChild prints what came of the start in one line, and all that is logged at
// the lowest level and as errors.
func runChild(dir string) int {
	ctx := context.Background()
	l := funcr.New(func(prefix, args string) { fmt.Fprintln(os.Stderr, prefix, args) }, funcr.Options{})
	embedded.RouteKlog(l)
	s, err := embedded.Start(ctx, embedded.Options{Dir: dir, Log: l})
	if err != nil {
		fmt.Printf("error: %v\n", err)
		return 1
	}
	fmt.Println("started")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := s.Stop(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
