package parse

// Later is a statement of the language that is read and not carried out: it is refused by its name, before
// anything of its text runs.
type Later interface {
	Extension
	// Hint says what to do meanwhile; it may be empty.
	Hint() string
}

// MaterializedView is CREATE MATERIALIZED VIEW with a clause of ours, and ALTER MATERIALIZED VIEW … SUSPEND or
// RESUME. PostgreSQL's own spellings have a Node.
type MaterializedView struct {
	Verb        string // CREATE, SUSPEND, RESUME
	Name        QualifiedName
	OrReplace   bool
	IfNotExists bool
	Columns     []Ident
	Refreshed   *Ident // a cron expression
	Options     []Option
	Query       Span // behind AS
}

// Tag is the command tag.
func (s *MaterializedView) Tag() string {
	if s.Verb == "CREATE" {
		return "CREATE MATERIALIZED VIEW"
	}
	return "ALTER MATERIALIZED VIEW"
}

// Hint says what works.
func (*MaterializedView) Hint() string { return "Create a view." }

// Trigger is CREATE, PAUSE, RESUME, DROP or FIRE TRIGGER of a trigger that runs a job from a template.
type Trigger struct {
	Verb        string // CREATE, PAUSE, RESUME, DROP, FIRE
	Name        QualifiedName
	OrReplace   bool
	IfNotExists bool
	IfExists    bool
	Table       QualifiedName // of CREATE
	Template    Ident
	Namespace   *Ident
	Scheduled   *Ident // a cron expression
	Options     []Option
}

// Tag is the command tag.
func (s *Trigger) Tag() string { return s.Verb + " TRIGGER" }

// Hint is empty: nothing else does what a trigger does.
func (*Trigger) Hint() string { return "" }

// materializedView reads CREATE [OR REPLACE] MATERIALIZED VIEW when it has a clause that PostgreSQL's own has
// not; else it is PostgreSQL's to read.
func (c *cursor) materializedView() (Extension, error) {
	start := c.at
	c.take("create")
	st := &MaterializedView{Verb: "CREATE", OrReplace: c.take("or", "replace")}
	if !c.take("materialized", "view") {
		c.at = start
		return nil, nil
	}
	extended := st.OrReplace
	st.IfNotExists = c.ifNotExists()
	var err error
	if st.Name, err = c.qualified(3); err != nil {
		return c.postgresUnless(extended, start, err)
	}
	if st.Columns, err = c.columnNames(); err != nil {
		return c.postgresUnless(extended, start, err)
	}
	if c.take("refreshed") {
		extended = true
		cron, err := c.str()
		if err != nil {
			return nil, err
		}
		st.Refreshed = &cron
	}
	if c.peek("with") {
		c.at++
		options, _, ext, err := c.optionList()
		if err != nil {
			return c.postgresUnless(extended, start, err)
		}
		st.Options, extended = options, extended || ext
	}
	if !extended {
		c.at = start
		return nil, nil
	}
	return st, c.viewQuery(st)
}

// postgresUnless leaves a statement to PostgreSQL's parser unless it has shown to be ours.
func (c *cursor) postgresUnless(ours bool, start int, err error) (Extension, error) {
	if ours {
		return nil, err
	}
	c.at = start
	return nil, nil
}

// columnNames reads `( name, … )` when it is there.
func (c *cursor) columnNames() ([]Ident, error) {
	if !c.takeSymbol('(') {
		return nil, nil
	}
	var names []Ident
	for {
		name, err := c.ident()
		if err != nil {
			return nil, err
		}
		names = append(names, name)
		if !c.takeSymbol(',') {
			return names, c.demandSymbol(')')
		}
	}
}

// viewQuery reads AS and the query behind it, which PostgreSQL's parser judges.
func (c *cursor) viewQuery(st *MaterializedView) error {
	if !c.take("as") || !c.more() {
		return c.unexpected()
	}
	inner := newStatement(c.st.Text, c.st.tokens[c.at:], 0)
	st.Query = Span{Start: inner.Offset, End: inner.Offset + len(inner.Text)}
	blanked := blank(c.st.Text, []Span{{Start: 0, End: st.Query.Start}})
	node, err := inner.parseNode(inner.Text)
	if err != nil {
		_, err = c.st.parseNode(blanked)
		return c.st.parserError(err, blanked, false)
	}
	if node.GetSelectStmt() == nil {
		return c.unexpected()
	}
	return nil
}

// alterMaterializedView reads what follows ALTER MATERIALIZED VIEW when it is ours.
func (c *cursor) alterMaterializedView() Extension {
	start := c.at
	name, err := c.qualified(3)
	for _, verb := range []string{"suspend", "resume"} {
		if err == nil && c.take(verb) && !c.more() {
			return &MaterializedView{Verb: foldUpper(verb), Name: name}
		}
	}
	c.at = start
	return nil
}

// createTrigger reads CREATE [OR REPLACE] TRIGGER when its table follows its name: PostgreSQL's own says
// before that when it fires.
func (c *cursor) createTrigger() (Extension, error) {
	start := c.at
	c.take("create")
	st := &Trigger{Verb: "CREATE", OrReplace: c.take("or", "replace")}
	if !c.take("trigger") {
		c.at = start
		return nil, nil
	}
	st.IfNotExists = c.ifNotExists()
	var err error
	if st.Name, err = c.qualified(3); err != nil || !c.take("on") {
		return c.postgresUnless(st.IfNotExists, start, c.unexpected())
	}
	if st.Table, err = c.qualified(3); err != nil {
		return nil, err
	}
	if !c.take("as") {
		return nil, c.unexpected()
	}
	if st.Template, err = c.str(); err != nil {
		return nil, err
	}
	return st, c.triggerClauses(st)
}

// triggerClauses reads [IN 'namespace'] [SCHEDULED 'cron'] [WITH (…)].
func (c *cursor) triggerClauses(st *Trigger) error {
	for _, clause := range []struct {
		word string
		to   **Ident
	}{{"in", &st.Namespace}, {"scheduled", &st.Scheduled}} {
		if !c.take(clause.word) {
			continue
		}
		value, err := c.str()
		if err != nil {
			return err
		}
		*clause.to = &value
	}
	if c.take("with") {
		var err error
		if st.Options, _, _, err = c.optionList(); err != nil {
			return err
		}
	}
	return c.end()
}

// trigger reads what follows PAUSE, RESUME, FIRE or DROP TRIGGER. DROP TRIGGER … ON is PostgreSQL's.
func (c *cursor) trigger(verb string) (Extension, error) {
	st := &Trigger{Verb: verb}
	if verb == "DROP" {
		st.IfExists = c.ifExists()
	}
	var err error
	if st.Name, err = c.qualified(3); err != nil || verb == "DROP" && c.peek("on") {
		return c.postgresUnless(verb != "DROP", c.at, err)
	}
	switch {
	case verb == "FIRE" && c.take("with"):
		if st.Options, _, _, err = c.optionList(); err != nil {
			return nil, err
		}
	case verb == "DROP":
		c.behavior()
	}
	return st, c.end()
}
