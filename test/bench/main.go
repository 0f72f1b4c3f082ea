// Command bench measures Tablewright beside PostgreSQL, PgBouncer and a byte copier, in one run on one machine,
// and prints the results as Markdown: `make bench`. What the rows mean is in docs/performance.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// options say how much is measured.
type options struct {
	rounds  int           // how often each figure is taken
	round   time.Duration // how long each takes
	parts   string
	match   string // rows of the wire part
	tables  int    // CREATE TABLE statements a round
	idle    int    // sessions without a home connection
	atHome  int    // sessions with one
	results int    // sessions that have had a large result
}

// part is one table of results.
type part struct {
	name    string
	measure func(ctx context.Context, st *stage, o options) error
}

func parts() []part {
	return []part{
		{"wire", measureWire},
		{"connect", measureConnections},
		{"ddl", measureDDL},
		{"memory", measureMemory},
	}
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of each measurement; the median counts")
	flag.DurationVar(&o.round, "round", 2*time.Second, "length of a round")
	flag.StringVar(&o.parts, "parts", "wire,connect,ddl,memory", "what is measured")
	flag.StringVar(&o.match, "match", "", "only rows of the wire part like this regular expression: 'read, prepared, 16'")
	flag.IntVar(&o.tables, "tables", 40, "CREATE TABLE statements a round")
	flag.IntVar(&o.idle, "idle", 10_000, "idle sessions without a home connection")
	flag.IntVar(&o.atHome, "at-home", 1_000, "idle sessions with a home connection")
	flag.IntVar(&o.results, "results", 500, "idle sessions that have had a large result")
	copierOf := flag.String("copier", "", "be the byte copier in front of the server at this address")
	copierPort := flag.Int("copier-port", 0, "its port")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	work := func() error { return run(ctx, o) }
	if *copierOf != "" {
		work = func() error { return beCopier(*copierPort, *copierOf) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // the deferred stop has nothing left to do
	}
}

func run(ctx context.Context, o options) (err error) {
	wanted := strings.Split(o.parts, ",")
	st, err := newStage(ctx)
	if err != nil {
		return err
	}
	defer st.close()
	if err := st.describe(ctx); err != nil {
		return err
	}
	for _, p := range parts() {
		if !slices.Contains(wanted, p.name) {
			continue
		}
		if err := p.measure(ctx, st, o); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// progress tells a person who waits what is being measured; the results go to standard output.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
