package parse

import "strings"

// frontEnd reads the statements that PostgreSQL's grammar does not have. done is false for one that is
// PostgreSQL's to read.
func (s *Statement) frontEnd() (done bool, err error) {
	c := &cursor{st: s}
	switch s.Word(0) {
	case "create":
		return c.create()
	case "alter":
		return c.alter()
	case "drop":
		return c.drop()
	case "refresh":
		if c.take("refresh", "catalog") {
			return s.extend(c.refreshCatalog())
		}
	case "show":
		return c.show()
	case "pause", "resume", "fire":
		if verb := foldUpper(s.Word(0)); s.Word(1) == "trigger" {
			c.at = 2
			return s.extend(c.trigger(verb))
		}
	case "explain":
		c.at++
		return s.extend(c.explain())
	case "describe":
		c.at++
		return s.extend(c.describe())
	case "wait", "cancel", "retry":
		return c.jobStatement()
	}
	return false, nil
}

// extend stores an extension statement, if there is one.
func (s *Statement) extend(ext Extension, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	s.Extension = ext
	return ext != nil, nil
}

func (c *cursor) create() (bool, error) {
	s := c.st
	switch {
	case c.take("create", "catalog"):
		return s.extend(c.createCatalog())
	case c.take("create", "database"):
		return s.extend(c.createDatabase())
	case c.take("create", "schema"):
		return s.extend(c.createSchema())
	case c.take("create", "server"):
		node, err := s.parseNode(s.Text)
		if err != nil || node.GetCreateForeignServerStmt() == nil {
			return false, nil
		}
		s.Node = node
		s.Extension = s.createServer(node.GetCreateForeignServerStmt())
		return true, nil
	}
	for _, read := range []func() (Extension, error){c.materializedView, c.createTrigger} {
		if ext, err := read(); ext != nil || err != nil {
			return s.extend(ext, err)
		}
	}
	return s.createTable()
}

func (c *cursor) alter() (bool, error) {
	switch {
	case c.take("alter", "catalog"):
		return c.st.extend(c.alterCatalog())
	case c.take("alter", "materialized", "view"):
		return c.st.extend(c.alterMaterializedView(), nil)
	default:
		return false, nil
	}
}

func (c *cursor) drop() (bool, error) {
	switch {
	case c.take("drop", "catalog"):
		return c.st.extend(c.dropCatalog())
	case c.take("drop", "database"):
		return c.st.extend(c.dropDatabase(), nil)
	case c.take("drop", "schema"):
		return c.st.extend(c.dropSchema())
	case c.take("drop", "trigger"):
		return c.st.extend(c.trigger("DROP"))
	default:
		return false, nil
	}
}

func (c *cursor) show() (bool, error) {
	switch {
	case c.take("show", "jobs"):
		return c.st.extend(c.jobs())
	case c.take("show", "job"):
		return c.st.extend(c.job(ShowJob))
	case c.take("show", "create"):
		return c.st.extend(c.showCreate())
	case c.take("show", "catalogs"):
		return c.st.extend(c.objects(Catalogs))
	case c.take("show", "schemas"):
		return c.st.extend(c.objects(Schemas))
	case c.take("show", "tables"):
		return c.st.extend(c.objects(Tables))
	default:
		return false, nil
	}
}

func (c *cursor) jobStatement() (bool, error) {
	switch {
	case c.take("wait", "for", "job"):
		return c.st.extend(c.job(WaitForJob))
	case c.take("cancel", "job"):
		return c.st.extend(c.job(CancelJob))
	case c.take("retry", "job"):
		return c.st.extend(c.job(RetryJob))
	default:
		return false, nil
	}
}

// looksOurs tells by its first words that a text is one of our statements, also when the rest of it
// cannot be read, with a hint for what is often written.
func (s *Statement) looksOurs() (hint string, ours bool) {
	c := &cursor{st: s}
	c.take("explain")
	c.skipParens()
	for _, words := range [][]string{
		{"show", "job"}, {"wait", "for", "job"}, {"cancel", "job"}, {"retry", "job"},
	} {
		if c.peek(words...) {
			verb := strings.ToUpper(strings.Join(words, " "))
			return "Write the job's id in quotes: " + verb + " '…'.", true
		}
	}
	for _, words := range [][]string{
		{"create", "catalog"},
		{"create", "database"},
		{"create", "server"},
		{"alter", "catalog"},
		{"alter", "server"},
		{"drop", "catalog"},
		{"refresh", "catalog"},
		{"show", "create"},
		{"show", "jobs"},
		{"show", "catalogs"},
		{"show", "schemas"},
		{"show", "tables"},
		{"describe"},
	} {
		if c.peek(words...) {
			return "", true
		}
	}
	return s.nearMiss()
}
