package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestEveryCall hinders each call that each kind of statement makes, in each way. An error to the client
// means that everything is as it was; success, with or without a WARNING, that the work is done to its end.
func TestEveryCall(t *testing.T) {
	var s summary
	t.Run("kinds", func(t *testing.T) {
		for i, k := range kinds {
			t.Run(strings.ReplaceAll(k.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				sweep(t, i, k, &s)
			})
		}
	})
	t.Log("\n" + s.text())
}

// outcome counts how the runs of one kind ended.
type outcome struct {
	calls, runs, before, after int
}

type summary struct {
	mu sync.Mutex
	of map[string]outcome
}

func (s *summary) add(name string, o outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]outcome{}
	}
	s.of[name] = o
}

func (s *summary) text() string {
	var b strings.Builder
	var all outcome
	b.WriteString("| statement | calls | runs | as before | done |\n| --- | --- | --- | --- | --- |\n")
	for _, k := range kinds {
		o := s.of[k.name]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", k.name, o.calls, o.runs, o.before, o.after)
		all.runs, all.before, all.after = all.runs+o.runs, all.before+o.before, all.after+o.after
	}
	fmt.Fprintf(&b, "| all | | %d | %d | %d |\n", all.runs, all.before, all.after)
	return b.String()
}

// prepare makes a world as a kind of statement wants it.
func prepare(t *testing.T, k kind) *world {
	t.Helper()
	w := newWorld(t, strings.Join(append(k.before, k.statements...), ";"))
	for _, sql := range k.before {
		if text, ok := strings.CutPrefix(sql, "outside: "); ok {
			if _, err := w.outside[0].Exec(context.Background(), text); err != nil {
				t.Fatal(err)
			}
			continue
		}
		w.must(sql)
	}
	w.settle()
	return w
}

// attempt sends a kind's statements. The error is the client's answer.
func (w *world) attempt(k kind) error {
	for _, sql := range k.statements {
		sql = strings.ReplaceAll(w.text(sql), "{port}", strconv.Itoa(w.ports[0]))
		if err := send(w.conn, sql); err != nil {
			if w.conn.PgConn().TxStatus() != 'I' {
				return errors.Join(err, send(w.conn, "rollback"))
			}
			return err
		}
	}
	return nil
}

// sampled is how many calls the short test goes on from one to the next.
const sampled = 9

// sweep hinders the first call, the second, and so on, until the statement has no such call.
func sweep(t *testing.T, number int, k kind, s *summary) {
	w := prepare(t, k)
	w.faults.arm(0, "")
	if err := w.attempt(k); err != nil {
		t.Fatalf("without a fault: %v\n%s", err, detail(err))
	}
	_, calls := w.faults.rest()
	w.settle()
	after := masked(w.dump())
	o := outcome{calls: len(calls)}
	w.close()
	step := 1
	if !whole() {
		step = sampled
	}
	for at := 1 + number%min(step, 5, max(o.calls, 1)); ; at += step {
		more := false
		for _, m := range modesOf(number, at) {
			if w.closed {
				w = prepare(t, k)
			}
			reached, done := w.hinder(k, at, m, after)
			if t.Failed() {
				return
			}
			more = more || reached
			if reached {
				o.runs++
			}
			switch {
			case !reached:
				w.close()
			case done:
				o.after++
				w.close() // what a run leaves as it was is where the next one begins
			default:
				o.before++
			}
		}
		if !more {
			break
		}
	}
	if o.calls > 0 && o.runs == 0 {
		t.Errorf("none of %d calls was hindered", o.calls)
	}
	s.add(k.name, o)
}

// modesOf are the ways in which a call is hindered: all of them, or one, each at its turn.
func modesOf(number, at int) []mode {
	all := []mode{refused, unheard, untold}
	if whole() {
		return all
	}
	return all[(number+at/sampled)%3:][:1]
}

// hinder runs the statement with one call hindered and checks what comes of it.
func (w *world) hinder(k kind, at int, m mode, after string) (reached, done bool) {
	w.t.Helper()
	before := w.dump()
	w.warned = false
	w.faults.arm(at, m)
	answer := w.attempt(k)
	w.settle()
	hit, _ := w.faults.rest()
	if hit == "" {
		if answer != nil {
			w.t.Errorf("call %d was not reached, and the answer is %v", at, answer)
		} else if d := difference(after, masked(w.dump())); d != "" {
			w.t.Errorf("nothing was hindered, and not all is done:\n%s", d)
		}
		return false, true
	}
	what := fmt.Sprintf("call %d %s: %s", at, m, hit)
	if answer == nil && k.again != "" && w.warned {
		w.must(k.again)
	}
	got := w.dump()
	if answer != nil {
		w.checkError(what, answer)
		if d := difference(before, got); d != "" {
			w.t.Errorf("%s\nthe answer is %v\n%s\nbut not all is as before:\n%s", what, answer, detail(answer), d)
		}
	} else if d := difference(after, masked(got)); d != "" {
		w.t.Errorf("%s\nthe answer is success, but not all is done:\n%s", what, d)
	}
	if n := w.notUndone(); n != "0" {
		w.t.Errorf("%s\n%s jobs are undo_failed: %v\n%s", what, n, answer, detail(answer))
	}
	return true, answer == nil
}

// codes are what a hindered statement may answer: the test's own refusal, a system that does not answer, and
// what a statement says that found its object changed.
var codes = []string{"42501", "58030", "HV00N"}

func (w *world) checkError(what string, answer error) {
	w.t.Helper()
	if e, ok := errors.AsType[*pgconn.PgError](answer); !ok || !slices.Contains(codes, e.Code) {
		w.t.Errorf("%s\nthe answer is %v\n%s", what, answer, detail(answer))
	}
	if err := send(w.conn, "select 1"); err != nil {
		w.t.Errorf("%s\nthe session cannot go on: %v", what, err)
	}
}

func detail(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Detail
	}
	return ""
}
