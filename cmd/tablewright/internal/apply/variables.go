package apply

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// reference is ${name}, its escape $${name}, and what looks like the beginning of one of them.
var reference = regexp.MustCompile(`\$?\$\{([A-Za-z_][A-Za-z0-9_.-]*\})?`)

// parseVariables reads --var k=v; the last of a name wins.
func parseVariables(args []string) (map[string]string, error) {
	variables := map[string]string{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || reference.FindString("${"+name+"}") != "${"+name+"}" || name == "" {
			return nil, fmt.Errorf("--var takes name=value, and a name of letters, digits, _, . and -")
		}
		variables[name] = value
	}
	return variables, nil
}

// substitute replaces ${name} by its value and $${name} by ${name}, wherever they stand. An unknown name is an
// error at its place, and so is a `${` without one. `$${` that no name follows is left alone: it begins the
// body of a function.
func substitute(text string, variables map[string]string) (*plan.Rewrite, *sqlerr.Error) {
	var edits []plan.Edit
	for _, at := range reference.FindAllStringIndex(text, -1) {
		found := text[at[0]:at[1]]
		escaped, named := strings.HasPrefix(found, "$$"), strings.HasSuffix(found, "}")
		switch {
		case escaped && named:
			edits = append(edits, plan.Edit{Start: at[0], End: at[1], Text: found[1:]})
		case escaped:
		case !named:
			return nil, sqlerr.New(sqlerr.SyntaxError, "${ begins no variable").
				WithHint("Write ${name}.").At(characterAt(text, at[0]))
		default:
			name := found[2 : len(found)-1]
			value, known := variables[name]
			if !known {
				return nil, unknownVariable(name, variables).At(characterAt(text, at[0]))
			}
			edits = append(edits, plan.Edit{Start: at[0], End: at[1], Text: value})
		}
	}
	return plan.NewRewrite(text, edits), nil
}

func unknownVariable(name string, variables map[string]string) *sqlerr.Error {
	e := sqlerr.New(sqlerr.UndefinedObject, `variable "%s" is not set`, name)
	if len(variables) == 0 {
		return e.WithHint("Use --var %s=value, or $${%s} for the text ${%s}.", name, name, name)
	}
	known := slices.Sorted(maps.Keys(variables))
	return e.WithHint("Set are %s. $${%s} stands for the text ${%s}.", strings.Join(known, ", "), name, name)
}
