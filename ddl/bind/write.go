package bind

import (
	"slices"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Write says how an INSERT … VALUES into a managed table is run: its rows are computed at home, then
// written to the external system.
type Write struct {
	Relation catalog.Relation
	Name     catalog.Name
	Catalog  catalog.Catalog
	// Columns are those of the rows of Rows, in their order. Columns that are not among them are the
	// system's to fill: an identity, or NULL.
	Columns []catalog.Column
	// Rows is the query that yields the rows, in the types of Columns. A value that is too long for its
	// column is an error of it (22001), as in INSERT; NULL in a NOT NULL column is not.
	Rows *plan.Rewrite
	// Home is the statement over the shadow: to Parse and to Describe with. It finds values of a wrong type.
	Home *plan.Rewrite
}

// WritePlan makes the plan of an INSERT … VALUES into a managed table. Errors are for the client, with
// positions in the whole text. ownJobs are the jobs of the statement's own transaction.
func WritePlan(st *parse.Statement, snap *catalog.Snapshot, ownJobs []string) (*Write, error) {
	home, err := HomeText(st, snap)
	if err != nil {
		return nil, err
	}
	ins := st.Node.GetInsertStmt()
	if ins == nil {
		return nil, ErrNotManaged
	}
	b := &writeBuilder{st: st, ins: ins, write: &Write{Home: home}, ownJobs: ownJobs}
	if err := b.target(resolver{snap}); err != nil {
		return nil, err
	}
	if ins.GetOverride() == pg_query.OverridingKind_OVERRIDING_SYSTEM_VALUE ||
		ins.GetOverride() == pg_query.OverridingKind_OVERRIDING_USER_VALUE {
		return nil, b.unsupported("OVERRIDING")
	}
	switch {
	case ins.GetWithClause() != nil:
		return nil, b.unsupported("INSERT with WITH")
	case ins.GetOnConflictClause() != nil:
		return nil, b.unsupported("INSERT … ON CONFLICT")
	case len(ins.GetReturningList()) > 0:
		return nil, b.unsupported("INSERT … RETURNING")
	case ins.GetSelectStmt() == nil:
		return b.write, b.defaultRow()
	}
	if len(ins.GetSelectStmt().GetSelectStmt().GetValuesLists()) == 0 {
		return nil, b.unsupported("INSERT … SELECT")
	}
	return b.write, b.values()
}

type writeBuilder struct {
	st       *parse.Statement
	ins      *pg_query.InsertStmt
	position int // of the target's name
	nameEnd  int // byte offset behind it
	write    *Write
	ownJobs  []string // those of the statement's own transaction, which has not committed
}

func (b *writeBuilder) unsupported(what string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, `%s is not supported on managed object "%s"`, what, b.write.Name).
		WithHint("Write INSERT INTO … VALUES (…).").At(b.position)
}

func (b *writeBuilder) target(resolve resolver) error {
	for _, name := range parse.Names(b.st) {
		if name.Role != parse.Target || name.Kind != parse.RelationName {
			continue
		}
		m := resolve.relation(name)
		b.position, b.nameEnd = b.st.Position(name.Span.Start), name.Span.End
		switch {
		case !m.managed:
			return ErrNotManaged
		case m.rel == nil || !m.rel.Managed:
			return sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, joined(name.Parts)).At(b.position)
		}
		if err := withRows(m.rel, m.name.String(), b.ownJobs); err != nil {
			return err.At(b.position)
		}
		b.write.Relation, b.write.Name, b.write.Catalog = *m.rel, m.name, m.catalog
		return nil
	}
	return ErrNotManaged
}

// insertColumn is one column of the rows.
type insertColumn struct {
	catalog.Column
	item    int  // index of the value in a row of the statement, -1 for a default
	omitted bool // the system fills it
}

