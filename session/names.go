package session

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tablewright/tablewright/ddl/parse"
)

// NameCache holds every name by which something managed may be meant: schemas and catalogs by their
// names, relations by their last part. It is a hint that spares statements without such a name a look
// at the home database; what a name really means that database says.
type NameCache struct {
	// recent holds the names of commits here that the list may not have yet. It is looked at first: what goes from
	// it is on the list by then.
	recent, listed atomic.Pointer[managedNames]

	mu           sync.Mutex
	older, newer *managedNames              // what recent is made of: from before and since the list was last begun to be read
	held         map[*Session]*managedNames // and these: names whose commit no one but the home server sees
}

type managedNames struct {
	relations map[string]struct{}
	schemas   map[string]struct{} // and catalogs
}

func newManagedNames() *managedNames {
	return &managedNames{relations: map[string]struct{}{}, schemas: map[string]struct{}{}}
}

// any tells whether one of the names may mean something that is in the list.
func (m *managedNames) any(names []parse.Name) bool {
	return slices.ContainsFunc(names, m.has)
}

// NewNameCache returns an empty cache.
func NewNameCache() *NameCache {
	c := &NameCache{older: newManagedNames(), newer: newManagedNames(), held: map[*Session]*managedNames{}}
	c.listed.Store(newManagedNames())
	c.recent.Store(newManagedNames())
	return c
}

// Refresh reads the list anew. What is committed here while it is read stays. One goroutine may call it.
func (c *NameCache) Refresh(read func() (relations, schemas []string, err error)) error {
	c.mu.Lock()
	c.older, c.newer = union(c.older, c.newer), newManagedNames()
	c.mu.Unlock()
	relations, schemas, err := read()
	if err != nil {
		return err
	}
	c.listed.Store(&managedNames{relations: setOf(relations), schemas: setOf(schemas)})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.older = newManagedNames()
	c.publish()
	return nil
}

// add puts names that have been committed on the list at once, before the news of them comes round.
func (c *NameCache) add(more *managedNames) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newer = union(c.newer, more)
	c.publish()
}

// hold keeps names that a session is about to make by a statement of the home database's: when they are committed,
// other sessions must know them at once. They stay until the session ends.
func (c *NameCache) hold(s *Session, more *managedNames) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if had := c.held[s]; had != nil {
		more = union(had, more)
	}
	c.held[s] = more
	c.publish()
}

// release gives up what a session holds; a list that is read from now on has what was committed of it.
func (c *NameCache) release(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if had := c.held[s]; had != nil {
		delete(c.held, s)
		c.newer = union(c.newer, had)
		c.publish()
	}
}

// publish makes recent of its parts; the caller holds the lock.
func (c *NameCache) publish() {
	all := union(c.older, c.newer)
	for _, l := range c.held {
		all = union(all, l)
	}
	c.recent.Store(all)
}

// union is a copy of all names.
func union(a, b *managedNames) *managedNames {
	all := newManagedNames()
	for _, l := range []*managedNames{a, b} {
		maps.Copy(all.relations, l.relations)
		maps.Copy(all.schemas, l.schemas)
	}
	return all
}

func setOf(names []string) map[string]struct{} {
	set := make(map[string]struct{}, len(names))
	for _, n := range names {
		set[n] = struct{}{}
	}
	return set
}

// mayMean tells whether one of the names may mean something managed.
func (c *NameCache) mayMean(names []parse.Name) bool {
	return c.recent.Load().any(names) || c.listed.Load().any(names)
}

// has tells whether a name may mean something that is in the list. A name of three parts is never the
// home server's to judge: it would take the first for a database.
func (m *managedNames) has(n parse.Name) bool {
	if len(n.Parts) > 2 {
		return true
	}
	if n.New && n.Kind == parse.RelationName && len(n.Parts) == 1 && !n.Temporary && len(m.schemas) > 0 {
		return true // where it is made the search path says
	}
	if len(n.Parts) > 0 {
		// "lake.new" of a schema that does not exist yet belongs to lake.
		if owner, _, layered := strings.Cut(n.Parts[0], "."); layered {
			if _, ok := m.schemas[owner]; ok {
				return true
			}
		}
	}
	for i, part := range n.Parts {
		set := m.schemas
		if i == len(n.Parts)-1 && n.Kind == parse.RelationName {
			set = m.relations
		}
		if _, ok := set[part]; ok {
			return true
		}
	}
	return false
}
