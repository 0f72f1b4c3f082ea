package iceberg

import (
	"context"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/provision"
)

const schemaDefault = "public"

// The names of options.
const (
	optCatalog       = "catalog"
	optCatalogName   = "catalog_name"
	optURI           = "uri"
	optWarehouse     = "warehouse"
	optToken         = "token"
	optDefaultSchema = "default_schema"

	optPartitioning  = "partitioning"
	optSortOrder     = "sort_order"
	optFormatVersion = "format_version"
	optPurge         = "purge"
)

// Options describes the options of a catalog and of a table. A table takes Iceberg's own table
// properties as well (see propertyOption).
func (o *Opener) Options() catalog.OptionSchema {
	return catalog.OptionSchema{
		Catalog: append(catalogOptions(), provision.CommonCatalogOptions()...),
		Table:   tableOptions(),
	}
}

func catalogOptions() []catalog.OptionSpec {
	text := catalog.StringOption
	return []catalog.OptionSpec{
		{
			Name: optCatalog, Type: catalog.EnumOption, Default: "sql", Enum: []string{"sql", "rest", "glue", "hive"},
			Description: "kind of Iceberg catalogue; sql is supported",
		},
		{Name: optURI, Type: text, Required: true, Changeable: true, Description: "SQLite file: sqlite:////folder/catalog.db"},
		{Name: optWarehouse, Type: text, Required: true, Changeable: true, Description: "folder of new tables: file:///folder"},
		{
			Name: optCatalogName, Type: text, Changeable: true,
			Description: "catalog_name in the catalogue's rows, the first argument of pyiceberg's SqlCatalog (default: the catalog's name)",
		},
		{Name: optToken, Type: text, Secret: true, Changeable: true, Description: "bearer token, for rest catalogues"},
		{Name: optDefaultSchema, Type: text, Default: schemaDefault, Changeable: true, Description: "schema of a table named without one"},
	}
}

func tableOptions() []catalog.OptionSpec {
	text := catalog.StringOption
	return []catalog.OptionSpec{
		{
			Name: optPartitioning, Type: text, Changeable: true,
			Description: "partition transforms: days(ts), bucket(16, id), truncate(4, name), region",
		},
		{Name: optSortOrder, Type: text, Changeable: true, Description: "order that writers should keep: region, days(ts) DESC NULLS LAST"},
		{
			Name: optFormatVersion, Type: catalog.EnumOption, Enum: []string{"1", "2"}, Default: "2", Changeable: true,
			Description: "version of the table format",
		},
		{Name: optPurge, Type: catalog.BooleanOption, Default: "true", Changeable: true, Description: "whether DROP TABLE removes the files"},
	}
}

// propertyOption tells whether an option is one of Iceberg's own table properties, which are open-ended:
// engines know their own.
func propertyOption(name string) bool {
	for _, prefix := range []string{"write.", "read.", "commit.", "history.", "gc.", "compatibility."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// placeProperty tells whether a property moves files elsewhere, out of the folder that is the table's.
func placeProperty(name string) bool {
	switch name {
	case "write.data.path", "write.metadata.path", "write.metadata.location", "write.object-storage.path", "write.folder-storage.path":
		return true
	default:
		return false
	}
}

// settings are the values of a catalog's options.
type settings struct {
	uri, warehouse, catalogName, defaultSchema string
}

func readSettings(ctx context.Context, c catalog.Catalog, secrets provision.SecretResolver) (settings, error) {
	var s settings
	fields := []struct {
		name, fallback string
		to             *string
	}{
		{optURI, "", &s.uri},
		{optWarehouse, "", &s.warehouse},
		{optCatalogName, c.Name, &s.catalogName},
		{optDefaultSchema, schemaDefault, &s.defaultSchema},
	}
	for _, f := range fields {
		value, err := provision.OptionValue(ctx, c.Options, f.name, f.fallback, secrets)
		if err != nil {
			return settings{}, err
		}
		*f.to = value
	}
	return s, nil
}

// checkCatalog validates a catalog's options and refuses what is not supported.
func checkCatalog(c catalog.Catalog) error {
	specs := append(catalogOptions(), provision.CommonCatalogOptions()...)
	if err := provision.CheckOptions("catalog "+catalog.QuoteIdent(c.Name), specs, c.Options); err != nil {
		return err
	}
	if kind, ok := c.Options.Get(optCatalog); ok && kind != "sql" {
		return provision.Error(provision.Unsupported, "iceberg catalogues of kind %q are not supported", kind).
			WithHint("Use catalog = 'sql', with a uri like 'sqlite:////folder/catalog.db'.")
	}
	for _, o := range c.Options {
		if o.Name == optToken {
			return provision.Error(provision.Unsupported, "option %q is for rest catalogues, which are not supported", optToken)
		}
	}
	return nil
}
