package session

import (
	"errors"
	"slices"
	"testing"

	"github.com/tablewright/tablewright/ddl/parse"
)

// A name that is committed while the list is read stays, and goes with the next list that lacks it.
func TestNameCacheKeepsWhatTheListMisses(t *testing.T) {
	c := NewNameCache()
	add := func(relation string) {
		own := newManagedNames()
		own.relations[relation] = struct{}{}
		own.schemas["lake"] = struct{}{}
		c.add(own)
	}
	refresh := func(during func(), relations ...string) {
		t.Helper()
		if err := c.Refresh(func() ([]string, []string, error) { during(); return relations, []string{"lake"}, nil }); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func() {}
	check := func(want ...string) {
		t.Helper()
		for _, name := range []string{"a", "b", "c"} {
			got := c.mayMean([]parse.Name{{Parts: []string{name}, Kind: parse.RelationName}})
			if got != slices.Contains(want, name) {
				t.Errorf("mayMean(%s) = %t, with %v", name, got, want)
			}
		}
	}
	add("a")
	check("a")
	refresh(func() { add("b") }, "a")
	check("a", "b")
	refresh(nothing, "b")
	check("b")
	refresh(func() { add("c") }, "b", "c")
	refresh(nothing, "c")
	check("c")
	failure := errors.New("no connection")
	add("a")
	if err := c.Refresh(func() ([]string, []string, error) { return nil, nil, failure }); !errors.Is(err, failure) {
		t.Errorf("Refresh = %v, want %v", err, failure)
	}
	check("a", "c")
}

// Names that a session holds outlast every list that lacks them, and go with one that is read behind the session's end.
func TestNameCacheHolds(t *testing.T) {
	c, s := NewNameCache(), &Session{}
	refresh := func() {
		t.Helper()
		if err := c.Refresh(func() ([]string, []string, error) { return nil, nil, nil }); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string, want ...string) {
		t.Helper()
		for _, name := range []string{"a", "b"} {
			if got := c.mayMean([]parse.Name{{Parts: []string{name}, Kind: parse.RelationName}}); got != slices.Contains(want, name) {
				t.Errorf("%s: mayMean(%s) = %t", when, name, got)
			}
		}
	}
	c.release(s) // holds nothing
	for _, name := range []string{"a", "b"} {
		view := newManagedNames()
		view.relations[name] = struct{}{}
		c.hold(s, view)
	}
	check("at once", "a", "b")
	refresh()
	refresh()
	check("after two lists", "a", "b")
	c.release(s)
	check("at the session's end", "a", "b")
	refresh()
	check("after another list")
}
