package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// Options are what `tablewright apply` was asked for.
type Options struct {
	Files     []string // files, folders, or - for Stdin
	DSN       string
	Variables []string // k=v
	Set       string
	DryRun    bool
	KeepGoing bool
	JSON      bool
	Prune     bool
	PruneData bool
	SavePlan  string // file to write; implies DryRun
	Plan      string // file whose plan alone is carried out
	Stdin     io.Reader
	Stdout    io.Writer
}

// The exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitWouldChange = 2
)

var setName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$`)

// check refuses options that exclude each other.
func (o *Options) check() error {
	switch {
	case len(o.Files) == 0:
		return errors.New("apply needs -f: a folder, a file, or - for standard input")
	case o.Set != "" && !setName.MatchString(o.Set):
		return errors.New("--set takes a name of at most 63 letters, digits, _, . and -")
	case (o.Prune || o.PruneData) && o.Set == "":
		return errors.New("--prune needs --set: only what a set has made is pruned")
	case o.PruneData && !o.Prune:
		return errors.New("--prune-data needs --prune")
	case o.Plan != "" && (o.DryRun || o.SavePlan != ""):
		return errors.New("--plan carries a plan out; it excludes --dry-run and --save-plan")
	}
	return nil
}

// Run applies the files and returns the exit code. The error is one of the command itself; what became of the
// statements is written to Stdout.
func Run(ctx context.Context, o Options) (int, error) {
	if err := o.check(); err != nil {
		return exitFailed, err
	}
	o.DryRun = o.DryRun || o.SavePlan != ""
	variables, err := parseVariables(o.Variables)
	if err != nil {
		return exitFailed, err
	}
	sources, err := readSources(o.Files, o.Stdin)
	if err != nil {
		return exitFailed, err
	}
	r := &run{options: o, out: &printer{w: o.Stdout, json: o.JSON}, counts: map[string]int{}}
	if !r.read(sources, variables) {
		return r.end("nothing was run")
	}
	var plan *savedPlan
	if o.Plan != "" {
		if plan, err = loadPlan(o.Plan); err != nil {
			return exitFailed, err
		}
	}
	if r.conn, err = connect(ctx, o.DSN); err != nil {
		return exitFailed, err
	}
	defer r.conn.close(ctx)
	switch {
	case plan != nil:
		err = r.carryOut(ctx, plan)
	case o.DryRun:
		err = r.rehearse(ctx)
	default:
		err = r.apply(ctx)
	}
	if err != nil {
		return exitFailed, err
	}
	if o.SavePlan != "" && r.counts[failed] == 0 {
		if err := r.savePlan(o.SavePlan); err != nil {
			return exitFailed, err
		}
	}
	return r.end("")
}

// run is one call of the command.
type run struct {
	options  Options
	out      *printer
	conn     *connection
	scripts  []*script
	counts   map[string]int
	declared []string  // objects that the files declare, as names in SQL
	results  []*result // of a rehearsal, for a plan
	quiet    bool      // results are not shown
	stopped  bool      // a failure ended the run before the last statement
	refusal  *sqlerr.Error
}

// read reads all files before anything runs.
func (r *run) read(sources []source, variables map[string]string) bool {
	for _, src := range sources {
		s, at, err := newScript(src, variables)
		if err != nil {
			res := &result{Type: "statement", File: src.name, Line: at.line, ErrorLine: at.line, ErrorColumn: at.column}
			res.fail(err)
			r.show(res)
			continue
		}
		r.scripts = append(r.scripts, s)
	}
	return r.counts[failed] == 0
}

// show writes a result and counts it.
func (r *run) show(res *result) {
	r.results = append(r.results, res)
	if r.quiet {
		return
	}
	r.counts[res.Result]++
	r.out.result(res)
}

// end writes the summary.
func (r *run) end(message string) (int, error) {
	s := &summary{Type: "summary", Results: r.counts, Message: message}
	would := r.counts[wouldCreate] + r.counts[wouldChange] + r.counts[wouldDrop]
	switch {
	case r.refusal != nil:
		s.ExitCode = exitFailed
		s.SQLState, s.Message, s.Detail, s.Hint = r.refusal.Code, r.refusal.Message, r.refusal.Detail, r.refusal.Hint
	case r.counts[failed] > 0:
		s.ExitCode = exitFailed
	case would > 0:
		s.ExitCode = exitWouldChange
	}
	if r.stopped && s.Message == "" {
		s.Message = "stopped at the first failure; what was done before it stays done"
		if r.options.DryRun {
			s.Message = "stopped at the first failure; nothing was changed"
		}
	}
	r.out.summary(s)
	return s.ExitCode, r.out.err
}

// quoteLiteral writes a set's name, which has no quote in it, as a setting.
func quoteLiteral(name string) string { return "'" + name + "'" }

// settings are the statements that begin each file: it starts with the settings of the connection, whatever the
// file before it has set.
func (r *run) settings(dryRun bool) string {
	sql := "RESET ROLE; RESET ALL; SET tablewright.mode = apply"
	if r.options.Set != "" {
		sql += "; SET tablewright.set = " + quoteLiteral(r.options.Set)
	}
	if dryRun {
		sql += "; SET tablewright.dry_run = stage"
	}
	return sql
}

func (r *run) begin(ctx context.Context, dryRun bool) error {
	if _, err := r.conn.run(ctx, r.settings(dryRun)); err != nil {
		return fmt.Errorf("cannot begin: %w", err)
	}
	return nil
}
