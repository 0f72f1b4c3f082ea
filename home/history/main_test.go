package history_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/history"
	"github.com/tablewright/tablewright/home/hometest"
)

var (
	shared *home.Home
	store  *history.Store
)

func TestMain(m *testing.M) {
	code := hometest.Run(m, func(h *home.Home) { shared, store = h, history.New(h.Pool()) })
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
