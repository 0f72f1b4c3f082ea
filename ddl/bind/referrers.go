package bind

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// moreOfRename: the tables that refer to a renamed one, or to its renamed column, are in its catalog.
func (n *Needs) moreOfRename(stmt *pg_query.RenameStmt, snap *catalog.Snapshot) {
	switch stmt.GetRenameType() {
	case pg_query.ObjectType_OBJECT_TABLE, pg_query.ObjectType_OBJECT_COLUMN:
	default:
		return
	}
	target := stmt.GetRelation()
	for _, rel := range snap.Relations {
		if rel.Managed && rel.HomeName == target.GetRelname() {
			addUnique(&n.AllOf, rel.Catalog)
		}
	}
	if c, ok := snap.Catalogs[target.GetSchemaname()]; ok {
		addUnique(&n.AllOf, c.Name)
	}
}

// renameReferences writes the foreign keys that refer to the table anew: those of its own, and those that the
// registry has of other tables, which follow in the system by themselves.
func (a *alteration) renameReferences(p *plan.Plan, change func(*pg_query.Constraint)) error {
	for _, rel := range a.snap.Relations {
		if !rel.Managed || rel.Catalog != a.target.catalog.Name || rel.OID == a.target.rel.OID {
			continue
		}
		keys, changed, err := a.changedReferences(rel.Table.ForeignKeys(), change)
		if err != nil {
			return sqlerr.From(err).At(a.position)
		}
		if !changed {
			continue
		}
		if path(a.target.catalog) == plan.Slow {
			return a.unsupported("RENAME of what foreign keys refer to", a.position)
		}
		name := a.nameOf(&rel)
		p.Referrers = append(p.Referrers, plan.ShadowChange{Relation: name.HomeString(), ForeignKeys: &keys})
		p.Locks = append(p.Locks, name.String())
	}
	slices.Sort(p.Locks)
	slices.SortFunc(p.Referrers, func(a, b plan.ShadowChange) int {
		if a.Relation < b.Relation {
			return -1
		}
		return 1
	})
	return nil
}

// changedReferences applies a change to those foreign keys that refer to the table.
func (a *alteration) changedReferences(keys []catalog.Constraint, change func(*pg_query.Constraint)) ([]catalog.Constraint, bool, error) {
	changed := false
	for i, key := range keys {
		if !slices.Equal(Referenced(key.Definition), a.resource.Path) {
			continue
		}
		node, err := constraintNode(key)
		if err != nil {
			return nil, false, err
		}
		change(node)
		definition, err := constraintText(node)
		if err != nil {
			return nil, false, err
		}
		if definition != key.Definition {
			keys[i].Definition, changed = definition, true
		}
	}
	return keys, changed, nil
}

// renameOwnReferences does the same for the table's own foreign keys to itself.
func (a *alteration) renameOwnReferences(change func(*pg_query.Constraint)) error {
	for i, c := range a.table.Constraints {
		if c.Kind != catalog.ForeignKey {
			continue
		}
		one, _, err := a.changedReferences([]catalog.Constraint{c}, change)
		if err != nil {
			return sqlerr.From(err).At(a.position)
		}
		a.table.Constraints[i] = one[0]
	}
	return nil
}
