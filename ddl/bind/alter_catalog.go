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

// alterCatalog: other options are opened and checked before they are stored; another name is given to the
// home schemas too.
func (c *compiler) alterCatalog(s *parse.AlterCatalog) (*plan.Plan, error) {
	cat, ok := c.snap.Catalogs[s.Name.Value]
	switch {
	case !ok && s.Spelling == "SERVER":
		return nil, ErrNotManaged
	case !ok:
		return nil, c.noCatalog(s.Name)
	case !s.Version.Empty():
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "a catalog has no version").At(c.position(s.Version))
	}
	name := catalog.Name{Catalog: cat.Name}
	p := &plan.Plan{
		Tag: s.Tag(), Target: name.String(), TargetUID: fmt.Sprint(cat.OID), Locks: []string{name.String()}, Record: true,
	}
	if s.RenameTo != nil {
		return p, c.renameCatalog(p, cat, *s.RenameTo)
	}
	if err := c.changeOptions(p, cat, s.Changes); err != nil {
		return nil, err
	}
	p.Record = len(p.Home) > 0 // else nothing of it is another one
	return p, nil
}

// noCatalog is the error for a catalog that does not exist.
func (c *compiler) noCatalog(name parse.Ident) error {
	return sqlerr.New(sqlerr.UndefinedObject, `catalog "%s" does not exist`, name.Value).At(c.st.Position(name.Start))
}

// movesSystem tells whether changed options may make the catalog stand for something else: not those that only
// say how work is done there.
func movesSystem(changes []parse.OptionChange) bool {
	return slices.ContainsFunc(changes, func(change parse.OptionChange) bool {
		return findSpec(commonCatalogOptions(), change.Key) == nil
	})
}

// optionChanges is what an ALTER of options comes to.
type optionChanges struct {
	cat     catalog.Catalog // as it will be
	secrets []plan.Secret
	clauses []string // of ALTER SERVER … OPTIONS
	changed []parse.OptionChange
}

// changeOptions adds to a plan what changes of a catalog's options come to: nothing when all are as they are.
func (c *compiler) changeOptions(p *plan.Plan, cat catalog.Catalog, changes []parse.OptionChange) error {
	a, err := c.altered(cat, changes)
	if err != nil {
		return err
	}
	if len(a.clauses) == 0 {
		return nil
	}
	p.Secrets, p.Forget = a.secrets, replacedSecrets(cat.Options, a.cat.Options)
	if movesSystem(a.changed) {
		p.Discover, p.Whole = &a.cat, true
	}
	p.Home = []plan.HomeStatement{{
		SQL: "ALTER SERVER " + p.Target + " OPTIONS (" + strings.Join(a.clauses, ", ") + ")", Ticket: true, Own: true,
	}}
	p.Steps = []plan.Step{{
		ID: "open catalog " + p.Target, Action: plan.Open, Catalog: a.cat, Path: plan.Fast,
		Target: plan.Resource{Kind: plan.CatalogKind, Name: catalog.Name{Catalog: cat.Name}},
	}}
	return nil
}

// altered applies the changes, one after another, and checks the whole.
func (c *compiler) altered(cat catalog.Catalog, changes []parse.OptionChange) (*optionChanges, error) {
	system, err := c.system(cat, c.st.Position(0))
	if err != nil {
		return nil, err
	}
	specs := withCommon(system.Options().Catalog, commonCatalogOptions())
	a := &optionChanges{cat: cat}
	a.cat.Options = slices.Clone(cat.Options)
	a.cat.Generation++
	seen := map[string]bool{}
	for _, change := range changes {
		if change.Key == "type" && findSpec(specs, "type") == nil {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "the type of a catalog cannot be changed").
				WithHint("Register the system anew under another name.").At(c.position(change.KeySpan))
		}
		if seen[change.Key] {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, `parameter "%s" specified more than once`, change.Key).
				At(c.position(change.KeySpan))
		}
		seen[change.Key] = true
		if err := c.applyChange(a, change, specs); err != nil {
			return nil, err
		}
	}
	resource := plan.Resource{Kind: plan.CatalogKind, Name: catalog.Name{Catalog: cat.Name}}
	if err := system.Check(a.cat, resource); err != nil {
		return nil, sqlerr.From(err).At(c.st.Position(0))
	}
	return a, nil
}

