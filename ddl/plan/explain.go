package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// Format is a form in which a plan is shown.
type Format string

// The formats.
const (
	TextFormat Format = "text"
	JSONFormat Format = "json"
	YAMLFormat Format = "yaml"
)

// Observed is what the live system says of a step's target.
type Observed struct {
	Exists      bool
	UpToDate    bool
	Destructive bool     // converging would lose data
	Differences []string // one line each
	// Error says why the system could not be asked; the other fields then mean nothing.
	Error string
}

// StepExtra is what EXPLAIN shows of a step beyond the plan.
type StepExtra struct {
	Calls    []string // what will be called, by name
	Manifest string   // the rendered resource of a slow step, secrets masked
	Observed *Observed
}

// Extra is what EXPLAIN shows beyond the plan, by the ID of the step.
type Extra struct {
	Steps map[string]StepExtra
}

// pointOfNoReturn stands before the first step that is not undone.
const pointOfNoReturn = "point of no return"

// Explain shows a plan: as text with one line a row, or as one JSON or YAML document. The plan itself
// holds no secret.
func Explain(p *Plan, format Format, extra Extra) (string, error) {
	switch format {
	case JSONFormat:
		return writeJSON(list{explained(p, extra)})
	case YAMLFormat:
		return writeYAML(list{explained(p, extra)}) + "\n", nil
	case TextFormat, "":
		return explainText(p, extra), nil
	default:
		return "", fmt.Errorf("unknown format %q", format)
	}
}

// explained is the plan as a document.
func explained(p *Plan, extra Extra) object {
	var o object
	o.set("statement", p.Tag)
	o.set("target", p.Target)
	o.set("target_uid", p.TargetUID)
	o.set("hash", p.Hash)
	o.set("result", string(EffectOf(p, extra)))
	o.set("waits_for_job", p.WaitJob)
	var home list
	for _, h := range p.Home {
		home = append(home, h.SQL)
	}
	o.set("home", home)
	steps, final := phases(p)
	o.set("steps", stepList(steps, extra))
	o.set("after_commit", stepList(final, extra))
	o.set("settings", optionObject(p.Settings))
	var notices list
	for _, n := range p.Notices {
		notices = append(notices, n.Severity+": "+n.Message)
	}
	o.set("notices", notices)
	return o
}

// phases are the steps before and behind the point of no return.
func phases(p *Plan) (undoable, final []Step) {
	for _, s := range p.Steps {
		if s.Destructive {
			final = append(final, s)
		} else {
			undoable = append(undoable, s)
		}
	}
	return undoable, final
}

func stepList(steps []Step, extra Extra) list {
	var items list
	for _, s := range steps {
		items = append(items, stepObject(s, extra.Steps[s.ID]))
	}
	return items
}

func stepObject(s Step, x StepExtra) object {
	var o object
	o.set("step", s.ID)
	o.set("action", string(s.Action))
	o.set("path", string(s.Path))
	o.set("catalog", s.Catalog.Name)
	o.set("type", s.Catalog.Type)
	o.set("kind", string(s.Target.Kind))
	o.set("object", stringList(s.Target.Path))
	o.set("identity", s.Target.Identity)
	o.set("depends_on", stringList(s.DependsOn))
	if s.Deadline > 0 {
		o.set("deadline", s.Deadline.String())
	}
	if s.Action != Drop {
		o.set("table", tableObject(s.Target.Table))
	}
	if s.Target.Kind == CatalogKind {
		o.set("options", optionObject(s.Catalog.Options))
	}
	o.set("calls", stringList(x.Calls))
	if x.Observed != nil {
		o.set("observed", observedObject(x.Observed))
	}
	o.set("manifest", x.Manifest)
	return o
}

func observedObject(seen *Observed) object {
	var o object
	if seen.Error != "" {
		o.set("error", seen.Error)
		return o
	}
	o.set("exists", seen.Exists)
	if seen.Exists {
		o.set("up_to_date", seen.UpToDate)
		o.set("destructive", seen.Destructive)
		o.set("differences", stringList(seen.Differences))
	}
	return o
}

func tableObject(t catalog.Table) object {
	var o object
	var columns list
	for _, c := range t.Columns {
		columns = append(columns, columnText(c))
	}
	o.set("columns", columns)
	o.set("primary_key", stringList(t.PrimaryKey))
	var constraints, partitioning list
	for _, c := range t.Constraints {
		constraints = append(constraints, constraintText(c))
	}
	o.set("constraints", constraints)
	for _, p := range t.Partitioning {
		partitioning = append(partitioning, transformText(p))
	}
	o.set("partitioning", partitioning)
	o.set("options", optionObject(t.Options))
	return o
}

func columnText(c catalog.Column) string {
	text := catalog.QuoteIdent(c.Name) + " " + c.Type
	if c.NotNull {
		text += " NOT NULL"
	}
	if c.Default != "" {
		text += " DEFAULT " + c.Default
	}
	if c.Identity != "" {
		text += " GENERATED " + c.Identity + " AS IDENTITY"
	}
	return text
}

func constraintText(c catalog.Constraint) string {
	if c.Name == "" {
		return c.Definition
	}
	return "CONSTRAINT " + catalog.QuoteIdent(c.Name) + " " + c.Definition
}

func transformText(t catalog.Transform) string {
	args := append(slices.Clone(t.Args), quoted(t.Columns)...)
	if t.Transform == "identity" {
		return strings.Join(args, ", ")
	}
	return t.Transform + "(" + strings.Join(args, ", ") + ")"
}

func quoted(names []string) []string {
	result := make([]string, len(names))
	for i, name := range names {
		result[i] = catalog.QuoteIdent(name)
	}
	return result
}

// optionObject never shows a secret: an option that is one is a reference.
func optionObject(options catalog.Options) object {
	var o object
	for _, option := range options {
		value := option.Value
		switch {
		case option.SecretRef != nil:
			value = "secret:" + option.SecretRef.Name + "/" + option.SecretRef.Key
		case option.Reference != "":
			value = option.Reference
		}
		o = append(o, field{option.Name, value})
	}
	return o
}
