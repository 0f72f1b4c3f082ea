package deploy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/tablewright/tablewright/ddl/bind"
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home"
	"github.com/tablewright/tablewright/provision"
)

const (
	// observedBatchMax is how many tables one statement to the home database is about.
	observedBatchMax = 100
	// observersMax is how many tables of one system are looked at at a time.
	observersMax = 4
)

// Discovered is what a system holds, as statements that bring the shadows in the home database up to date. Each
// needs a ticket and answers one text, a DiscoveryOutcome.
type Discovered struct {
	Statements []string
	Names      []catalog.Name // of what was found
	Problems   []string       // tables that could not be looked at
}

// DiscoveryOutcome is what came of one or more statements of a discovery.
type DiscoveryOutcome struct {
	Made     int      `json:"made"`
	Changed  int      `json:"changed"`
	Gone     int      `json:"gone"`
	Kept     []string `json:"kept"` // shadows of tables that are gone, which others depend on
	Problems []string `json:"problems"`
}

// Add adds the answer of a statement.
func (o *DiscoveryOutcome) Add(answer string) error {
	var more DiscoveryOutcome
	if err := json.Unmarshal([]byte(answer), &more); err != nil {
		return fmt.Errorf("answer about shadows: %w", err)
	}
	o.Made, o.Changed, o.Gone = o.Made+more.Made, o.Changed+more.Changed, o.Gone+more.Gone
	o.Kept, o.Problems = append(o.Kept, more.Kept...), append(o.Problems, more.Problems...)
	return nil
}

// Discover reads what the system of a catalog holds. It changes nothing. A system that cannot list anything has
// nothing to discover.
func (d *Deployer) Discover(ctx context.Context, c catalog.Catalog) (Discovered, error) {
	prov, done, err := d.pool.Get(ctx, c)
	if err != nil {
		return Discovered{}, err
	}
	defer done()
	describer, ok := prov.(provision.Describer)
	if !ok {
		return Discovered{}, nil
	}
	v := &discovery{catalog: c, prov: prov, describer: describer, all: map[string][]string{}}
	if err := v.read(ctx); err != nil {
		return Discovered{}, err
	}
	return v.found, v.finish()
}

// discovery reads one system.
type discovery struct {
	catalog   catalog.Catalog
	prov      provision.Provisioner
	describer provision.Describer
	all       map[string][]string // tables by home schema
	found     Discovered
}

// observeBatch is the argument of tablewright.observe.
type observeBatch struct {
	Schemas []string             `json:"schemas"`
	Tables  []home.ObservedTable `json:"tables"`
	All     *map[string][]string `json:"all,omitempty"`
}

func (v *discovery) read(ctx context.Context) error {
	schemas := []string{""}
	if v.catalog.Layered() {
		var err error
		if schemas, err = v.describer.Schemas(ctx); err != nil {
			return err
		}
	}
	var homes []string
	for _, schema := range schemas {
		shown := v.homeSchema(schema)
		v.all[shown] = []string{}
		if schema != "" {
			homes = append(homes, shown)
			v.found.Names = append(v.found.Names, catalog.Name{Catalog: v.catalog.Name, Schema: strings.TrimPrefix(shown, v.catalog.Name+".")})
		}
	}
	if err := v.add(observeBatch{Schemas: homes}); err != nil {
		return err
	}
	for _, schema := range schemas {
		if err := v.readSchema(ctx, schema); err != nil {
			return err
		}
	}
	return nil
}

// homeSchema is the home schema that shows a schema of the system.
func (v *discovery) homeSchema(schema string) string {
	return shorten(catalog.Name{Catalog: v.catalog.Name, Schema: schema}.HomeSchema())
}

func (v *discovery) readSchema(ctx context.Context, schema string) error {
	names, err := v.describer.Tables(ctx, schema)
	if err != nil {
		return err
	}
	for len(names) > 0 {
		n := min(len(names), observedBatchMax)
		if err := v.readTables(ctx, schema, names[:n]); err != nil {
			return err
		}
		names = names[n:]
	}
	return nil
}