// applyChange applies one change.
func (c *compiler) applyChange(a *optionChanges, change parse.OptionChange, specs []catalog.OptionSpec) error {
	at := slices.IndexFunc(a.cat.Options, func(o catalog.Option) bool { return o.Name == change.Key })
	position := c.position(change.KeySpan)
	switch {
	case at < 0 && (change.Verb == parse.SetOption || change.Verb == parse.DropOption):
		return sqlerr.New(sqlerr.UndefinedObject, `option "%s" not found`, change.Key).At(position)
	case at >= 0 && change.Verb == parse.AddOption:
		return sqlerr.New(sqlerr.DuplicateObject, `option "%s" provided more than once`, change.Key).At(position)
	}
	if change.Verb == parse.DropOption || change.Verb == parse.Unset {
		return c.dropOption(a, change, at, specs)
	}
	checked, err := c.checkOptions([]parse.Option{change.Option}, specs)
	if err != nil {
		return err
	}
	option, secret, invalid := storedOption(checked[0], c.secretName(a.cat.Name))
	if invalid != nil {
		return invalid.At(c.position(change.ValueSpan))
	}
	if at >= 0 && c.sameOption(a.cat.Options[at], option, secret) {
		return nil // as it is
	}
	if !checked[0].spec.Changeable {
		return unchangeable(change.Key).At(position)
	}
	if secret != nil {
		if at >= 0 && ownSecret(a.cat.Options[at]) {
			secret.Replaces = a.cat.Options[at].SecretRef
		}
		a.numberSecret(&option, secret)
	}
	a.changed = append(a.changed, change)
	text := catalog.QuoteIdent(change.Key) + " " + strings.TrimSpace(catalog.QuoteLiteral(referenceText(option)))
	if at < 0 {
		a.cat.Options = append(a.cat.Options, option)
		a.clauses = append(a.clauses, "ADD "+text)
		return nil
	}
	a.cat.Options[at] = option
	a.clauses = append(a.clauses, "SET "+text)
	return nil
}

// sameOption tells whether an option stays as it is. secret is the literal value of the new one.
func (c *compiler) sameOption(now, next catalog.Option, secret *plan.Secret) bool {
	if secret == nil {
		return referenceText(now) == referenceText(next)
	}
	return ownSecret(now) && slices.Contains(c.settings.SameSecrets, *now.SecretRef)
}

// ownSecret tells whether an option's value was a literal, which the secret store keeps for the catalog alone.
func ownSecret(o catalog.Option) bool {
	return o.SecretRef != nil && strings.HasPrefix(o.SecretRef.Name, catalog.SecretNamePrefix)
}

// numberSecret puts each literal secret of a statement into a place of its own, so that it can be replaced
// without the others.
func (a *optionChanges) numberSecret(option *catalog.Option, secret *plan.Secret) {
	if n := len(a.secrets); n > 0 {
		option.SecretRef.Name += fmt.Sprintf("-%d", n+1)
	}
	secret.Ref = *option.SecretRef
	a.secrets = append(a.secrets, *secret)
}

// dropOption takes an option back to its default.
func (c *compiler) dropOption(a *optionChanges, change parse.OptionChange, at int, specs []catalog.OptionSpec) error {
	position := c.position(change.KeySpan)
	spec := findSpec(specs, change.Key)
	switch {
	case spec == nil:
		return unknownOption(change.Key, specs).At(position)
	case at < 0:
		return nil
	case spec.Required:
		return sqlerr.New(sqlerr.InvalidParameterValue, `parameter "%s" is required`, change.Key).At(position)
	case !spec.Changeable:
		return unchangeable(change.Key).At(position)
	}
	a.changed = append(a.changed, change)
	a.cat.Options = slices.Delete(a.cat.Options, at, at+1)
	a.clauses = append(a.clauses, "DROP "+catalog.QuoteIdent(change.Key))
	return nil
}

