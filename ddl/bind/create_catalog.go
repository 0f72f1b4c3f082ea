package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// createCatalog: the system is opened and checked, then the foreign server is made, and for a flat
// system the schema that shows its tables.
func (c *compiler) createCatalog(s *parse.CreateCatalog) (*plan.Plan, error) {
	if err := c.catalogName(s.Name); err != nil {
		return nil, err
	}
	if existing, exists := c.snap.Catalogs[s.Name.Value]; exists && c.settings.Apply {
		return c.convergeCatalog(s, existing)
	}
	cat, secrets, err := c.newCatalog(s)
	if err != nil {
		return nil, err
	}
	name := catalog.Name{Catalog: cat.Name}
	own := c.createServer(s, cat)
	p := &plan.Plan{
		Tag: s.Tag(), Target: name.String(), TargetUID: "absent", Locks: []string{name.String()}, Waits: s.IfNotExists,
		Home: []plan.HomeStatement{own},
	}
	if _, exists := c.snap.Catalogs[cat.Name]; exists {
		// Home answers with its own error or, for IF NOT EXISTS, its notice.
		return p, nil
	}
	p.Secrets, p.Discover = secrets, &cat
	if s.Comment != nil {
		p.Home = append(p.Home, commentOnServer(name, s.Comment.Value))
	}
	if !cat.Layered() {
		p.Home = append(p.Home, plan.HomeStatement{SQL: "CREATE SCHEMA " + name.String(), Ticket: true},
			manageSchema(cat.Name, cat.Name))
	}
	p.Steps = []plan.Step{{
		ID: "open catalog " + name.String(), Action: plan.Open, Catalog: cat, Path: plan.Fast,
		Target: plan.Resource{Kind: plan.CatalogKind, Name: name},
	}}
	return p, nil
}

// catalogName refuses names that would be taken for something else.
func (c *compiler) catalogName(name parse.Ident) error {
	position := c.st.Position(name.Start)
	invalid := func(code, hint string) error {
		return sqlerr.New(code, `invalid name of a catalog: "%s"`, name.Value).WithHint("%s", hint).At(position)
	}
	switch {
	case name.Value == c.snap.Database:
		return invalid(sqlerr.InvalidName, "The home database has this name.")
	case strings.Contains(name.Value, "."):
		return invalid(sqlerr.InvalidName, "A catalog's name has no dot.")
	case strings.HasPrefix(name.Value, "pg_"), name.Value == "information_schema", name.Value == "tablewright",
		name.Value == "tw_wall":
		return invalid(sqlerr.ReservedName, "The name is reserved.")
	}
	return checkLength(name.Value, position)
}

// newCatalog validates the options.
func (c *compiler) newCatalog(s *parse.CreateCatalog) (catalog.Catalog, []plan.Secret, error) {
	cat := catalog.Catalog{Name: s.Name.Value, Generation: 1, Owner: c.snap.User}
	typ, options, err := c.catalogType(s)
	if err != nil {
		return cat, nil, err
	}
	cat.Type = typ.Value
	system, err := c.system(cat, c.st.Position(typ.Start))
	if err != nil {
		return cat, nil, err
	}
	specs := withCommon(system.Options().Catalog, commonCatalogOptions())
	checked, err := c.checkOptions(options, specs)
	if err != nil {
		return cat, nil, err
	}
	if err := c.required(checked, specs, c.st.Position(s.Name.Start)); err != nil {
		return cat, nil, err
	}
	var secrets []plan.Secret
	for _, o := range checked {
		option, secret, err := storedOption(o, c.secretName(cat.Name))
		if err != nil {
			return cat, nil, err.At(c.st.Position(o.ValueSpan.Start))
		}
		cat.Options = append(cat.Options, option)
		if secret != nil {
			if len(secrets) > 0 {
				// A place of its own, so that it can be replaced without the others.
				option.SecretRef.Name += fmt.Sprintf("-%d", len(secrets)+1)
				secret.Ref = *option.SecretRef
			}
			secrets = append(secrets, *secret)
		}
	}
	resource := plan.Resource{Kind: plan.CatalogKind, Name: catalog.Name{Catalog: cat.Name}}
	if err := system.Check(cat, resource); err != nil {
		return cat, nil, sqlerr.From(err).At(c.st.Position(s.Name.Start))
	}
	return cat, secrets, nil
}

