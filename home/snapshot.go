package home

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// TextQuerier runs a statement that answers one row of one text column. Parameters are text. The session
// implements it on the user's own connection, so that the answer is what that transaction sees.
type TextQuerier interface {
	QueryText(ctx context.Context, sql string, args ...string) (string, error)
}

// RelationName is a name in a statement.
type RelationName struct {
	Schema string `json:"schema"` // home schema; empty: whatever the search path finds
	Name   string `json:"name"`
}

// Wanted says what a snapshot shall hold. What does not exist is left out of it.
type Wanted struct {
	Catalogs  []string       `json:"catalogs"`  // by name
	Schemas   []string       `json:"schemas"`   // by home name
	Relations []RelationName `json:"relations"` // as the statement names them
	AllIn     []string       `json:"all_in"`    // home schemas of which every relation is wanted
	Types     []string       `json:"types"`     // as SQL writes them, without modifiers
	// Brief leaves out how relations are defined, unless the session leads them to definitions.
	Brief    bool     `json:"brief,omitempty"`
	Settings []string `json:"settings"` // of the session
}

// snapshotText is tablewright.snapshot's answer.
type snapshotText struct {
	Database   string         `json:"database"`
	User       string         `json:"user"`
	SearchPath []string       `json:"search_path"`
	Catalogs   []catalogText  `json:"catalogs"`
	Schemas    []schemaText   `json:"schemas"`
	Relations  []relationText `json:"relations"`
	Types      []typeText     `json:"types"`

	Settings map[string]string `json:"settings"`
}

type catalogText struct {
	Name          string       `json:"name"`
	Type          string       `json:"type"`
	Generation    int64        `json:"generation"`
	Owner         string       `json:"owner"`
	OID           uint32       `json:"oid"`
	DefaultSchema string       `json:"default_schema"`
	Comment       string       `json:"comment"`
	Options       []optionText `json:"options"`
}

type schemaText struct {
	Name    string `json:"name"`
	OID     uint32 `json:"oid"`
	Owner   string `json:"owner"`
	Catalog string `json:"catalog"`
}

type typeText struct {
	Asked string `json:"asked"`
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Base  string `json:"base"`
}

// ReadSnapshot reads what a statement needs to know, in one round trip.
func ReadSnapshot(ctx context.Context, q TextQuerier, w Wanted) (*catalog.Snapshot, error) {
	wanted, err := json.Marshal(w.normal())
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	answer, err := q.QueryText(ctx, snapshotQuery, string(wanted))
	if err != nil {
		return nil, err // the home database's own error is the client's
	}
	var text snapshotText
	if err := json.Unmarshal([]byte(answer), &text); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return text.snapshot(), nil
}

// snapshotQuery is short: the session parses it anew for each statement.
const snapshotQuery = "select tablewright.snapshot($1::pg_catalog.text::pg_catalog.jsonb)"

// normal has empty lists where w has none: jsonb functions want arrays.
func (w Wanted) normal() Wanted {
	if w.Catalogs == nil {
		w.Catalogs = []string{}
	}
	if w.Schemas == nil {
		w.Schemas = []string{}
	}
	if w.Relations == nil {
		w.Relations = []RelationName{}
	}
	if w.AllIn == nil {
		w.AllIn = []string{}
	}
	if w.Types == nil {
		w.Types = []string{}
	}
	if w.Settings == nil {
		w.Settings = []string{}
	}
	return w
}

func (t snapshotText) snapshot() *catalog.Snapshot {
	s := &catalog.Snapshot{
		Database: t.Database, User: t.User, SearchPath: t.SearchPath,
		Catalogs:  make(map[string]catalog.Catalog, len(t.Catalogs)),
		Schemas:   make(map[string]catalog.Schema, len(t.Schemas)),
		Relations: make(map[string]catalog.Relation, len(t.Relations)),
		Types:     make(map[string]catalog.TypeInfo, len(t.Types)),
		Settings:  t.Settings,
	}
	for _, c := range t.Catalogs {
		s.Catalogs[c.Name] = c.catalog()
	}
	for _, n := range t.Schemas {
		s.Schemas[n.Name] = catalog.Schema(n)
	}
	for _, r := range t.Relations {
		s.Relations[catalog.HomeKey(r.Schema, r.Name)] = r.relation()
	}
	for _, y := range t.Types {
		s.Types[y.Asked] = catalog.TypeInfo{Name: y.Name, Kind: firstByte(y.Kind), Base: y.Base}
	}
	return s
}

func (c catalogText) catalog() catalog.Catalog {
	return catalog.Catalog{
		Name: c.Name, Type: c.Type, Generation: c.Generation, Owner: c.Owner, OID: c.OID, Options: serverOptions(c.Options), Comment: c.Comment,
	}
}

func firstByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// PgxQuerier is a TextQuerier on a connection, transaction or pool of pgx.
type PgxQuerier struct {
	Conn interface {
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	}
}

// QueryText runs the statement.
func (q PgxQuerier) QueryText(ctx context.Context, sql string, args ...string) (string, error) {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a
	}
	var text string
	if err := q.Conn.QueryRow(ctx, sql, values...).Scan(&text); err != nil {
		return "", err // see TextQuerier: the home database's own error
	}
	return text, nil
}
