package bind

import (
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// unsupported is the error for a clause that would have no effect outside.
func (t *tableBuilder) unsupported(what string, position int) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, `%s is not supported for tables of catalog "%s"`, what, t.target.catalog.Name).
		At(position)
}

// clauses cuts what is ours out of the shadow's text, and refuses what a managed table cannot have.
func (t *tableBuilder) clauses() error {
	s := t.stmt
	switch {
	case s.GetRelation().GetRelpersistence() == "u":
		return t.unsupported("UNLOGGED", t.wordPosition("unlogged"))
	case len(s.GetInhRelations()) > 0 && s.GetPartbound() != nil:
		return t.unsupported("PARTITION OF", t.wordPosition("partition"))
	case len(s.GetInhRelations()) > 0:
		return t.unsupported("INHERITS", t.wordPosition("inherits"))
	case s.GetOfTypename() != nil:
		return t.unsupported("a table of a type", t.wordPosition("of"))
	case s.GetAccessMethod() != "":
		return t.unsupported("USING", t.wordPosition("using"))
	case s.GetTablespacename() != "":
		return t.unsupported("TABLESPACE", t.wordPosition("tablespace"))
	case s.GetOncommit() != pg_query.OnCommitAction_ONCOMMIT_NOOP && s.GetOncommit() != pg_query.OnCommitAction_ON_COMMIT_ACTION_UNDEFINED:
		return t.unsupported("ON COMMIT", t.wordPosition("on"))
	}
	if own := t.st.Table; own != nil {
		if own.OptionsErr != nil {
			return own.OptionsErr
		}
		if own.OrReplace {
			if s.GetIfNotExists() {
				return sqlerr.New(sqlerr.SyntaxError, "CREATE OR REPLACE TABLE and IF NOT EXISTS exclude each other").At(t.wordPosition("or"))
			}
			tokens := t.st.Tokens() // create or replace table
			t.edits = append(t.edits, cutBlank(t.st.Text, parse.Span{Start: tokens[1].Start, End: tokens[2].End}))
		}
		for _, span := range []parse.Span{own.With, own.Partitioned} {
			if !span.Empty() {
				t.edits = append(t.edits, cutBlank(t.st.Text, span))
			}
		}
		if err := t.partitioned(own); err != nil {
			return err
		}
	}
	return t.partitionBy(s.GetPartspec())
}

// wordPosition is where a word stands outside of parentheses; 0 when it does not.
func (t *tableBuilder) wordPosition(word string) int {
	if i := t.wordOutside(word); i >= 0 {
		return t.st.Position(t.st.Tokens()[i].Start)
	}
	return 0
}

// wordOutside is the token of a word outside of parentheses, -1 when there is none.
func (t *tableBuilder) wordOutside(word string) int {
	depth := 0
	for i := range t.st.Tokens() {
		switch {
		case t.st.Symbol(i) == '(':
			depth++
		case t.st.Symbol(i) == ')':
			depth--
		case depth == 0 && t.st.Word(i) == word:
			return i
		}
	}
	return -1
}

// partitionHint names the form that works for a type of catalog.
func partitionHint(typ string) string {
	switch typ {
	case "iceberg":
		return "Use PARTITIONED BY (days(ts), bucket(16, id), region)."
	case "kafka":
		return "Use WITH (partitions = 6)."
	case "postgres":
		return "Use PARTITION BY RANGE, LIST or HASH."
	default:
		return ""
	}
}

func (t *tableBuilder) partitionRefused(what string, position int) error {
	e := sqlerr.New(sqlerr.FeatureNotSupported, `%s is not supported by catalogs of type "%s"`, what, t.target.catalog.Type).At(position)
	if hint := partitionHint(t.target.catalog.Type); hint != "" {
		return e.WithHint("%s", hint)
	}
	return e
}

// partitioned is PARTITIONED BY, which Iceberg has.
func (t *tableBuilder) partitioned(own *parse.TableClauses) error {
	if own.Partitioned.Empty() {
		return nil
	}
	if t.target.catalog.Type != "iceberg" {
		return t.partitionRefused("PARTITIONED BY", t.st.Position(own.Partitioned.Start))
	}
	for _, transform := range own.Partitioning {
		t.table.Partitioning = append(t.table.Partitioning, partitionTransform(transform))
	}
	return nil
}

// partitionTransform sorts the arguments of a transform into columns and numbers.
func partitionTransform(p parse.Transform) catalog.Transform {
	transform := catalog.Transform{Transform: p.Function}
	if transform.Transform == "" {
		transform.Transform = "identity"
	}
	for i, arg := range p.Args {
		if p.Numbers[i] {
			transform.Args = append(transform.Args, arg)
		} else {
			transform.Columns = append(transform.Columns, arg)
		}
	}
	return transform
}

// partitionBy is PostgreSQL's PARTITION BY. The shadow is a plain table: nothing can inherit from a
// partitioned one.
func (t *tableBuilder) partitionBy(spec *pg_query.PartitionSpec) error {
	if spec == nil {
		return nil
	}
	first := t.wordOutside("partition")
	if first < 0 {
		return t.unsupported("PARTITION BY", t.position)
	}
	tokens := t.st.Tokens()
	position := t.st.Position(tokens[first].Start)
	if t.target.catalog.Type != "postgres" {
		return t.partitionRefused("PARTITION BY", position)
	}
	strategy := map[pg_query.PartitionStrategy]string{
		pg_query.PartitionStrategy_PARTITION_STRATEGY_RANGE: "range",
		pg_query.PartitionStrategy_PARTITION_STRATEGY_LIST:  "list",
		pg_query.PartitionStrategy_PARTITION_STRATEGY_HASH:  "hash",
	}[spec.GetStrategy()]
	transform := catalog.Transform{Transform: strategy}
	for _, param := range spec.GetPartParams() {
		elem := param.GetPartitionElem()
		if elem.GetName() == "" || len(elem.GetCollation()) > 0 || len(elem.GetOpclass()) > 0 {
			return t.unsupported("PARTITION BY with expressions, collations or operator classes", position)
		}
		transform.Columns = append(transform.Columns, elem.GetName())
	}
	t.table.Partitioning = append(t.table.Partitioning, transform)
	last := first
	for depth := 0; last < len(tokens); last++ {
		if t.st.Symbol(last) == '(' {
			depth++
		}
		if t.st.Symbol(last) == ')' {
			if depth--; depth == 0 {
				break
			}
		}
	}
	t.edits = append(t.edits, cutBlank(t.st.Text, parse.Span{Start: tokens[first].Start, End: tokens[min(last, len(tokens)-1)].End}))
	return nil
}
