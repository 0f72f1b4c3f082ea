package faults

import (
	"context"
	"regexp"
	"strings"
	"testing"
)

// outages are the kinds of statement that an outage is tried on: those that work inline, since a job simply
// waits until its system is back.
func outages() []kind {
	const short = "a block that creates, alters and drops"
	var list []kind
	for _, k := range kinds {
		job := strings.Contains(strings.Join(append(k.before, k.statements...), ";"), "{j}")
		if k.name == short || whole() && !job {
			list = append(list, k)
		}
	}
	return list
}

// TestOutage takes the systems away at a call and gives them back when the client has its answer. What could
// not be undone meanwhile is undo_failed, named in DETAIL and listed; nothing else is left.
func TestOutage(t *testing.T) {
	for i, k := range outages() {
		t.Run(strings.ReplaceAll(k.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			step := 11
			if whole() {
				step = 1
			}
			counts := map[string]int{}
			for at := 1 + i%step; ; at += step {
				end := outageAt(t, k, at)
				if end == "" || t.Failed() {
					break
				}
				counts[end]++
			}
			t.Logf("%v", counts)
		})
	}
}

func outageAt(t *testing.T, k kind, at int) string {
	w := prepare(t, k)
	defer w.close()
	before := w.dump()
	w.faults.arm(at, outage)
	answer := w.attempt(k)
	hit, _ := w.faults.rest()
	if hit == "" {
		return ""
	}
	w.settle()
	failed := w.lines(w.conn, "select job_id from tablewright.show_jobs where state = 'undo_failed' and target ~ $1", w.pattern())
	for id := range strings.FieldsSeq(failed) {
		if !strings.Contains(detail(answer), id) || !strings.Contains(detail(answer), "could not be undone") {
			t.Errorf("call %d: %s\njob %s is undo_failed, and the answer is %v\n%s", at, hit, id, answer, detail(answer))
		}
	}
	switch {
	case answer == nil:
		w.checkDone(k, at, hit)
		return "done"
	case failed == "":
		if d := difference(before, w.dump()); d != "" {
			t.Errorf("call %d: %s\nthe answer is %v\n%s\nbut not all is as before:\n%s\njobs: %s", at, hit, answer, detail(answer), d, w.history())
		}
		return "as before"
	default:
		w.repair(k, at, hit, before)
		return "undo_failed"
	}
}

// checkDone sends the same in a world without faults and compares.
func (w *world) checkDone(k kind, at int, hit string) {
	w.t.Helper()
	other := prepare(w.t, k)
	defer other.close()
	if err := other.attempt(k); err != nil {
		w.t.Fatal(err)
	}
	other.settle()
	if d := difference(masked(other.dump()), masked(w.dump())); d != "" {
		w.t.Errorf("call %d: %s\nthe answer is success, but not all is done:\n%s", at, hit, d)
	}
}

// repair does what docs/operations.md says of jobs in state undo_failed: the system is brought to what home
// knows, and the statement is sent again.
func (w *world) repair(k kind, at int, hit, before string) {
	w.t.Helper()
	sections := strings.Split(before, "-- system ")
	for i, conn := range w.outside {
		if conn == nil {
			continue
		}
		for _, sql := range restore(sections[1+i], w.lines(conn, structureQuery, ".", ".")) {
			if _, err := conn.Exec(context.Background(), sql); err != nil {
				w.t.Errorf("%s: %v", sql, err)
			}
		}
	}
	if err := w.attempt(k); err != nil {
		w.t.Errorf("call %d: %s\nafter the repair: %v\n%s", at, hit, err, detail(err))
		return
	}
	w.settle()
	w.checkDone(k, at, hit)
}

// structureLine is a line of structureQuery about a schema, relation or column.
var structureLine = regexp.MustCompile(`(?m)^(schema|relation|column) (\S+) (?:([rp]) )?(?:oid=(\d+))?`)

// restore is what gives a system back the structure that it had: tables have their names, and what is more goes.
func restore(had, has string) []string {
	names, known := map[string]string{}, map[string]bool{}
	for _, m := range structureLine.FindAllStringSubmatch(had, -1) {
		known[m[1]+m[2]] = true
		if m[4] != "" {
			names[m[4]] = m[2]
		}
	}
	var renames, drops []string
	for _, m := range structureLine.FindAllStringSubmatch(has, -1) {
		kind, name, oid := m[1], m[2], m[4]
		former, there := names[oid]
		last := strings.LastIndexByte(name, '.')
		switch {
		case known[kind+name] && (oid == "" || there):
		case kind == "relation" && m[3] != "" && there:
			renames = append(renames, "alter table "+name+" rename to "+former[strings.IndexByte(former, '.')+1:])
		case kind == "relation" && m[3] != "", kind == "schema":
			drops = append(drops, "drop "+strings.Replace(kind, "relation", "table", 1)+" if exists "+name+" cascade")
		case kind == "column" && known["relation"+name[:last]]:
			drops = append(drops, "alter table "+name[:last]+" drop column "+name[last+1:])
		}
	}
	return append(renames, drops...)
}
