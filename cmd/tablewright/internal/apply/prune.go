package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// removal is an object that the set has made and the files no longer declare.
type removal struct {
	Kind    string `json:"kind"` // table, view, materialized view, schema, catalog, server
	Name    string `json:"name"` // in SQL
	Keep    bool   `json:"keep,omitempty"`
	Version string `json:"version"` // of the object as it was listed
	catalog string
	parts   []string
}

// inventoryQuery lists what is to go, each object before what it stands in.
const inventoryQuery = `select kind, name, coalesce(catalog, ''), holds_data, pg_catalog.to_json(parts), version
 from tablewright.set_objects o where set_name = $1
 and not exists (select from pg_catalog.unnest($2::pg_catalog.text[]) d where pg_catalog.parse_ident(d) = o.parts)
 order by pg_catalog.array_position('{view,materialized view,table,schema,catalog,server}', kind), made desc, name`

// removals are the objects to prune, in the order in which they go. What holds data, and what that stands in, is
// kept unless --prune-data.
func (r *run) removals(ctx context.Context) ([]removal, error) {
	names := make([]string, 0, len(r.declared))
	for _, name := range r.declared {
		if name != "" {
			names = append(names, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)+`"`)
		}
	}
	rows, err := r.conn.query(ctx, inventoryQuery, r.options.Set, "{"+strings.Join(names, ",")+"}")
	if err != nil {
		return nil, fmt.Errorf("objects of the set: %w", err)
	}
	var removals []removal
	for _, row := range rows {
		x := removal{Kind: row[0], Name: row[1], catalog: row[2], Version: row[5]}
		if err := json.Unmarshal([]byte(row[4]), &x.parts); err != nil {
			return nil, fmt.Errorf("objects of the set: %w", err)
		}
		x.Keep = row[3] == "t" && !r.options.PruneData || x.contains(removals)
		removals = append(removals, x)
	}
	return removals, nil
}

// contains tells whether something that is kept stands in the object.
func (x removal) contains(removals []removal) bool {
	for _, other := range removals {
		switch {
		case !other.Keep || len(other.parts) <= len(x.parts):
		case x.Kind == "catalog" && other.catalog == x.catalog, x.Kind == "schema" && strings.HasPrefix(other.Name, x.Name+"."):
			return true
		}
	}
	return false
}

// list shows what would be pruned.
func (r *run) list(removals []removal) {
	for _, x := range removals {
		res := x.result()
		if res.Result == "" {
			res.Result = wouldDrop
		}
		r.show(res)
	}
}

func (x removal) result() *result {
	res := &result{removal: &x, Type: "prune", Command: "DROP " + strings.ToUpper(x.Kind), Object: x.Name}
	if x.Keep {
		res.Result, res.Message, res.Hint = kept, "it holds data, or something that does", "Use --prune-data to delete it."
	}
	return res
}

// prune removes the objects, after it has listed them.
func (r *run) prune(ctx context.Context, removals []removal) {
	if !r.options.JSON {
		for _, x := range removals {
			if !x.Keep {
				r.out.write(nil, "prune: "+x.Kind+" "+x.Name+" is no longer declared\n")
			}
		}
	}
	for _, x := range removals {
		res := x.result()
		if res.Result == "" {
			began := time.Now()
			res.Result = dropped
			if _, err := r.conn.run(ctx, res.Command+" "+x.Name+" RESTRICT"); err != nil {
				res.fail(err)
			}
			res.Duration = milliseconds(time.Since(began))
		}
		r.show(res)
		if res.Result == failed && !r.options.KeepGoing {
			r.stopped = true
			return
		}
	}
}
