package main

import (
	"context"
	"fmt"
)

// measureConnections compares new connections, each of which sends one SELECT and leaves.
func measureConnections(ctx context.Context, st *stage, o options) error {
	fmt.Print("\n## New connections, each with one SELECT\n\n")
	fmt.Println("| authentication | PostgreSQL, 1/s | PgBouncer | copier | **Tablewright** |")
	fmt.Println("| --- | --: | --: | --: | --: |")
	for _, l := range []struct {
		name string
		load
	}{
		{"trust", load{user: user, sslmode: "disable"}},
		{"SCRAM-SHA-256", load{user: scramUser, sslmode: "disable"}},
		{"trust over TLS", load{user: user, sslmode: "require"}},
	} {
		progress("connections: %s", l.name)
		l.script, l.mode, l.connect, l.clients, l.threads = "select-1", "simple", true, 4, 4
		figures, err := interleave(ctx, o.rounds, st.targets, func(ctx context.Context, t target) (speed, error) {
			return l.run(ctx, st.dir, t, o.round)
		})
		if err != nil {
			return err
		}
		tps := pick(figures, func(s speed) float64 { return s.perSecond })
		fmt.Printf("| %s | %.0f | %.2f | %.2f | **%.2f** |\n", l.name, tps.median(direct),
			tps.ratio(bouncer, direct), tps.ratio(copier, direct), tps.ratio(gateway, direct))
	}
	return nil
}
