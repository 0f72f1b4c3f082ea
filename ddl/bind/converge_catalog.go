package bind

import (
	"fmt"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// convergeCatalog leads a catalog that exists to the options of the statement: what it does not name gets its
// default back. A comment that it does not give stays.
func (c *compiler) convergeCatalog(s *parse.CreateCatalog, cat catalog.Catalog) (*plan.Plan, error) {
	typ, options, err := c.catalogType(s)
	if err != nil {
		return nil, err
	}
	if typ.Value != cat.Type {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, `the type of catalog "%s" cannot be changed`, cat.Name).
			WithDetail("It is %s.", cat.Type).
			WithHint("Register the system anew under another name.").At(c.st.Position(typ.Start))
	}
	name := catalog.Name{Catalog: cat.Name}
	p := &plan.Plan{
		Tag: s.Tag(), Target: name.String(), TargetUID: fmt.Sprint(cat.OID), Locks: []string{name.String()},
		Waits: true,
	}
	if err := c.changeOptions(p, cat, c.differences(s.Name, cat, options)); err != nil {
		return nil, err
	}
	if s.Comment != nil && s.Comment.Value != cat.Comment {
		p.Home = append(p.Home, commentOnServer(name, s.Comment.Value))
	}
	p.Record = len(p.Home) > 0
	p.Unchanged = !p.Record
	return p, nil
}

// differences are the changes that make a catalog's options those of a list.
func (c *compiler) differences(name parse.Ident, cat catalog.Catalog, options []parse.Option) []parse.OptionChange {
	var changes []parse.OptionChange
	named := map[string]bool{}
	for _, o := range options {
		changes = append(changes, parse.OptionChange{Verb: parse.PutOption, Option: o})
		named[o.Key] = true
	}
	for _, o := range cat.Options {
		if !named[o.Name] {
			changes = append(changes, parse.OptionChange{Verb: parse.Unset, Option: parse.Option{Key: o.Name, KeySpan: name.Span}})
		}
	}
	return changes
}

func commentOnServer(name catalog.Name, comment string) plan.HomeStatement {
	return plan.HomeStatement{SQL: "COMMENT ON SERVER " + name.String() + " IS " + catalog.QuoteLiteral(comment), Ticket: true}
}
