package controller

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
	"github.com/tablewright/tablewright/k8s/embedded"
)

// envRole makes the test binary another process of the test: the control plane, which must not be taken
// for a leak of the controller's, or a controller that is to be killed.
const (
	envRole    = "TABLEWRIGHT_TEST_CONTROLLER_ROLE"
	envDir     = "TABLEWRIGHT_TEST_CONTROLLER_DIR"
	roleServer = "control-plane"
	roleVictim = "victim"
)

// The control plane that all tests share, each in a namespace of its own.
var (
	restConfig *rest.Config
	api        client.WithWatch
	serverDir  string
)

func TestMain(m *testing.M) {
	ctrllog.SetLogger(logr.Discard())
	switch os.Getenv(envRole) {
	case roleServer:
		os.Exit(runServer(os.Getenv(envDir)))
	case roleVictim:
		os.Exit(runVictim())
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tw-controller-")
	if err != nil {
		return complain(err)
	}
	defer os.RemoveAll(dir)
	var log bytes.Buffer // of the control plane; read after its end, when something failed
	stop, err := startServer(dir, &log)
	if err != nil {
		return complain(fmt.Errorf("%w\n%s", err, log.Bytes()))
	}
	defer stop()
	serverDir = dir
	if restConfig, api, err = connect(dir); err != nil {
		return complain(err)
	}
	code := m.Run()
	stop()
	if code != 0 {
		fmt.Fprintf(os.Stderr, "control plane: %s\n", log.Bytes())
		return code
	}
	// The control plane's end has closed what client-go keeps for the next client of the same server.
	if err := goleak.Find(); err != nil {
		return complain(err)
	}
	return 0
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// startServer runs the control plane as a process that ends with this one.
func startServer(dir string, log io.Writer) (stop func(), err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envRole+"="+roleServer, envDir+"="+dir)
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop = sync.OnceFunc(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "started" {
		stop()
		return nil, fmt.Errorf("control plane did not start: %q %w", line, err)
	}
	return stop, nil
}

func runServer(dir string) int {
	embedded.RouteKlog(logr.Discard())
	s, err := embedded.Start(context.Background(), embedded.Options{Dir: dir})
	if err != nil {
		return complain(err)
	}
	fmt.Println("started")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent closes it, or ends
	if err := s.Stop(context.Background()); err != nil {
		return complain(err)
	}
	return 0
}

func connect(dir string) (*rest.Config, client.WithWatch, error) {
	c, err := clientcmd.BuildConfigFromFlags("", kubeconfigOf(dir))
	if err != nil {
		return nil, nil, err
	}
	c.QPS = -1
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, nil, err
	}
	w, err := client.NewWithWatch(c, client.Options{Scheme: scheme})
	return c, w, err
}
