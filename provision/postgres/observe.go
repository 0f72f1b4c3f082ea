package postgres

import (
	"context"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// Observe reads the object's catalogue rows and compares them with the definition.
func (s *System) Observe(ctx context.Context, r plan.Resource) (provision.Observation, error) {
	n, err := s.name(r)
	if err != nil {
		return provision.Observation{}, err
	}
	c, err := s.acquire(ctx)
	if err != nil {
		return provision.Observation{}, err
	}
	defer c.release(ctx)
	return s.observe(ctx, c, n, r)
}

func (s *System) observe(ctx context.Context, c *conn, n name, r plan.Resource) (provision.Observation, error) {
	if r.Kind == plan.SchemaKind {
		identity, err := readSchema(ctx, c, n.schema)
		if err != nil {
			return provision.Observation{}, s.errs.later(ctx, err)
		}
		if identity == "" {
			return provision.Observation{}, nil
		}
		dependents, err := readDependents(ctx, c, "pg_namespace", identity)
		if err != nil {
			return provision.Observation{}, s.errs.later(ctx, err)
		}
		return provision.Observation{Exists: true, Identity: identity, UpToDate: true, Dependents: dependents}, nil
	}
	found, err := readRelation(ctx, c, n)
	if err != nil {
		return provision.Observation{}, s.errs.later(ctx, err)
	}
	if found == nil {
		return provision.Observation{}, nil
	}
	same := func(a, b, typ, from string) bool { return sameMeaning(ctx, c, a, b, typ, from) }
	o := observation(n, found, r, same)
	o.Dependents, err = readDependents(ctx, c, "pg_class", found.identity)
	return o, s.errs.later(ctx, err)
}

func observation(n name, found *relation, r plan.Resource, same sameExpression) provision.Observation {
	o := provision.Observation{Exists: true, Identity: found.identity, Found: found.table(r.Name)}
	for _, c := range diff(n, found, r.Table, same) {
		o.Diff = append(o.Diff, c.line)
		o.Destructive = o.Destructive || c.destructive
		if !c.possible() {
			o.Blocked = append(o.Blocked, c.line)
		}
	}
	o.UpToDate = len(o.Diff) == 0
	o.Outputs = []provision.Output{{Name: "relation", Value: n.sql()}}
	return o
}
