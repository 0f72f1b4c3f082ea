package postmaster

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// gatewayDir, in the environment, makes the test binary a gateway: it starts a server on that data folder
// and stays until it is killed.
const gatewayDir = "TABLEWRIGHT_TEST_GATEWAY_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(gatewayDir); dir != "" {
		server, err := Start(context.Background(), Options{DataDir: dir, Unsafe: true})
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(server.PID())
		select {}
	}
	goleak.VerifyTestMain(m)
}
