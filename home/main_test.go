package home_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/home/hometest"
)

// shared is the home database of the tests that leave it as they found it.
var shared *home.Home

func TestMain(m *testing.M) {
	code := hometest.Run(m, func(h *home.Home) { shared = h })
	if err := goleak.Find(); err != nil && code == 0 {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}
