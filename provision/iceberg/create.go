package iceberg

import (
	"context"
	"errors"
	"maps"

	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/provision"
)

// Create makes the object. A table's identity is persisted before anything is written; then its metadata
// file is written, and one row in the catalogue makes it visible. What a maker that died in between left
// is a file that nothing refers to: the same job, or Delete with its identity, takes it away.
func (s *System) Create(ctx context.Context, r plan.Resource, call provision.Call) (provision.Observation, error) {
	n, err := s.name(r)
	if err != nil {
		return provision.Observation{}, err
	}
	var wanted *definition
	if r.Kind == plan.TableKind {
		if wanted, err = define(n, r.Table); err != nil {
			return provision.Observation{}, err
		}
	}
	o, err := s.Observe(ctx, r)
	if err != nil {
		return provision.Observation{}, err
	}
	if o.Exists {
		return s.adopt(ctx, n, r, o, call)
	}
	made, err := s.make(ctx, n, r, wanted, call)
	if err != nil {
		return provision.Observation{}, s.fail(ctx, err)
	}
	if o, err = s.Observe(ctx, r); err != nil {
		return provision.Observation{}, err
	}
	if !made {
		return s.adopt(ctx, n, r, o, call)
	}
	return o, nil
}

// adopt succeeds when what exists is the job's own work: its identity is persisted again, in case the
// job died before it could note it, or raced with itself.
func (s *System) adopt(
	ctx context.Context, n name, r plan.Resource, o provision.Observation, call provision.Call,
) (provision.Observation, error) {
	own := r.JobID != "" && o.JobID == r.JobID || r.Identity != "" && o.Identity == r.Identity
	switch {
	case own:
		return o, call.Marked(ctx, o.Identity)
	case r.Kind == plan.SchemaKind:
		return provision.Observation{}, provision.Error(provision.SchemaExists, "schema %q already exists", n.schema)
	default:
		return provision.Observation{}, provision.Error(provision.Exists, "relation %q already exists", n.table)
	}
}

// make tells false when somebody else was faster.
func (s *System) make(ctx context.Context, n name, r plan.Resource, wanted *definition, call provision.Call) (bool, error) {
	identity, err := uuid.Parse(r.Identity)
	if err != nil {
		identity = uuid.New()
	}
	if r.Kind == plan.SchemaKind {
		return s.makeNamespace(ctx, n, r, identity.String(), call)
	}
	found, err := s.rows.namespace(ctx, n.schema)
	if err != nil {
		return false, err
	}
	if !found.exists {
		return false, noSchema(n)
	}
	if err := call.Marked(ctx, identity.String()); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	call.Step(stepWriteMetadata, false)
	t := s.table(n)
	location, err := s.firstMetadata(t, r, wanted, identity)
	if err != nil {
		return false, err
	}
	call.Step(stepWriteMetadata, true)
	call.Step(stepCommit, false)
	made, known, err := s.publish(ctx, t, location)
	if made {
		call.Step(stepCommit, true)
		return true, nil
	}
	// With an identity that was given, another run of the same job may share the folder.
	if known && r.Identity == "" {
		err = errors.Join(err, s.files.removeFolder(tableFolder(s.warehouse, n, identity.String())))
	}
	return false, err
}

func (s *System) makeNamespace(ctx context.Context, n name, r plan.Resource, identity string, call provision.Call) (bool, error) {
	if err := call.Marked(ctx, identity); err != nil {
		return false, err
	}
	call.Step(stepCreateNamespace, false)
	made, err := s.rows.createNamespace(ctx, n.schema, identity, r.JobID)
	if made {
		call.Step(stepCreateNamespace, true)
	}
	return made, err
}

// firstMetadata writes the metadata of a new table.
func (s *System) firstMetadata(t *tableIO, r plan.Resource, wanted *definition, identity uuid.UUID) (string, error) {
	properties := maps.Clone(wanted.properties)
	properties[table.PropertyFormatVersion] = wanted.version
	if r.JobID != "" {
		properties[propJobID] = r.JobID
	}
	folder := fileURI(tableFolder(s.warehouse, t.n, identity.String()))
	meta, err := table.NewMetadataWithUUID(wanted.schema, wanted.spec, wanted.order, folder, properties, identity)
	if err != nil {
		return "", provision.Error(provision.Invalid, "table %s: %s", t.n, err)
	}
	return t.writeMetadata(meta, 0)
}

// publish makes a table visible. It tells false without an error when the name is taken, and known =
// false when an error left open what happened.
func (s *System) publish(ctx context.Context, t *tableIO, location string) (made, known bool, err error) {
	added, err := s.rows.insert(ctx, t.n, location)
	switch {
	case err == nil && added:
		return true, true, nil
	case err == nil:
		return false, true, noSchema(t.n)
	case taken(err):
		return false, true, t.files.Remove(location)
	}
	current, known := t.settle(ctx, location)
	if current {
		return true, true, nil
	}
	return false, known, err
}
