package postgres

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
)

// columnsMax is PostgreSQL's limit of columns in a table (MaxHeapAttributeNumber).
const columnsMax = 1600

// Check validates a catalog's options and, unless r is a catalog, a definition. It does no I/O.
func (o *Opener) Check(c catalog.Catalog, r plan.Resource) error {
	schema := o.Options()
	if err := provision.CheckOptions("catalog "+catalog.QuoteIdent(c.Name), schema.Catalog, c.Options); err != nil {
		return err
	}
	if host, ok := c.Options.Get("host"); ok && host != "" {
		if err := checkHost(host); err != nil {
			return err
		}
	}
	if r.Kind == plan.CatalogKind || r.Kind == "" {
		return nil
	}
	schemaName, table, err := provision.LayeredPath(r, defaultSchema(c))
	if err != nil {
		return err
	}
	for _, n := range []string{schemaName, table} {
		if err := provision.CheckNameLength(n, catalog.NameLengthMax); err != nil {
			return err
		}
	}
	if r.Kind == plan.SchemaKind {
		return nil
	}
	return checkTable(schema.Table, r.Table)
}

func checkTable(options []catalog.OptionSpec, t catalog.Table) error {
	if err := provision.CheckOptions("table "+t.Name.String(), options, t.Options); err != nil {
		return err
	}
	if len(t.Columns) > columnsMax {
		return sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", columnsMax)
	}
	for _, c := range t.Columns {
		if err := checkColumn(c); err != nil {
			return err
		}
	}
	return checkPartitioning(t)
}

// typeText is what a type's name may consist of; it holds no literal, comment or second clause.
var typeText = regexp.MustCompile(`^(?:"(?:[^"\x00]|"")+"|[\p{L}\p{N}_$ .]|\(\d+(?:, ?-?\d+)?\)|\[\])+$`)

func checkColumn(c catalog.Column) error {
	if err := provision.CheckNameLength(c.Name, catalog.NameLengthMax); err != nil {
		return err
	}
	if c.Name == "" || !typeText.MatchString(c.Type) {
		e := provision.Error(provision.Invalid, "invalid type %q of column %q", c.Type, c.Name)
		e.Column = c.Name
		return e
	}
	if c.Identity != "" && c.Identity != "ALWAYS" && c.Identity != "BY DEFAULT" {
		return provision.Error(provision.Invalid, "invalid identity %q of column %q", c.Identity, c.Name)
	}
	return nil
}

func checkPartitioning(t catalog.Table) error {
	if len(t.Partitioning) == 0 {
		return nil
	}
	p := t.Partitioning[0]
	known := slices.Contains([]string{"range", "list", "hash"}, strings.ToLower(p.Transform))
	if len(t.Partitioning) > 1 || !known || len(p.Args) > 0 || len(p.Columns) == 0 {
		return provision.Error(provision.Unsupported, "partitioning %s is not supported by catalogs of type postgres", p.Transform).
			WithHint("Write PARTITION BY RANGE (…), LIST (…) or HASH (…).")
	}
	return nil
}
