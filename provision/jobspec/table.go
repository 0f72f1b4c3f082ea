package jobspec

import (
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

func tableSpec(r plan.Resource, optionSpecs []catalog.OptionSpec) (v1alpha1.TableSpec, error) {
	path := r.Path
	if len(path) == 0 {
		path = r.Name.Path()
	}
	if len(path) == 0 {
		return v1alpha1.TableSpec{}, sqlerr.New(sqlerr.InvalidName, "%s %q has no name", r.Kind, r.Name.String())
	}
	spec := v1alpha1.TableSpec{Path: path, UID: r.Identity}
	if r.Kind != plan.TableKind {
		return spec, nil
	}
	options, err := tableOptions(r.Table.Options, optionSpecs)
	if err != nil {
		return v1alpha1.TableSpec{}, err
	}
	for _, c := range r.Table.Columns {
		column, err := apiColumn(c)
		if err != nil {
			return v1alpha1.TableSpec{}, err
		}
		spec.Columns = append(spec.Columns, column)
	}
	for _, c := range r.Table.Constraints {
		spec.Constraints = append(spec.Constraints, v1alpha1.Constraint{Name: c.Name, Definition: c.Definition})
	}
	for _, p := range r.Table.Partitioning {
		spec.Partitioning = append(spec.Partitioning, v1alpha1.PartitionField{
			Transform: p.Transform, Columns: p.Columns, Args: p.Args,
		})
	}
	spec.PrimaryKey = r.Table.PrimaryKey
	spec.Options = options
	spec.Comment = r.Table.Comment
	return spec, nil
}

func apiColumn(c catalog.Column) (v1alpha1.Column, error) {
	nullable := !c.NotNull
	column := v1alpha1.Column{Name: c.Name, Type: c.Type, Nullable: &nullable, Default: c.Default, Comment: c.Comment}
	switch c.Identity {
	case "":
	case "ALWAYS":
		column.Identity = v1alpha1.IdentityAlways
	case "BY DEFAULT":
		column.Identity = v1alpha1.IdentityByDefault
	default:
		return v1alpha1.Column{}, sqlerr.New(sqlerr.InternalError, "column %q has identity %q", c.Name, c.Identity)
	}
	return column, nil
}

func resource(spec *v1alpha1.TableProvisionJobSpec) (plan.Resource, error) {
	r := plan.Resource{
		Kind:        plan.TableKind,
		Name:        fullName(spec),
		Path:        spec.Table.Path,
		JobID:       spec.JobID,
		Identity:    spec.Table.UID,
		RequestedBy: spec.RequestedBy,
	}
	switch spec.Kind {
	case v1alpha1.ObjectSchema:
		r.Kind = plan.SchemaKind
		return r, nil
	case v1alpha1.ObjectTable, "":
		table, err := table(spec.Table)
		if err != nil {
			return plan.Resource{}, err
		}
		r.Table = table
		r.Table.Name = r.Name
		return r, nil
	default:
		return plan.Resource{}, sqlerr.New(sqlerr.FeatureNotSupported, "kind %q is not known", spec.Kind)
	}
}

func table(spec v1alpha1.TableSpec) (catalog.Table, error) {
	t := catalog.Table{PrimaryKey: spec.PrimaryKey, Comment: spec.Comment}
	for _, c := range spec.Columns {
		column := catalog.Column{Name: c.Name, Type: c.Type, NotNull: !c.IsNullable(), Default: c.Default, Comment: c.Comment}
		switch c.Identity {
		case "":
		case v1alpha1.IdentityAlways:
			column.Identity = "ALWAYS"
		case v1alpha1.IdentityByDefault:
			column.Identity = "BY DEFAULT"
		default:
			return catalog.Table{}, sqlerr.New(sqlerr.InvalidParameterValue, "identity %q of column %q is not known", c.Identity, c.Name)
		}
		t.Columns = append(t.Columns, column)
	}
	for _, c := range spec.Constraints {
		kind, err := constraintKind(c.Definition)
		if err != nil {
			return catalog.Table{}, err
		}
		t.Constraints = append(t.Constraints, catalog.Constraint{Name: c.Name, Kind: kind, Definition: c.Definition})
	}
	for _, p := range spec.Partitioning {
		t.Partitioning = append(t.Partitioning, catalog.Transform{Transform: p.Transform, Columns: p.Columns, Args: p.Args})
	}
	for _, o := range spec.Options {
		t.Options = append(t.Options, catalog.Option{Name: o.Name, Value: o.Value})
	}
	return t, nil
}

// constraintKind reads the kind that a definition begins with.
func constraintKind(definition string) (catalog.ConstraintKind, error) {
	for _, kind := range []catalog.ConstraintKind{catalog.Check, catalog.Unique, catalog.ForeignKey} {
		n := len(kind)
		if len(definition) > n && strings.EqualFold(definition[:n], string(kind)) && strings.ContainsRune(" (\t\n", rune(definition[n])) {
			return kind, nil
		}
	}
	return "", sqlerr.New(sqlerr.FeatureNotSupported, "constraint %q is neither CHECK nor UNIQUE nor FOREIGN KEY", definition)
}
