package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// TestGolden runs the scripts of testdata: each prints what Split makes of a text.
func TestGolden(t *testing.T) {
	t.Parallel()
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "split":
				return splitText(d.Input)
			case "mask":
				return parse.MaskText(d.Input)
			default:
				d.Fatalf(t, "unknown command %q", d.Cmd)
				return ""
			}
		})
	})
}

func splitText(text string) string {
	statements, err := parse.Split(text)
	if err != nil {
		return "error " + errorText(text, sqlerr.From(err))
	}
	if len(statements) == 0 {
		return "no statements\n"
	}
	var b strings.Builder
	for i := range statements {
		printStatement(&b, text, &statements[i])
	}
	return b.String()
}

func printStatement(b *strings.Builder, text string, st *parse.Statement) {
	fmt.Fprintf(b, "%d %q\n", st.Offset, st.Text)
	if text[st.Offset:st.Offset+len(st.Text)] != st.Text {
		b.WriteString("  TEXT IS NOT A SLICE OF THE WHOLE\n")
	}
	switch {
	case st.Err != nil:
		b.WriteString("  unreadable " + errorText(text, st.Err))
	case st.Extension != nil:
		fmt.Fprintf(b, "  %s\n", describe(st, st.Extension))
	default:
		fmt.Fprintf(b, "  %T\n", st.Node.GetNode())
	}
	if st.Table != nil {
		printClauses(b, st)
	}
	for _, name := range parse.Names(st) {
		fmt.Fprintf(b, "  name %s\n", nameText(st, name))
	}
	if masked := st.Mask(nil); masked != st.Text {
		fmt.Fprintf(b, "  masked %s\n", masked)
	}
}

func printClauses(b *strings.Builder, st *parse.Statement) {
	if st.Table.OrReplace {
		b.WriteString("  or replace\n")
	}
	if !st.Table.With.Empty() {
		fmt.Fprintf(b, "  with %q\n", slice(st, st.Table.With))
	}
	for _, o := range st.Table.Options {
		fmt.Fprintf(b, "  option %s\n", optionText(st, o))
	}
	if st.Table.OptionsErr != nil {
		fmt.Fprintf(b, "  options error %s\n", st.Table.OptionsErr.Message)
	}
	for _, t := range st.Table.Partitioning {
		fmt.Fprintf(b, "  transform %s(%s) at %q\n", t.Function, strings.Join(t.Args, ", "), slice(st, t.Span))
	}
}

func describe(st *parse.Statement, ext parse.Extension) string {
	switch e := ext.(type) {
	case *parse.CreateCatalog:
		text := fmt.Sprintf("%s %q ifnotexists=%t", e.Tag(), e.Name.Value, e.IfNotExists)
		if e.Comment != nil {
			text += fmt.Sprintf(" comment=%q", e.Comment.Value)
		}
		if e.Wrapper != nil {
			text += fmt.Sprintf(" wrapper=%q", e.Wrapper.Value)
		}
		for _, o := range e.Options {
			text += "\n  option " + optionText(st, o)
		}
		return text
	case *parse.DropCatalog:
		return fmt.Sprintf("%s %v ifexists=%t cascade=%t", e.Tag(), e.Names, e.IfExists, e.Cascade)
	case *parse.CreateSchema:
		return fmt.Sprintf("%s %q ifnotexists=%t", e.Tag(), e.Name.Strings(), e.IfNotExists)
	case *parse.DropSchema:
		text := fmt.Sprintf("%s ifexists=%t cascade=%t", e.Tag(), e.IfExists, e.Cascade)
		for _, name := range e.Names {
			text += fmt.Sprintf(" %q", name.Strings())
		}
		for _, o := range e.Options {
			text += "\n  option " + optionText(st, o)
		}
		return text
	case *parse.Explain:
		var b strings.Builder
		fmt.Fprintf(&b, "EXPLAIN format=%s inner %q", e.Format, e.Inner.Text)
		if e.Inner.Extension != nil {
			fmt.Fprintf(&b, " = %s", describe(e.Inner, e.Inner.Extension))
		} else {
			fmt.Fprintf(&b, " = %T", e.Inner.Node.GetNode())
		}
		return b.String()
	default:
		return smallExtension(ext)
	}
}

func smallExtension(ext parse.Extension) string {
	switch e := ext.(type) {
	case *parse.ShowJobs:
		return fmt.Sprintf("SHOW JOBS where=%q limit=%q", e.Where.Value, e.Limit.Value)
	case *parse.Job:
		text := fmt.Sprintf("%s %q", e.Verb, e.ID.Value)
		if e.Timeout != nil {
			text += fmt.Sprintf(" timeout=%q", e.Timeout.Value)
		}
		return text
	case *parse.ShowObjects:
		text := fmt.Sprintf("SHOW %s from=%q", e.Objects, e.From.Strings())
		if e.Like != nil {
			text += fmt.Sprintf(" like=%q", e.Like.Value)
		}
		return text
	case *parse.Describe:
		return fmt.Sprintf("DESCRIBE %q", e.Name.Strings())
	default:
		return fmt.Sprintf("%T", ext)
	}
}

func optionText(st *parse.Statement, o parse.Option) string {
	return fmt.Sprintf("%q = %q form=%d key %q value %q", o.Key, o.Value, o.Form,
		slice(st, o.KeySpan), slice(st, o.ValueSpan))
}

func slice(st *parse.Statement, span parse.Span) string { return st.Text[span.Start:span.End] }

func nameText(st *parse.Statement, n parse.Name) string {
	kinds := map[parse.NameKind]string{
		parse.RelationName: "relation", parse.SchemaName: "schema", parse.CatalogName: "catalog",
	}
	roles := map[parse.Role]string{
		parse.Target: "target", parse.Read: "read", parse.References: "references", parse.Parent: "parent",
		parse.Like: "like", parse.Granted: "granted",
	}
	return fmt.Sprintf("%s %s %q at %q", roles[n.Role], kinds[n.Kind], n.Parts, slice(st, n.Span))
}

// errorText shows where the position points at.
func errorText(text string, e *sqlerr.Error) string {
	line := fmt.Sprintf("%s: %s", e.Code, e.Message)
	if e.Position > 0 {
		runes := []rune(text)
		at := min(e.Position-1, len(runes))
		end := min(at+10, len(runes))
		line += fmt.Sprintf(" at %d %q", e.Position, string(runes[at:end]))
	}
	if e.Hint != "" {
		line += "\n  hint: " + e.Hint
	}
	return line + "\n"
}
