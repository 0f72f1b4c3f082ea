package apply

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
)

// explainPrefix stands before a statement whose plan is asked for.
const explainPrefix = "EXPLAIN (FORMAT json) "

// explained is what EXPLAIN (FORMAT json) answers about a statement on managed objects.
type explained struct {
	Target      string   `json:"target"`
	Hash        string   `json:"hash"`
	Result      string   `json:"result"` // create, change, drop, unchanged
	Home        []string `json:"home"`
	Steps       []step   `json:"steps"`
	AfterCommit []step   `json:"after_commit"`

	document json.RawMessage
}

type step struct {
	Step     string    `json:"step"`
	Path     string    `json:"path"`
	Observed *observed `json:"observed"`
}

type observed struct {
	Error       string   `json:"error"`
	Exists      bool     `json:"exists"`
	UpToDate    bool     `json:"up_to_date"`
	Destructive bool     `json:"destructive"`
	Differences []string `json:"differences"`
}

// lines show what would be done.
func (e *explained) lines() []string {
	var lines []string
	for _, sql := range e.Home {
		if !strings.HasPrefix(sql, "SELECT tablewright.") {
			lines = append(lines, "home: "+strings.ReplaceAll(sql, "\n", "\n    "))
		}
	}
	for _, s := range append(append([]step{}, e.Steps...), e.AfterCommit...) {
		lines = append(lines, s.Path+": "+s.Step)
		if s.Observed != nil && s.Observed.Error != "" {
			lines = append(lines, "  cannot be told: "+s.Observed.Error)
		}
		if s.Observed != nil {
			for _, difference := range s.Observed.Differences {
				lines = append(lines, "  "+difference)
			}
		}
	}
	return lines
}

// explain asks for the plan of a statement; nil is that of one that the home database carries out alone.
func (c *connection) explain(ctx context.Context, st *parse.Statement) (*explained, error) {
	value, err := c.run(ctx, explainPrefix+st.Text)
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		e.Position = max(e.Position-int32(len(explainPrefix)), 0)
		return nil, err
	case err != nil:
		return nil, err
	}
	var plans []explained
	if err := json.Unmarshal([]byte(value), &plans); err != nil || len(plans) != 1 {
		return nil, errors.Join(errors.New("EXPLAIN (FORMAT json) answered no plan"), err)
	}
	var documents []json.RawMessage
	if err := json.Unmarshal([]byte(value), &documents); err != nil {
		return nil, err
	}
	if plans[0].Result == string(plan.AtHome) {
		return nil, nil
	}
	plans[0].document = documents[0]
	return &plans[0], nil
}

// planned is what a plan's result is called before and after it is carried out.
func (e *explained) planned() (before, after string) {
	switch e.Result {
	case "create":
		return wouldCreate, created
	case "drop":
		return wouldDrop, dropped
	case unchanged:
		return unchanged, unchanged
	default:
		return wouldChange, changed
	}
}