// columns resolves the column list, or takes the first columns of the table, as many as there are items in
// a row.
func (b *writeBuilder) columns(items []parse.Span) ([]insertColumn, error) {
	all, count := b.write.Relation.Table.Columns, len(items)
	tooMany := func(columns int) error {
		return sqlerr.New(sqlerr.SyntaxError, "INSERT has more expressions than target columns").
			At(b.st.Position(items[columns].Start))
	}
	if len(b.ins.GetCols()) == 0 {
		if count > len(all) {
			return nil, tooMany(len(all))
		}
		listed := make([]insertColumn, count)
		for i := range count {
			listed[i] = insertColumn{Column: all[i], item: i}
		}
		return listed, nil
	}
	var listed []insertColumn
	for i, node := range b.ins.GetCols() {
		target := node.GetResTarget()
		position := b.st.Position(int(target.GetLocation()))
		at := slices.IndexFunc(all, func(c catalog.Column) bool { return c.Name == target.GetName() })
		switch {
		case at < 0:
			return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`,
				target.GetName(), b.write.Name.Table).At(position)
		case len(target.GetIndirection()) > 0:
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "a value for a part of a column is not supported").At(position)
		case slices.ContainsFunc(listed, func(c insertColumn) bool { return c.Name == target.GetName() }):
			return nil, sqlerr.New(sqlerr.DuplicateColumn, `column "%s" specified more than once`, target.GetName()).At(position)
		}
		listed = append(listed, insertColumn{Column: all[at], item: i})
	}
	switch {
	case count > len(listed):
		return nil, tooMany(len(listed))
	case count < len(listed):
		return nil, sqlerr.New(sqlerr.SyntaxError, "INSERT has more target columns than expressions").
			At(b.st.Position(int(b.ins.GetCols()[count].GetResTarget().GetLocation())))
	}
	return listed, nil
}

// values makes the query of the rows from the statement's own text: what is before VALUES goes, each
// value is cast to its column's type, and defaults of columns that are not listed are added.
func (b *writeBuilder) values() error {
	lists := b.ins.GetSelectStmt().GetSelectStmt().GetValuesLists()
	rows, head := b.rowSpans()
	count := len(lists[0].GetList().GetItems())
	if len(rows) != len(lists) {
		return b.unsupported("a VALUES list of this form")
	}
	for i, list := range lists {
		if items := len(list.GetList().GetItems()); items != count || len(rows[i].items) != items {
			return sqlerr.New(sqlerr.SyntaxError, "VALUES lists must all be the same length").
				At(b.st.Position(rows[i].start()))
		}
	}
	columns, err := b.columns(rows[0].items)
	if err != nil {
		return err
	}
	if err := b.systemColumns(columns, lists); err != nil {
		return err
	}
	added, err := b.added(columns)
	if err != nil {
		return err
	}
	edits := []plan.Edit{{Start: 0, End: head}}
	for i, row := range rows {
		edits = append(edits, rowEdits(row, lists[i].GetList().GetItems(), columns, added)...)
	}
	b.write.Rows = plan.NewRewrite(b.st.Text, edits)
	for _, column := range append(columns, added...) {
		if !column.omitted {
			b.write.Columns = append(b.write.Columns, column.Column)
		}
	}
	if len(b.write.Columns) == 0 {
		return b.unsupported("a row without any value of its own")
	}
	return nil
}

// systemColumns marks the columns that DEFAULT stands for in every row and the system fills.
func (b *writeBuilder) systemColumns(columns []insertColumn, lists []*pg_query.Node) error {
	for i := range columns {
		if columns[i].Identity == "" {
			continue
		}
		defaults := 0
		for _, list := range lists {
			if list.GetList().GetItems()[i].GetSetToDefault() != nil {
				defaults++
			}
		}
		if defaults > 0 && defaults < len(lists) {
			return b.unsupported("DEFAULT in some of the rows for an identity column")
		}
		columns[i].omitted = defaults > 0
	}
	return nil
}

// added are the columns that the statement does not list and that have a default.
func (b *writeBuilder) added(listed []insertColumn) ([]insertColumn, error) {
	var added []insertColumn
	for _, column := range b.write.Relation.Table.Columns {
		isListed := slices.ContainsFunc(listed, func(c insertColumn) bool { return c.Name == column.Name })
		switch {
		case isListed || column.Identity != "":
		case column.Default != "":
			added = append(added, insertColumn{Column: column, item: -1})
		case column.NotNull:
			return nil, b.nullViolation(column.Name)
		}
	}
	return added, nil
}

func (b *writeBuilder) nullViolation(column string) error {
	e := sqlerr.New(sqlerr.NotNullViolation, `null value in column "%s" of relation "%s" violates not-null constraint`,
		column, b.write.Name.Table)
	e.Schema, e.Table, e.Column = b.write.Name.HomeSchema(), b.write.Name.Table, column
	return e
}

// defaultRow is INSERT … DEFAULT VALUES.
func (b *writeBuilder) defaultRow() error {
	var cells []string
	for _, column := range b.write.Relation.Table.Columns {
		if column.Identity != "" {
			continue
		}
		if column.Default == "" && column.NotNull {
			return b.nullViolation(column.Name)
		}
		b.write.Columns = append(b.write.Columns, column)
		cells = append(cells, defaultCell(column))
	}
	if len(cells) == 0 {
		return b.unsupported("INSERT … DEFAULT VALUES")
	}
	b.write.Rows = plan.NewRewrite(b.st.Text, []plan.Edit{
		{Start: 0, End: len(b.st.Text), Text: "VALUES (" + strings.Join(cells, ", ") + ")"},
	})
	return nil
}

// valuesRow is the place of one row of VALUES.
type valuesRow struct {
	open  int // offset of the opening parenthesis
	close int
	items []parse.Span
}

// rowSpans finds the rows behind VALUES; head is the offset of that word. A column may be called values,
// but then it stands in parentheses.
func (b *writeBuilder) rowSpans() (rows []valuesRow, head int) {
	tokens := b.st.Tokens()
	depth, start := 0, 0
	for i, token := range tokens {
		symbol := b.st.Symbol(i)
		switch {
		case symbol == '(' || symbol == '[':
			depth++
			if depth == 1 && head > 0 {
				rows = append(rows, valuesRow{open: token.Start})
				start = i + 1
			}
		case symbol == ')' || symbol == ']':
			depth--
			if depth == 0 && len(rows) > 0 {
				rows[len(rows)-1].end(tokens, start, i)
			}
		case symbol == ',' && depth == 1 && len(rows) > 0:
			rows[len(rows)-1].item(tokens, start, i)
			start = i + 1
		case depth == 0 && b.st.Word(i) == "values" && token.Start >= b.nameEnd:
			rows, head = nil, token.Start
		}
	}
	return rows, head
}

// start is the offset of the first value.
func (r *valuesRow) start() int {
	if len(r.items) == 0 {
		return r.open
	}
	return r.items[0].Start
}

func (r *valuesRow) item(tokens []parse.Token, start, i int) {
	if i > start {
		r.items = append(r.items, parse.Span{Start: tokens[start].Start, End: tokens[i-1].End})
	}
}

func (r *valuesRow) end(tokens []parse.Token, start, i int) {
	r.item(tokens, start, i)
	r.close = tokens[i].Start
}

// rowEdits casts the values of one row, and adds those that are not written out.
func rowEdits(row valuesRow, items []*pg_query.Node, columns, added []insertColumn) []plan.Edit {
	var edits []plan.Edit
	first := true
	for i, column := range columns {
		span := row.items[i]
		separator := ", "
		if first {
			separator = ""
		}
		from := row.open + 1
		if i > 0 {
			from = row.items[i-1].End
		}
		switch {
		case column.omitted:
			edits = append(edits, plan.Edit{Start: from, End: span.End})
			continue
		case items[i].GetSetToDefault() != nil:
			edits = append(edits, plan.Edit{Start: from, End: span.End, Text: separator + defaultCell(column.Column)})
		default:
			before, after := castTo(column.Type)
			edits = append(edits, plan.Edit{Start: from, End: span.Start, Text: separator + before},
				plan.Edit{Start: span.End, End: span.End, Text: after})
		}
		first = false
	}
	end := row.items[len(row.items)-1].End
	for _, column := range added {
		separator := ", "
		if first {
			separator = ""
		}
		first = false
		edits = append(edits, plan.Edit{Start: end, End: row.close, Text: separator + defaultCell(column.Column)})
		end = row.close
	}
	return edits
}

// defaultCell is the default of a column, in its type.
func defaultCell(column catalog.Column) string {
	before, after := castTo(column.Type)
	if column.Default == "" {
		return before + "NULL" + after
	}
	return before + column.Default + after
}

// castTo is what stands around a value to give it a column's type. A cast cuts what is too long for a
// type with a length, and INSERT refuses it: so such types go by the function that casts for INSERT.
func castTo(typ string) (before, after string) {
	for _, sized := range [...]struct{ prefix, plain, function string }{
		{"character varying(", "character varying", "varchar"},
		{"character(", "bpchar", "bpchar"},
		{"bit varying(", "bit varying", "varbit"},
		{"bit(", `pg_catalog."bit"`, "bit"},
	} {
		rest, ok := strings.CutPrefix(typ, sized.prefix)
		if !ok {
			continue
		}
		length, after, _ := strings.Cut(rest, ")")
		n, err := strconv.Atoi(length)
		if err != nil || after != "" {
			// An array has no such function: what is too long stays whole, for the system to judge.
			return "(", ")::" + sized.plain + after
		}
		const header = 4 // what type modifiers of strings count beside the length
		if strings.HasPrefix(sized.prefix, "char") {
			n += header
		}
		return `pg_catalog."` + sized.function + `"((`, ")::" + sized.plain + ", " + strconv.Itoa(n) + ", false)"
	}
	return "(", ")::" + typ
}
