package session

import (
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/role"
	"github.com/tablewright/tablewright/ddl/route"
)

const (
	// cachedRoutesMax and cachedTextBytesMax bound the memory of cached routes: entries, and bytes a text.
	cachedRoutesMax    = 2048
	cachedTextBytesMax = 4096
)

// verdict says, by a statement's text and the names that may mean something managed alone, who may have
// to deal with it.
type verdict uint8

const (
	passOn   verdict = iota // the home database, unchanged
	controls                // the home database, but the session watches: a transaction statement
	asks                    // what its names mean must be asked
	ours                    // a statement that PostgreSQL does not have
	mistyped                // the home database, whose error gets a hint
)

// routed is one statement and its verdict.
type routed struct {
	parsed  *parse.Statement
	text    string
	verdict verdict
	control control
	names   []parse.Name
	asked   *routed   // as it was before its views were replaced by their queries; nil when none were
	readers []string  // roles that read managed tables through views; nil: the session's own, by name
	rows    *rowsPlan // of a prepared statement that moves rows of a managed table
	decided *decided  // what it was found to be a moment ago; nil when that has been used
}

// script is the statements of one message.
type script struct {
	statements []routed
	passOn     bool // all of them go home unchanged
	controls   bool // a transaction statement is among them
	secret     bool // may hold a password: its text is not kept
	forgets    bool // one of them closes prepared statements
}

// RouteCache remembers what texts were found to be. Names that become managed later are looked at each
// time, so that nothing needs to be forgotten.
type RouteCache struct {
	exact *lru.Cache[string, script]
	// shapes and normalized hold the names of texts that are the home database's unless one of those is managed:
	// the first by a key that costs little, the second by one that every text has.
	shapes     *lru.Cache[string, []parse.Name]
	normalized *lru.Cache[string, []parse.Name]
}

// NewRouteCache returns an empty cache.
func NewRouteCache() (*RouteCache, error) {
	exact, err := lru.New[string, script](cachedRoutesMax)
	if err != nil {
		return nil, err
	}
	shapes, err := lru.New[string, []parse.Name](cachedRoutesMax)
	if err != nil {
		return nil, err
	}
	normalized, err := lru.New[string, []parse.Name](cachedRoutesMax)
	if err != nil {
		return nil, err
	}
	return &RouteCache{exact: exact, shapes: shapes, normalized: normalized}, nil
}

// route takes a message's text apart. An error is one of a statement of ours; text that the parser
// cannot read goes home, whose own parser judges it.
func (s *Session) route(text string) (script, error) {
	if len(text) > cachedTextBytesMax {
		fresh, err := dissect(text)
		if err != nil {
			return script{}, err
		}
		return s.judge(fresh), nil
	}
	routes := s.gateway.Routes
	// The same text with other literals is as harmless as it was, as long as none of its names is managed.
	shape, shaped := parse.Shape(text)
	if shaped {
		if names, ok := routes.shapes.Get(shape); ok && !s.mayMean(names) {
			return script{passOn: true}, nil
		}
	}
	if known, ok := routes.exact.Get(text); ok {
		return s.judge(known), nil
	}
	if parse.Defines(text) {
		// Seldom sent again, and its text may hold what is not to be kept.
		fresh, err := dissect(text)
		if err != nil {
			return script{}, err
		}
		return s.judge(fresh), nil
	}
	normal, err := parse.Normalize(text)
	if err != nil {
		return s.routeUnreadable(text)
	}
	if names, ok := routes.normalized.Get(normal); ok && !s.mayMean(names) {
		if shaped {
			routes.shapes.Add(shape, names)
		}
		return script{passOn: true}, nil
	}
	fresh, err := dissect(text)
	if err != nil {
		return script{}, err
	}
	names, harmless := routes.remember(normal, text, fresh)
	if harmless && shaped {
		routes.shapes.Add(shape, names)
	}
	return s.judge(fresh), nil
}

// routeUnreadable is the route of a text without a normal form.
func (s *Session) routeUnreadable(text string) (script, error) {
	fresh, err := dissect(text)
	if err != nil {
		return script{}, err
	}
	if !fresh.secret {
		s.gateway.Routes.exact.Add(text, fresh)
	}
	return s.judge(fresh), nil
}

// readWhole is a script with its statements, which the route of a normalized text does not hold.
func (s *Session) readWhole(text string, known script) (script, error) {
	if len(known.statements) > 0 {
		return known, nil
	}
	fresh, err := dissect(text)
	if err != nil {
		return script{}, err
	}
	return s.judge(fresh), nil
}