func unchangeable(option string) *sqlerr.Error {
	return sqlerr.New(sqlerr.FeatureNotSupported, `parameter "%s" of a catalog cannot be changed`, option).
		WithHint("Register the system anew under another name.")
}

// replacedSecrets are the places of the secret store that only the former options refer to.
func replacedSecrets(former, now catalog.Options) []catalog.SecretKeyRef {
	var gone []catalog.SecretKeyRef
	for _, o := range former {
		if !ownSecret(o) {
			continue
		}
		kept := slices.ContainsFunc(now, func(n catalog.Option) bool { return n.SecretRef != nil && n.SecretRef.Name == o.SecretRef.Name })
		if !kept {
			gone = append(gone, *o.SecretRef)
		}
	}
	return gone
}

// renameCatalog gives the server and its home schemas their new names. Nothing outside changes.
func (c *compiler) renameCatalog(p *plan.Plan, cat catalog.Catalog, to parse.Ident) error {
	if err := c.catalogName(to); err != nil {
		return err
	}
	position := c.st.Position(to.Start)
	if _, exists := c.snap.Catalogs[to.Value]; exists {
		return sqlerr.New(sqlerr.DuplicateObject, `catalog "%s" already exists`, to.Value).At(position)
	}
	relations, schemas := c.contents(cat.Name)
	for i := range relations {
		if err := unfinished(&relations[i], c.nameOf(&relations[i]).String(), true); err != nil {
			return err
		}
	}
	fresh := catalog.QuoteIdent(to.Value)
	p.Home = []plan.HomeStatement{{SQL: "ALTER SERVER " + p.Target + " RENAME TO " + fresh, Ticket: true, Own: true}}
	for _, schema := range schemas {
		renamed := to.Value + strings.TrimPrefix(schema, cat.Name)
		if err := checkLength(renamed, position); err != nil {
			return err
		}
		p.Home = append(p.Home, plan.HomeStatement{
			SQL: "ALTER SCHEMA " + catalog.QuoteIdent(schema) + " RENAME TO " + catalog.QuoteIdent(renamed), Ticket: true,
		})
		p.Named = append(p.Named, catalog.Name{Catalog: to.Value, Schema: strings.TrimPrefix(strings.TrimPrefix(schema, cat.Name), ".")})
	}
	p.Named = append(p.Named, catalog.Name{Catalog: to.Value})
	p.Locks = append(p.Locks, fresh)
	slices.Sort(p.Locks)
	p.Whole = true
	return nil
}

// refreshCatalog: what the system holds is read into shadows, once the statement has its lock.
func (c *compiler) refreshCatalog(s *parse.RefreshCatalog) (*plan.Plan, error) {
	cat, ok := c.snap.Catalogs[s.Name.Value]
	if !ok {
		return nil, c.noCatalog(s.Name)
	}
	if _, err := c.system(cat, c.st.Position(s.Name.Start)); err != nil {
		return nil, err
	}
	name := catalog.QuoteIdent(cat.Name)
	return &plan.Plan{
		Tag: s.Tag(), Target: name, TargetUID: fmt.Sprint(cat.OID), Locks: []string{name}, Waits: true, Whole: true, Discover: &cat,
	}, nil
}

// atHomeAlone is a change of the home database alone, behind its guard.
func (c *compiler) atHomeAlone(tag string, name parse.Name) (*plan.Plan, error) {
	cat, ok := c.snap.Catalogs[name.Parts[0]]
	if !ok {
		return nil, ErrNotManaged
	}
	target := catalog.QuoteIdent(cat.Name)
	whole := plan.NewRewrite(c.st.Text, nil)
	return &plan.Plan{
		Tag: tag, Target: target, TargetUID: fmt.Sprint(cat.OID), Locks: []string{target},
		Home: []plan.HomeStatement{{SQL: c.st.Text, Ticket: true, Own: true, Origin: whole}},
	}, nil
}
