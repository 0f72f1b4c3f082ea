package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// load is one run of pgbench.
type load struct {
	user    string
	script  string // of pgbench's own language
	mode    string // simple or prepared
	clients int
	threads int
	connect bool // a connection for each transaction
	sslmode string
	env     []string
}

// speed is what pgbench found.
type speed struct {
	perSecond float64
	latency   float64 // µs, the average
	cpu       float64 // µs a transaction, of the process in the middle
}

var (
	tpsLine     = regexp.MustCompile(`(?m)^tps = ([0-9.]+) \(`)
	latencyLine = regexp.MustCompile(`(?m)^latency average = ([0-9.]+) ms`)
	doneLine    = regexp.MustCompile(`(?m)^number of transactions actually processed: ([0-9]+)`)
	failedLine  = regexp.MustCompile(`(?m)^number of failed transactions: ([0-9]+)`)
)

// run drives a target for a while.
func (l load) run(ctx context.Context, dir string, t target, length time.Duration) (speed, error) {
	args := []string{
		"-n", "-h", "127.0.0.1", "-p", strconv.Itoa(t.port), "-U", l.user, "-M", l.mode, "-f", dir + "/" + l.script,
		"-c", strconv.Itoa(l.clients), "-j", strconv.Itoa(l.threads), "-T", strconv.Itoa(int(max(length.Seconds(), 1))),
	}
	if l.connect {
		args = append(args, "-C")
	}
	cmd := exec.CommandContext(ctx, "pgbench", append(args, database)...)
	cmd.Env = append(os.Environ(), "PGSSLMODE="+l.sslmode, "PGPASSWORD="+clientPassword)
	cmd.Env = append(cmd.Env, l.env...)
	before, err := t.cpuTime()
	if err != nil {
		return speed{}, err
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return speed{}, fmt.Errorf("pgbench at %s: %w\n%s", t.name, err, out)
	}
	if failed := number(failedLine, out); failed > 0 {
		return speed{}, fmt.Errorf("pgbench at %s: %v transactions failed\n%s", t.name, failed, out)
	}
	s := speed{perSecond: number(tpsLine, out), latency: 1000 * number(latencyLine, out)}
	if s.perSecond == 0 {
		return speed{}, fmt.Errorf("pgbench at %s: no speed in its answer\n%s", t.name, out)
	}
	after, err := t.cpuTime()
	s.cpu = float64((after - before).Microseconds()) / number(doneLine, out)
	return s, err
}

// number is what a line of the answer says, 0 without such a line.
func number(line *regexp.Regexp, out []byte) float64 {
	found := line.FindSubmatch(out)
	if found == nil {
		return 0
	}
	n, _ := strconv.ParseFloat(string(found[1]), 64) // the expression admits numbers only
	return n
}
