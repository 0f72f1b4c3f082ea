package main

import (
	"context"
	"slices"
)

// target is one way to the same database.
type target struct {
	name string
	port int
	pid  int // of what is between client and server, 0 for nothing
}

// Names of the targets, which are the columns of the tables.
const (
	direct  = "PostgreSQL"
	bouncer = "PgBouncer"
	copier  = "copier"
	gateway = "Tablewright"
)

// series holds what was measured: for each target one figure a round.
type series map[string][]float64

// interleave measures each target once a round, and begins each round with another one: what else the machine
// does, and what the one before has left behind, falls on all of them alike.
func interleave[T any](ctx context.Context, rounds int, targets []target, measure func(context.Context, target) (T, error)) (map[string][]T, error) {
	figures := map[string][]T{}
	for round := range rounds {
		for i := range targets {
			t := targets[(round+i)%len(targets)]
			figure, err := measure(ctx, t)
			if err != nil {
				return nil, err
			}
			figures[t.name] = append(figures[t.name], figure)
		}
	}
	return figures, nil
}

// pick takes one number out of each figure.
func pick[T any](figures map[string][]T, number func(T) float64) series {
	s := series{}
	for name, of := range figures {
		for _, f := range of {
			s[name] = append(s[name], number(f))
		}
	}
	return s
}

func (s series) median(name string) float64 { return median(s[name]) }

// ratio is the median of the rounds' ratios: two figures of one round were taken under the same load.
func (s series) ratio(name, to string) float64 {
	ratios := make([]float64, len(s[name]))
	for i, figure := range s[name] {
		ratios[i] = figure / s[to][i]
	}
	return median(ratios)
}

// added is the median of the rounds' differences.
func (s series) added(name, to string) float64 {
	differences := make([]float64, len(s[name]))
	for i, figure := range s[name] {
		differences[i] = figure - s[to][i]
	}
	return median(differences)
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