// readTables looks at one batch of tables. One that cannot be looked at is told and left as it is, unless the
// system itself is out of reach.
func (v *discovery) readTables(ctx context.Context, schema string, names []string) error {
	seen := make([]*home.ObservedTable, len(names))
	var mu sync.Mutex
	lost := false // no answer about a table
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(observersMax)
	for i, name := range names {
		group.Go(func() error {
			table, err := v.observeTwice(groupCtx, schema, name)
			if err == nil {
				seen[i] = table
				return nil
			}
			if groupCtx.Err() != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			lost = lost || provision.Retryable(err)
			v.found.Problems = append(v.found.Problems, fmt.Sprintf("table %s.%s: %s", schema, name, sqlerr.From(err).Message))
			return nil
		})
	}
	err := group.Wait()
	if err == nil && lost {
		_, err = v.describer.Tables(ctx, schema) // is it the table, or the system?
	}
	if err != nil {
		return err
	}
	batch := observeBatch{}
	shown := v.homeSchema(schema)
	for i, table := range seen {
		v.all[shown] = append(v.all[shown], shorten(names[i]))
		if table != nil {
			batch.Tables = append(batch.Tables, *table)
			name := catalog.Name{Catalog: v.catalog.Name, Table: table.Name}
			if schema != "" {
				name.Schema = strings.TrimPrefix(shown, v.catalog.Name+".")
			}
			v.found.Names = append(v.found.Names, name)
		}
	}
	return v.add(batch)
}

// observeTwice is observe, once more when it got no answer: it may have been the connection's fault.
func (v *discovery) observeTwice(ctx context.Context, schema, table string) (*home.ObservedTable, error) {
	seen, err := v.observe(ctx, schema, table)
	if err == nil || !provision.Retryable(err) || ctx.Err() != nil {
		return seen, err
	}
	return v.observe(ctx, schema, table)
}

// observe looks at one table; nil when it is gone meanwhile.
func (v *discovery) observe(ctx context.Context, schema, table string) (*home.ObservedTable, error) {
	name := catalog.Name{Catalog: v.catalog.Name, Schema: schema, Table: table}
	seen, err := v.prov.Observe(ctx, plan.Resource{Kind: plan.TableKind, Name: name, Path: name.Path()})
	if err != nil || !seen.Exists {
		return nil, err
	}
	definition := seen.Found
	for i := range definition.Columns {
		definition.Columns[i] = observedColumn(definition.Columns[i])
	}
	observed := home.NewObservedTable(v.homeSchema(schema), shorten(table), name.Path(), seen.Identity, definition)
	return &observed, nil
}

// observedColumn is a column as a shadow can have it. A default that only the system can compute is the
// system's to fill in, like an identity.
func observedColumn(c catalog.Column) catalog.Column {
	if c.Default == "" || bind.PlainDefault(c.Default) {
		return c
	}
	c.Default = ""
	switch c.Type {
	case "smallint", "integer", "bigint":
		c.Identity = "BY DEFAULT"
	}
	return c
}

// add makes the statement of a batch.
func (v *discovery) add(batch observeBatch) error {
	if len(batch.Schemas) == 0 && len(batch.Tables) == 0 && batch.All == nil {
		return nil
	}
	if batch.Schemas == nil {
		batch.Schemas = []string{}
	}
	if batch.Tables == nil {
		batch.Tables = []home.ObservedTable{}
	}
	text, err := json.Marshal(batch)
	if err != nil {
		return fmt.Errorf("discovery in %s: %w", v.catalog.Name, err)
	}
	v.found.Statements = append(v.found.Statements, fmt.Sprintf("select tablewright.observe(%s, %s)::text",
		strings.TrimSpace(catalog.QuoteLiteral(v.catalog.Name)), strings.TrimSpace(catalog.QuoteLiteral(string(text)))))
	return nil
}

// finish adds the statement that takes away what is gone.
func (v *discovery) finish() error { return v.add(observeBatch{All: &v.all}) }

// shorten shows a name that is too long for the home database as its first bytes and a hash of all of it.
func shorten(name string) string {
	if len(name) <= catalog.NameLengthMax {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	mark := "~" + hex.EncodeToString(sum[:4])
	cut := catalog.NameLengthMax - len(mark)
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + mark
}
