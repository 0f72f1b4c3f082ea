package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// What becomes of a statement, or of an object that is pruned.
const (
	created     = "created"
	changed     = "changed"
	dropped     = "dropped"
	unchanged   = "unchanged"
	done        = "done" // of a statement that is the home database's and tells no more
	wouldCreate = "would create"
	wouldChange = "would change"
	wouldDrop   = "would drop"
	notShown    = "not shown"   // in a dry run: carried out by the home database alone, and not run
	rolledBack  = "rolled back" // with its transaction block
	failed      = "failed"
	kept        = "kept" // not pruned, since it holds data
)

// result is a line of the output.
type result struct {
	Type      string `json:"type"` // statement or prune
	File      string `json:"file,omitempty"`
	Line      int    `json:"line,omitempty"`
	Command   string `json:"command,omitempty"`
	Statement string `json:"statement,omitempty"` // secrets masked
	Object    string `json:"object,omitempty"`
	Result    string `json:"result"`
	SQLState  string `json:"sqlstate,omitempty"`
	Message   string `json:"message,omitempty"`
	Detail    string `json:"detail,omitempty"`
	Hint      string `json:"hint,omitempty"`
	// ErrorLine and ErrorColumn are where the file is wrong, when the error tells.
	ErrorLine   int             `json:"error_line,omitempty"`
	ErrorColumn int             `json:"error_column,omitempty"`
	Duration    float64         `json:"duration_ms"`
	Plan        json.RawMessage `json:"plan,omitempty"` // what EXPLAIN (FORMAT json) answers, in a dry run

	plan    *explained
	removal *removal
	control bool // a transaction statement
}

// summary is the last line of the output.
type summary struct {
	Type     string         `json:"type"`
	ExitCode int            `json:"exit_code"`
	Results  map[string]int `json:"results"`
	SQLState string         `json:"sqlstate,omitempty"`
	Message  string         `json:"message,omitempty"`
	Detail   string         `json:"detail,omitempty"`
	Hint     string         `json:"hint,omitempty"`
}

// fail notes an error.
func (r *result) fail(err error) {
	r.Result = failed
	var e *pgconn.PgError
	var own *sqlerr.Error
	switch {
	case errors.As(err, &e):
		r.SQLState, r.Message, r.Detail, r.Hint = e.Code, e.Message, e.Detail, e.Hint
	case errors.As(err, &own):
		r.SQLState, r.Message, r.Detail, r.Hint = own.Code, own.Message, own.Detail, own.Hint
	default:
		r.SQLState, r.Message = "08006", "connection lost: "+err.Error()
	}
}

// printer writes results as they come.
type printer struct {
	w    io.Writer
	json bool
	err  error // the first that writing met
}

func (p *printer) write(v any, human string) {
	if p.err != nil {
		return
	}
	if !p.json {
		_, p.err = io.WriteString(p.w, human)
		return
	}
	encoder := json.NewEncoder(p.w)
	encoder.SetEscapeHTML(false)
	p.err = encoder.Encode(v)
}

func (p *printer) result(r *result) { p.write(r, r.text()) }

func (p *printer) summary(s *summary) { p.write(s, s.text()) }

// text is the result as a person reads it.
func (r *result) text() string {
	var b strings.Builder
	if r.File != "" {
		line := r.Line
		if r.Result == failed && r.ErrorLine > 0 {
			line = r.ErrorLine
		}
		fmt.Fprintf(&b, "%s:%d: ", r.File, line)
	}
	what := strings.TrimSpace(r.Command + " " + r.Object)
	if r.Type == "prune" {
		what = "prune: " + what
	}
	if what != "" {
		b.WriteString(what + ": ")
	}
	b.WriteString(r.Result + "\n")
	b.WriteString(errorText(r.SQLState, r.Message, r.Detail, r.Hint))
	if r.plan != nil && strings.HasPrefix(r.Result, "would ") {
		for _, line := range r.plan.lines() {
			b.WriteString("    " + line + "\n")
		}
	}
	return b.String()
}

func errorText(code, message, detail, hint string) string {
	var b strings.Builder
	add := func(label, text string) {
		if text != "" {
			b.WriteString("    " + label + strings.ReplaceAll(text, "\n", "\n    ") + "\n")
		}
	}
	if code != "" {
		message = code + ": " + message
	}
	add("", message)
	add("DETAIL: ", detail)
	add("HINT: ", hint)
	return b.String()
}

func (s *summary) text() string {
	var parts []string
	for _, name := range []string{
		created, changed, dropped, unchanged, done, wouldCreate, wouldChange, wouldDrop, notShown, kept, rolledBack, failed,
	} {
		if n := s.Results[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	switch {
	case len(parts) == 0 && s.SQLState != "":
		parts = []string{"refused, nothing was done"}
	case len(parts) == 0:
		parts = []string{"nothing to do"}
	}
	return strings.Join(parts, ", ") + "\n" + errorText(s.SQLState, s.Message, s.Detail, s.Hint)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
