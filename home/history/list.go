package history

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Limits of a list.
const (
	ListDefault = 100
	ListMax     = 1000
	windowSize  = 7 * 24 * time.Hour
)

// Filter says which jobs a list holds. What is zero does not narrow it, except for the window: without
// From it is the last 7 days.
type Filter struct {
	States    []State
	Kind      string
	Target    string
	Submitter string
	From, To  time.Time // of the creation: [From, To)
	Text      string    // found in target, statement or error message, case folded
	After     *Cursor   // where the page before ended
	Limit     int       // ListDefault when 0, at most ListMax
}

// Cursor is a place in a list.
type Cursor struct {
	Created time.Time
	JobID   uuid.UUID
}

// List reads a page of jobs, the newest first, and where the next one begins (nil: it is the last).
func (s *Store) List(ctx context.Context, f Filter) ([]Job, *Cursor, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = ListDefault
	}
	limit = min(limit, ListMax)
	where, args := f.where()
	args = append(args, limit+1)
	jobs, err := many(ctx, s.pool,
		fmt.Sprintf("where %s order by created desc, job_id desc limit $%d", where, len(args)), args...)
	if err != nil {
		return nil, nil, err
	}
	if len(jobs) <= limit {
		return jobs, nil, nil
	}
	last := jobs[limit-1]
	return jobs[:limit], &Cursor{Created: last.Created, JobID: last.JobID}, nil
}

func (f Filter) where() (string, []any) {
	var args []any
	var conditions []string
	add := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		conditions = append(conditions, condition)
	}
	if f.From.IsZero() {
		add("created >= coalesce(?, now()) - ?::interval", orNull(f.To), windowSize)
	} else {
		add("created >= ?", f.From)
	}
	if !f.To.IsZero() {
		add("created < ?", f.To)
	}
	if len(f.States) > 0 {
		states := make([]string, len(f.States))
		for i, s := range f.States {
			states[i] = string(s)
		}
		add("state = any(?)", states)
	}
	for _, equal := range []struct{ column, value string }{
		{"kind", f.Kind}, {"target", f.Target}, {"submitter", f.Submitter},
	} {
		if equal.value != "" {
			add(equal.column+" = ?", equal.value)
		}
	}
	if f.Text != "" {
		text := strings.ToLower(f.Text)
		add("(strpos(lower(target), ?) > 0 or strpos(lower(statement), ?) > 0 or "+
			"strpos(lower(coalesce(error_message, '')), ?) > 0)", text, text, text)
	}
	if f.After != nil {
		add("(created, job_id) < (?, ?)", f.After.Created, f.After.JobID)
	}
	return strings.Join(conditions, " and "), args
}
