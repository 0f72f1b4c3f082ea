package plan

import (
	"fmt"
	"strings"
)

// explainText shows a plan as a tree of lines.
func explainText(p *Plan, extra Extra) string {
	w := &textWriter{}
	w.line(0, strings.TrimSpace(p.Tag+" "+p.Target))
	if p.WaitJob != "" {
		w.line(1, "waits for job "+p.WaitJob)
	}
	for _, h := range p.Home {
		w.item("home: ", h.SQL)
	}
	undoable, final := phases(p)
	for _, s := range undoable {
		w.step(s, extra.Steps[s.ID])
	}
	if len(final) > 0 {
		w.line(1, "-- "+pointOfNoReturn+": what follows runs after the commit, until it is done --")
	}
	for _, s := range final {
		w.step(s, extra.Steps[s.ID])
	}
	if p.absent() {
		w.line(1, "there is no "+p.Target+", as the home database will answer")
	}
	if len(p.Steps) == 0 {
		w.line(1, "nothing is done outside the home database")
	}
	for _, o := range p.Settings {
		w.line(1, "setting: "+o.Name+" = "+o.Value)
	}
	for _, n := range p.Notices {
		w.item(n.Severity+": ", n.Message)
	}
	return strings.TrimSuffix(w.b.String(), "\n")
}

// absent tells whether the statement is about something that is not there.
func (p *Plan) absent() bool {
	return len(p.Steps) == 0 && p.TargetUID == "absent" && !strings.HasPrefix(p.Tag, "CREATE ")
}

// textWriter writes indented lines.
type textWriter struct{ b strings.Builder }

func (w *textWriter) line(depth int, text string) {
	w.b.WriteString(strings.Repeat("  ", depth) + text + "\n")
}

// item writes text of several lines, the later ones under the first.
func (w *textWriter) item(label, text string) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i == 0 {
			w.line(1, label+line)
			continue
		}
		w.line(1, strings.Repeat(" ", len(label))+line)
	}
}

func (w *textWriter) step(s Step, x StepExtra) {
	w.line(1, fmt.Sprintf("-> %s (%s, catalog %s, type %s)", s.ID, s.Path, s.Catalog.Name, s.Catalog.Type))
	if len(s.Target.Path) > 0 {
		object := strings.Join(quoted(s.Target.Path), ".")
		if s.Target.Identity != "" {
			object += " = " + s.Target.Identity
		}
		w.line(3, "object: "+object)
	}
	if len(s.DependsOn) > 0 {
		w.line(3, "after: "+strings.Join(s.DependsOn, ", "))
	}
	if s.Deadline > 0 {
		w.line(3, "deadline: "+s.Deadline.String())
	}
	if s.Action != Drop {
		w.table(s)
	}
	w.observed(x.Observed)
	for _, call := range x.Calls {
		w.line(3, "call: "+call)
	}
	if x.Manifest != "" {
		w.line(3, "manifest:")
		for line := range strings.SplitSeq(strings.TrimSuffix(x.Manifest, "\n"), "\n") {
			w.line(4, line)
		}
	}
}

func (w *textWriter) table(s Step) {
	t := s.Target.Table
	for _, c := range t.Columns {
		w.line(3, "column: "+columnText(c))
	}
	if len(t.PrimaryKey) > 0 {
		w.line(3, "primary key: "+strings.Join(quoted(t.PrimaryKey), ", "))
	}
	for _, c := range t.Constraints {
		w.line(3, "constraint: "+constraintText(c))
	}
	for _, p := range t.Partitioning {
		w.line(3, "partitioning: "+transformText(p))
	}
	options := t.Options
	if s.Target.Kind == CatalogKind {
		options = s.Catalog.Options
	}
	for _, f := range optionObject(options) {
		w.line(3, fmt.Sprintf("option: %s = %v", f.name, f.value))
	}
}

func (w *textWriter) observed(seen *Observed) {
	switch {
	case seen == nil:
	case seen.Error != "":
		w.line(3, "observed: cannot be told: "+seen.Error)
	case !seen.Exists:
		w.line(3, "observed: absent")
	case seen.UpToDate:
		w.line(3, "observed: exists, as it is wanted")
	default:
		state := "observed: exists, differs"
		if seen.Destructive {
			state += "; converging would lose data"
		}
		w.line(3, state)
		for _, difference := range seen.Differences {
			w.line(4, difference)
		}
	}
}
