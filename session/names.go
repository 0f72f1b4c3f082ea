package session

import (
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tablewright/tablewright/ddl/parse"
)

// NameCache holds every name by which something managed may be meant: schemas and catalogs by their
// names, relations by their last part. It is a hint that spares statements without such a name a look
// at the home database; what a name really means that database says.
type NameCache struct{ names atomic.Pointer[managedNames] }

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
	c := &NameCache{}
	c.names.Store(newManagedNames())
	return c
}

// Replace puts a fresh list in place of what is held.
func (c *NameCache) Replace(relations, schemas []string) {
	fresh := &managedNames{
		relations: setOf(relations),
		schemas:   setOf(schemas),
	}
	c.names.Store(fresh)
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
	return c.names.Load().any(names)
}

// add puts names on the list at once, before the news of them comes round.
func (c *NameCache) add(more *managedNames) {
	for {
		held := c.names.Load()
		fresh := &managedNames{relations: maps.Clone(held.relations), schemas: maps.Clone(held.schemas)}
		maps.Copy(fresh.relations, more.relations)
		maps.Copy(fresh.schemas, more.schemas)
		if c.names.CompareAndSwap(held, fresh) {
			return
		}
	}
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
