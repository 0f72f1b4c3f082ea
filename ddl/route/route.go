// Package route decides who carries a statement out: one total function over the statement nodes of
// PostgreSQL's grammar and over whether the statement names something managed.
package route

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Route is who carries a statement out.
type Route string

// The routes.
const (
	Ours          Route = "ours"                     // compiled to a plan, or answered by the gateway
	Home          Route = "home"                     // goes home unchanged
	HomeRewritten Route = "home, names replaced"     // goes home with three-part names replaced
	Refused       Route = "refused (SQLSTATE 0A000)" // answered with an error
)

// Rows tells whether rows of a managed table move when a statement of route HomeRewritten runs.
type Rows uint8

// What moves.
const (
	NoRows Rows = iota
	ReadsRows
	WritesRows
)

// Decision is the route of one statement. Err is set exactly when the route is Refused.
type Decision struct {
	Route Route
	Rows  Rows
	Err   *sqlerr.Error
}

// Managed tells which managed object a name means: its full name in SQL quoting, or "".
type Managed func(parse.Name) string

// Of decides the route of a statement.
func Of(st *parse.Statement, managed Managed) Decision {
	if st.Err != nil {
		return Decision{Route: Home}
	}
	if st.Extension != nil {
		return ofExtension(st, managed)
	}
	rule, ok := rules()[NodeName(st.Node)]
	if !ok {
		return Decision{Route: Home}
	}
	q := &question{st: st, rule: rule}
	for _, name := range parse.Names(st) {
		if full := managed(name); full != "" {
			q.managed = append(q.managed, named{Name: name, full: full})
		}
	}
	if len(q.managed) == 0 {
		if rule.Home == Refused {
			return q.refuse()
		}
		return Decision{Route: rule.Home}
	}
	if rule.refine != nil {
		return rule.refine(q)
	}
	return q.decide(rule.Managed)
}

// ofExtension routes a statement of our grammar. The spellings that PostgreSQL has as well are ours only
// when they name something managed.
func ofExtension(st *parse.Statement, managed Managed) Decision {
	switch ext := st.Extension.(type) {
	case *parse.DropCatalog:
		if ext.Spelling == "CATALOG" {
			return Decision{Route: Ours}
		}
		for _, name := range parse.Names(st) {
			if managed(name) != "" {
				return Decision{Route: Ours}
			}
		}
		return Decision{Route: Home}
	case parse.Later:
		err := sqlerr.New(sqlerr.FeatureNotSupported, "%s is not supported", laterName(ext)).At(st.Position(0))
		if hint := ext.Hint(); hint != "" {
			err = err.WithHint("%s", hint)
		}
		return Decision{Route: Refused, Err: err}
	case *parse.Explain:
		inner := Of(ext.Inner, managed)
		if inner.Route == HomeRewritten {
			inner.Route = Home
		}
		return inner
	default:
		return Decision{Route: Ours}
	}
}

// laterName is how a refusal names a statement.
func laterName(ext parse.Later) string {
	if view, ok := ext.(*parse.MaterializedView); ok && view.Verb != "CREATE" {
		return ext.Tag() + " … " + view.Verb
	}
	return ext.Tag()
}

// NodeName is the name of a statement's node: SelectStmt.
func NodeName(node *pg_query.Node) string {
	if node == nil {
		return ""
	}
	m := node.ProtoReflect()
	field := m.WhichOneof(m.Descriptor().Oneofs().ByName("node"))
	if field == nil {
		return ""
	}
	return string(field.Message().Name())
}

// NodeNames are the names of all statement nodes that PostgreSQL's grammar has.
func NodeNames() []string {
	fields := (&pg_query.Node{}).ProtoReflect().Descriptor().Oneofs().ByName("node").Fields()
	var names []string
	for i := range fields.Len() {
		if name := string(fields.Get(i).Message().Name()); strings.HasSuffix(name, "Stmt") {
			names = append(names, name)
		}
	}
	return names
}

// named is a name and the managed object that it means.
type named struct {
	parse.Name
	full string
}

// question is a statement that names something managed, and its rule.
type question struct {
	st      *parse.Statement
	rule    Rule
	managed []named
}

func (q *question) decide(route Route) Decision {
	if route == Refused {
		return q.refuse()
	}
	return Decision{Route: route}
}

// refuse answers with the rule's own words.
func (q *question) refuse() Decision { return q.refuseAs(q.rule.SQL, q.rule.Hint) }

func (q *question) refuseAs(what, hint string) Decision {
	message := what + " is not supported"
	position := q.st.Position(0)
	if len(q.managed) > 0 {
		message = what + " is not supported on managed object " + `"` + q.managed[0].full + `"`
		position = 0
		if span := q.managed[0].Span; !span.Empty() {
			position = q.st.Position(span.Start)
		}
	}
	err := sqlerr.New(sqlerr.FeatureNotSupported, "%s", message).At(position)
	if hint != "" {
		err = err.WithHint("%s", hint)
	}
	return Decision{Route: Refused, Err: err}
}

// has tells whether something managed has one of these roles.
func (q *question) has(roles ...parse.Role) bool {
	for _, n := range q.managed {
		if slices.Contains(roles, n.Role) {
			return true
		}
	}
	return false
}

// kind tells whether something managed is of this kind.
func (q *question) kind(kind parse.NameKind) bool {
	for _, n := range q.managed {
		if n.Kind == kind {
			return true
		}
	}
	return false
}

// several tells whether more than one managed object is named.
func (q *question) several() (second named, ok bool) {
	for _, n := range q.managed[1:] {
		if n.full != q.managed[0].full {
			return n, true
		}
	}
	return named{}, false
}
