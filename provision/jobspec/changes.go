package jobspec

import (
	"reflect"
	"slices"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// Changes lists what leads from one definition of a table to another. A difference that no ChangeAction
// expresses (keys, constraints, partitioning, identity columns, another order of columns) is 0A000, and
// so are two definitions without a difference.
func Changes(before, after catalog.Table) ([]v1alpha1.TableChange, error) {
	if what := inexpressible(before, after); what != "" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "a change of %s cannot be carried out as a job", what)
	}
	var changes []v1alpha1.TableChange
	for _, b := range before.Columns {
		if findColumn(after, b.Name) == nil {
			changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeDropColumn, Column: b.Name})
		}
	}
	for _, a := range after.Columns {
		if b := findColumn(before, a.Name); b != nil {
			changes = append(changes, columnChanges(*b, a)...)
			continue
		}
		changes = append(changes, addColumn(a)...)
	}
	changes = append(changes, optionChanges(before.Options, after.Options)...)
	if before.Comment != after.Comment {
		changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeSetComment, Value: optional(after.Comment)})
	}
	if len(changes) == 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "nothing is changed")
	}
	return changes, nil
}

// renames lists what gives a table, or columns of it, new names.
func renames(target plan.Resource) []v1alpha1.TableChange {
	var changes []v1alpha1.TableChange
	for _, c := range target.Renames {
		changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeRenameColumn, Column: c.From, NewName: c.To})
	}
	if n := len(target.NewPath); n > 0 {
		changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeRenameTable, NewName: target.NewPath[n-1]})
	}
	return changes
}

// applyRenames is the reverse of renames.
func applyRenames(target *plan.Resource, changes []v1alpha1.TableChange) {
	for _, c := range changes {
		if c.Action == v1alpha1.ChangeRenameColumn {
			target.Renames = append(target.Renames, plan.Rename{From: c.Column, To: c.NewName})
		}
		if c.Action == v1alpha1.ChangeRenameTable {
			target.NewPath = append(slices.Clone(target.Path[:len(target.Path)-1]), c.NewName)
		}
	}
}

func inexpressible(before, after catalog.Table) string {
	switch {
	case !slices.Equal(before.PrimaryKey, after.PrimaryKey):
		return "the primary key"
	case !slices.Equal(before.Constraints, after.Constraints):
		return "constraints"
	case !catalog.SamePartitioning(before.Partitioning, after.Partitioning):
		return "the partitioning"
	}
	for _, a := range after.Columns {
		b := findColumn(before, a.Name)
		if b == nil && a.Identity != "" || b != nil && b.Identity != a.Identity {
			return "an identity column"
		}
	}
	if !sameOrder(before, after) {
		return "the order of columns"
	}
	return ""
}

// sameOrder tells whether the columns that stay keep their order and come before the new ones.
func sameOrder(before, after catalog.Table) bool {
	var kept, order []string
	for _, b := range before.Columns {
		if findColumn(after, b.Name) != nil {
			kept = append(kept, b.Name)
		}
	}
	for _, a := range after.Columns {
		order = append(order, a.Name)
	}
	return len(order) >= len(kept) && slices.Equal(kept, order[:len(kept)])
}

func findColumn(t catalog.Table, name string) *catalog.Column {
	i := slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Columns[i]
}

func addColumn(c catalog.Column) []v1alpha1.TableChange {
	nullable := !c.NotNull
	changes := []v1alpha1.TableChange{{
		Action: v1alpha1.ChangeAddColumn, Column: c.Name, Type: c.Type, Nullable: &nullable, Value: optional(c.Default),
	}}
	if c.Comment != "" {
		changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeSetComment, Column: c.Name, Value: &c.Comment})
	}
	return changes
}

func columnChanges(b, a catalog.Column) []v1alpha1.TableChange {
	var changes []v1alpha1.TableChange
	if b.Type != a.Type {
		changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeSetType, Column: a.Name, Type: a.Type})
	}
	if b.NotNull != a.NotNull {
		nullable := !a.NotNull
		changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeSetNullable, Column: a.Name, Nullable: &nullable})
	}
	if b.Default != a.Default {
		changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeSetDefault, Column: a.Name, Value: optional(a.Default)})
	}
	if b.Comment != a.Comment {
		changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeSetComment, Column: a.Name, Value: optional(a.Comment)})
	}
	return changes
}

func optionChanges(before, after catalog.Options) []v1alpha1.TableChange {
	var changes []v1alpha1.TableChange
	for _, a := range after {
		i := slices.IndexFunc(before, func(b catalog.Option) bool { return b.Name == a.Name })
		if i < 0 || !reflect.DeepEqual(before[i], a) {
			changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeSetOption, Name: a.Name, Value: &a.Value})
		}
	}
	for _, b := range before {
		if !slices.ContainsFunc(after, func(a catalog.Option) bool { return a.Name == b.Name }) {
			changes = append(changes, v1alpha1.TableChange{Action: v1alpha1.ChangeResetOption, Name: b.Name})
		}
	}
	return changes
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