// mayMean tells whether one of the names may mean something managed, as this session sees it.
func (s *Session) mayMean(names []parse.Name) bool {
	return s.gateway.Names.mayMean(names) || s.own.any(names)
}

// remember stores what a text was found to be. What a statement means beyond its names (ours, or of a
// transaction) is remembered for the exact text only: positions depend on it. The names of any other text are
// returned.
func (c *RouteCache) remember(normal, text string, s script) (names []parse.Name, harmless bool) {
	if s.secret {
		return nil, false
	}
	for i := range s.statements {
		if s.statements[i].verdict == controls || s.statements[i].verdict == ours {
			c.exact.Add(text, s)
			return nil, false
		}
		names = append(names, s.statements[i].names...)
	}
	c.normalized.Add(strings.Clone(normal), names)
	return names, true
}

// dissect splits a text and says what each statement is, without looking at what is managed.
func dissect(text string) (script, error) {
	statements, err := parse.Split(text)
	if err != nil {
		return script{}, err
	}
	if st := nearMiss(statements); st != nil {
		// The home server reads the whole text before it runs any of it.
		whole := &parse.Statement{Text: text, Err: st.Err}
		return script{statements: []routed{{parsed: whole, text: text, verdict: mistyped}}, secret: true}, nil
	}
	s := script{statements: make([]routed, len(statements))}
	for i := range statements {
		st := &statements[i]
		r := routed{parsed: st, text: st.Text, control: controlOf(st)}
		switch {
		case r.control.kind != noControl:
			r.verdict = controls
			s.controls = true
			s.forgets = s.forgets || r.control.kind == closeStatements
		case st.Extension != nil:
			r.verdict = ours
			if d := route.Of(st, func(parse.Name) string { return "" }); d.Err != nil {
				return script{}, d.Err
			}
		case role.Is(st):
			r.verdict, s.secret = ours, true
		default:
			if d := route.Of(st, func(parse.Name) string { return "" }); d.Err != nil {
				return script{}, d.Err
			}
			r.names = parse.Names(st)
		}
		s.statements[i] = r
	}
	return s, nil
}

// nearMiss is the first statement that cannot be read and is like one that can.
func nearMiss(statements []parse.Statement) *parse.Statement {
	for i := range statements {
		if err := statements[i].Err; err != nil {
			if err.Hint == "" {
				return nil
			}
			return &statements[i]
		}
	}
	return nil
}

// judge decides which statements may mean something managed now.
func (s *Session) judge(known script) script {
	judged := script{statements: make([]routed, len(known.statements)), passOn: true, controls: known.controls, forgets: known.forgets}
	copy(judged.statements, known.statements)
	for i := range judged.statements {
		st := &judged.statements[i]
		if st.verdict == passOn && s.mayMean(st.names) {
			st.verdict = asks
		}
		if st.verdict == asks || st.verdict == ours || st.verdict == mistyped {
			judged.passOn = false
		}
	}
	return judged
}

// controlOf tells which transaction statement a statement is.
func controlOf(st *parse.Statement) control {
	if st.Node.GetCallStmt() != nil || st.Node.GetDoStmt() != nil {
		return control{kind: mayCommit}
	}
	if d := st.Node.GetDeallocateStmt(); d != nil {
		return control{kind: closeStatements, statement: d.GetName(), all: d.GetName() == ""}
	}
	if d := st.Node.GetDiscardStmt(); d != nil && d.GetTarget() == pg_query.DiscardMode_DISCARD_ALL {
		return control{kind: closeStatements, all: true}
	}
	tx := st.Node.GetTransactionStmt()
	if tx == nil {
		return control{}
	}
	c := control{savepoint: tx.GetSavepointName(), chain: tx.GetChain()}
	switch tx.GetKind() {
	case pg_query.TransactionStmtKind_TRANS_STMT_BEGIN, pg_query.TransactionStmtKind_TRANS_STMT_START:
		c.kind = beginBlock
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT:
		c.kind = commitBlock
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		c.kind = rollbackBlock
	case pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		c.kind = setSavepoint
	case pg_query.TransactionStmtKind_TRANS_STMT_RELEASE:
		c.kind = releaseSavepoint
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		c.kind = rollbackToSavepoint
	case pg_query.TransactionStmtKind_TRANS_STMT_PREPARE:
		c.kind = prepareTransaction
	default:
		return control{}
	}
	return c
}
