package main

import (
	"context"
	"fmt"
	"regexp"
	"time"
)

// scripts are what pgbench sends. The second is pgbench's own read script: in the simple protocol each of its
// statements has another literal.
func scripts() map[string]string {
	return map[string]string{
		"select-1": "SELECT 1;\n",
		"read": fmt.Sprintf("\\set aid random(1, %d)\nSELECT abalance FROM pgbench_accounts WHERE aid = :aid;\n",
			100_000*scale),
	}
}

// measureWire compares the pass-through: two scripts, two protocols, three numbers of clients.
func measureWire(ctx context.Context, st *stage, o options) error {
	match, err := regexp.Compile(o.match)
	if err != nil {
		return err
	}
	fmt.Print("\n## Statements that pass through\n\n")
	fmt.Println("| script | protocol | clients | PostgreSQL, 1/s | PgBouncer | copier | Tablewright | **Tablewright / copier** " +
		"| added by copier, µs | added by Tablewright, µs | **ratio** " +
		"| CPU of PgBouncer, µs | copier | Tablewright | **ratio** |")
	fmt.Println("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	for _, script := range []string{"select-1", "read"} {
		for _, mode := range []string{"simple", "prepared"} {
			for _, clients := range []int{1, 16, 64} {
				name := fmt.Sprintf("%s, %s, %d clients", script, mode, clients)
				if !match.MatchString(name) {
					continue
				}
				progress("wire: %s", name)
				l := load{
					user: user, script: script, mode: mode, clients: clients, threads: min(clients, 2), sslmode: "disable",
					// A startup parameter beyond the plain ones: the gateway then opens the home connection at once, as the
					// others do, and not within the time that is measured.
					env: []string{"PGDATESTYLE=ISO"},
				}
				if err := wireRow(ctx, st, l, o.rounds, o.round); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func wireRow(ctx context.Context, st *stage, l load, rounds int, length time.Duration) error {
	figures, err := interleave(ctx, rounds, st.targets, func(ctx context.Context, t target) (speed, error) {
		return l.run(ctx, st.dir, t, length)
	})
	if err != nil {
		return err
	}
	tps := pick(figures, func(s speed) float64 { return s.perSecond })
	latency := pick(figures, func(s speed) float64 { return s.latency })
	cpu := pick(figures, func(s speed) float64 { return s.cpu })
	byCopier, byGateway := latency.added(copier, direct), latency.added(gateway, direct)
	fmt.Printf("| %s | %s | %d | %.0f | %.2f | %.2f | %.2f | **%.2f** | %.0f | %.0f | **%.2f** | %.1f | %.1f | %.1f | **%.2f** |\n", l.script, l.mode, l.clients,
		tps.median(direct), tps.ratio(bouncer, direct), tps.ratio(copier, direct), tps.ratio(gateway, direct),
		tps.ratio(gateway, copier), byCopier, byGateway, byGateway/byCopier,
		cpu.median(bouncer), cpu.median(copier), cpu.median(gateway), cpu.ratio(gateway, copier))
	return nil
}