// secretName is the name of the secret that holds a catalog's literal secrets.
func (c *compiler) secretName(catalogName string) string {
	name := catalog.SecretName(catalogName)
	if c.settings.SecretSuffix != "" {
		name += "-" + c.settings.SecretSuffix
	}
	return name
}

// catalogType takes the option `type`, or the wrapper of CREATE SERVER.
func (c *compiler) catalogType(s *parse.CreateCatalog) (parse.Ident, []parse.Option, error) {
	if s.Wrapper != nil {
		return *s.Wrapper, s.Options, nil
	}
	var rest []parse.Option
	var typ *parse.Ident
	for _, o := range s.Options {
		if o.Key == "type" && typ == nil && o.Form != parse.NoValue {
			typ = &parse.Ident{Value: o.Value, Span: o.ValueSpan}
			continue
		}
		rest = append(rest, o)
	}
	position := c.st.Position(s.Name.Start)
	switch {
	case typ == nil && s.Spelling == "DATABASE":
		return parse.Ident{}, nil, sqlerr.New(sqlerr.FeatureNotSupported, "CREATE DATABASE without a type is not supported").
			WithHint("Use CREATE CATALOG n WITH (type = …) for an external system, CREATE SCHEMA for a namespace.").At(position)
	case typ == nil:
		return parse.Ident{}, nil, sqlerr.New(sqlerr.InvalidParameterValue, `parameter "type" is required`).
			WithHint("Types are %s.", strings.Join(c.types(), ", ")).At(position)
	case !catalog.KnownType(typ.Value) && c.systems[typ.Value] == nil:
		return parse.Ident{}, nil, sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized type of catalog: "%s"`, typ.Value).
			WithHint("Types are %s.", strings.Join(c.types(), ", ")).At(c.st.Position(typ.Start))
	}
	return *typ, rest, nil
}

// types are the names of the types of catalog, sorted.
func (c *compiler) types() []string {
	types := make([]string, 0, len(c.systems))
	for typ := range c.systems {
		types = append(types, typ)
	}
	slices.Sort(types)
	return types
}

// createServer is the client's statement as home runs it, secrets only as references.
func (c *compiler) createServer(s *parse.CreateCatalog, cat catalog.Catalog) plan.HomeStatement {
	if s.Spelling == "SERVER" {
		return c.rewrittenServer(s, cat)
	}
	var b strings.Builder
	b.WriteString("CREATE SERVER ")
	if s.IfNotExists {
		b.WriteString("IF NOT EXISTS ")
	}
	b.WriteString(catalog.QuoteIdent(cat.Name) + " FOREIGN DATA WRAPPER " + catalog.QuoteIdent(cat.Type))
	for i, o := range cat.Options {
		separator := ", "
		if i == 0 {
			separator = " OPTIONS ("
		}
		b.WriteString(separator + catalog.QuoteIdent(o.Name) + " " + strings.TrimSpace(catalog.QuoteLiteral(referenceText(o))))
	}
	if len(cat.Options) > 0 {
		b.WriteString(")")
	}
	return plan.HomeStatement{SQL: b.String(), Ticket: true, Own: true}
}

// rewrittenServer keeps the text of a CREATE SERVER but for its secrets.
func (c *compiler) rewrittenServer(s *parse.CreateCatalog, cat catalog.Catalog) plan.HomeStatement {
	var edits []plan.Edit
	for i, o := range s.Options {
		if text := referenceText(cat.Options[i]); text != o.Value {
			edits = append(edits, plan.Edit{
				Start: o.ValueSpan.Start, End: o.ValueSpan.End, Text: strings.TrimSpace(catalog.QuoteLiteral(text)),
			})
		}
	}
	rw := splice(c.st.Text, edits)
	return plan.HomeStatement{SQL: rw.Text(), Ticket: true, Own: true, Origin: rw}
}

// manageSchema is the statement that makes a home schema one of a catalog.
func manageSchema(schema, cat string) plan.HomeStatement {
	return plan.HomeStatement{
		SQL: "SELECT tablewright.manage_schema(" + strings.TrimSpace(catalog.QuoteLiteral(schema)) + ", " +
			strings.TrimSpace(catalog.QuoteLiteral(cat)) + ")",
		Ticket: true,
	}
}
