package iceberg

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// Delete takes the object out of the catalogue when it is still the one of r.Identity, and then removes
// a table's files, unless the option purge, the property of that name or gc.enabled says otherwise. A
// folder that this package made goes as a whole; of other tables, the files that their metadata names.
// A deletion that died half-way is finished by the next one with the same identity.
func (s *System) Delete(ctx context.Context, r plan.Resource, call provision.Call) error {
	n, err := s.name(r)
	if err != nil {
		return err
	}
	if r.Kind == plan.SchemaKind {
		return s.fail(ctx, s.deleteNamespace(ctx, n, r, call))
	}
	return s.fail(ctx, s.deleteTable(ctx, n, r, call))
}

func (s *System) deleteNamespace(ctx context.Context, n name, r plan.Resource, call provision.Call) error {
	call.Step(stepDropNamespace, false)
	dropped, err := s.rows.dropNamespace(ctx, n.schema, r.Identity)
	if err != nil || dropped {
		call.Step(stepDropNamespace, err == nil)
		return err
	}
	found, err := s.rows.namespace(ctx, n.schema)
	switch {
	case err != nil || !found.exists:
		return err
	case r.Identity != "" && r.Identity != found.identity:
		return otherOne(r, n.schema, found.identity)
	default:
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop schema %s because other objects depend on it", n.schema).
			WithDetail("It holds tables or views.")
	}
}

func otherOne(r plan.Resource, label, identity string) error {
	return provision.Error(provision.Conflict, "%s %s is another one of the same name", r.Kind, catalog.QuoteIdent(label)).
		WithDetail("It is %s, not %s.", identity, r.Identity)
}

func (s *System) deleteTable(ctx context.Context, n name, r plan.Resource, call provision.Call) error {
	for {
		call.Step(stepLoad, false)
		row, err := s.rows.lookup(ctx, n)
		if err != nil {
			return err
		}
		if row == nil {
			return s.removeLeftovers(n, r)
		}
		if row.view {
			return sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", n.table)
		}
		loaded, err := s.loadForDelete(ctx, n, r, row.metadata)
		if err != nil {
			return err
		}
		call.Step(stepLoad, true)
		call.Step(stepDrop, false)
		removed, err := s.rows.remove(ctx, n, row.metadata)
		if err != nil {
			return err
		}
		if removed {
			call.Step(stepDrop, true)
			return s.purge(ctx, n, r, loaded, call)
		}
		// Somebody changed the table since it was loaded: look again.
	}
}

// loadForDelete loads a table and checks that it is the one that is meant. A table whose metadata is lost
// is nil; whose it was is told by its folder.
func (s *System) loadForDelete(ctx context.Context, n name, r plan.Resource, location string) (*table.Table, error) {
	loaded, err := s.table(n).at(ctx, location)
	if errors.Is(err, fs.ErrNotExist) {
		if r.Identity != "" && !strings.Contains(location, "-"+r.Identity+"/") {
			return nil, otherOne(r, n.table, "one whose metadata is lost")
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if identity := loaded.Metadata().TableUUID().String(); r.Identity != "" && r.Identity != identity {
		return nil, otherOne(r, n.table, identity)
	}
	return loaded, nil
}

// wantsPurge tells whether a table's files go with it.
func wantsPurge(options catalog.Options, properties iceberg.Properties) bool {
	if text, ok := options.Get(optPurge); ok {
		purge, valid := provision.ParseBool(text)
		return purge || !valid
	}
	return properties[propPurge] != "false" && properties[table.GCEnabledKey] != "false"
}

func (s *System) purge(ctx context.Context, n name, r plan.Resource, loaded *table.Table, call provision.Call) error {
	if loaded == nil || !wantsPurge(r.Table.Options, loaded.Properties()) {
		return nil
	}
	call.Step(stepRemoveFiles, false)
	if err := s.removeFiles(ctx, n, loaded); err != nil {
		return err
	}
	call.Step(stepRemoveFiles, true)
	return nil
}

func (s *System) removeFiles(ctx context.Context, n name, loaded *table.Table) error {
	folder := tableFolder(s.warehouse, n, loaded.Metadata().TableUUID().String())
	if location, err := localPath(loaded.Location()); err == nil && location == folder {
		return s.files.removeFolder(folder)
	}
	return loaded.PurgeFiles(ctx)
}

// removeLeftovers removes the folder of a table that is not in the catalogue: its maker or its deleter
// died half-way.
func (s *System) removeLeftovers(n name, r plan.Resource) error {
	identity, err := uuid.Parse(r.Identity)
	if err != nil || !wantsPurge(r.Table.Options, nil) {
		return nil //nolint:nilerr // no identity, so nothing that could be this table's
	}
	return s.files.removeFolder(tableFolder(s.warehouse, n, identity.String()))
}
