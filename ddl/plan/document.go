package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// document is an ordered tree: a scalar (string, bool, int), a list, or an object of fields in their
// order. EXPLAIN's formats are written from it.
type document any

type list []document

type field struct {
	name  string
	value document
}

type object []field

// set adds a field unless its value is empty.
func (o *object) set(name string, value document) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case list:
		if len(v) == 0 {
			return
		}
	case object:
		if len(v) == 0 {
			return
		}
	}
	*o = append(*o, field{name, value})
}

// stringList makes a list of strings.
func stringList(values []string) list {
	items := make(list, len(values))
	for i, v := range values {
		items[i] = v
	}
	return items
}

// writeJSON writes a document as indented JSON.
func writeJSON(d document) (string, error) {
	var b bytes.Buffer
	if err := appendJSON(&b, d); err != nil {
		return "", err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, b.Bytes(), "", "  "); err != nil {
		return "", fmt.Errorf("JSON: %w", err)
	}
	return indented.String(), nil
}

func appendJSON(b *bytes.Buffer, d document) error {
	switch v := d.(type) {
	case object:
		b.WriteByte('{')
		for i, f := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := appendJSON(b, f.name); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := appendJSON(b, f.value); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case list:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := appendJSON(b, item); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		encoder := json.NewEncoder(b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			return fmt.Errorf("JSON: %w", err)
		}
	}
	return nil
}

// writeYAML writes a document in YAML's block style.
func writeYAML(d document) string {
	var b strings.Builder
	appendYAML(&b, d, 0)
	return strings.TrimPrefix(b.String(), "\n")
}

// appendYAML writes a value behind a key or dash; what takes lines of its own begins with a new one.
func appendYAML(b *strings.Builder, d document, indent int) {
	margin := strings.Repeat("  ", indent)
	switch v := d.(type) {
	case object:
		for _, f := range v {
			b.WriteString("\n" + margin + yamlKey(f.name) + ":")
			appendYAML(b, f.value, indent+1)
		}
	case list:
		for _, item := range v {
			b.WriteString("\n" + margin + "-")
			appendItem(b, item, indent)
		}
	case string:
		if strings.Contains(v, "\n") {
			appendBlock(b, v, margin)
			return
		}
		b.WriteString(" " + yamlScalar(v))
	default:
		fmt.Fprintf(b, " %v", v)
	}
}

// appendItem writes an item of a list: the first field of an object stands behind the dash.
func appendItem(b *strings.Builder, item document, indent int) {
	fields, ok := item.(object)
	if !ok {
		appendYAML(b, item, indent+1)
		return
	}
	for i, f := range fields {
		if i == 0 {
			b.WriteString(" ")
		} else {
			b.WriteString("\n" + strings.Repeat("  ", indent+1))
		}
		b.WriteString(yamlKey(f.name) + ":")
		appendYAML(b, f.value, indent+2)
	}
}

// appendBlock writes text of several lines as a literal block, as it is.
func appendBlock(b *strings.Builder, text, margin string) {
	chomp := "-"
	lines, ended := strings.CutSuffix(text, "\n")
	if ended {
		chomp = ""
	}
	if strings.HasPrefix(lines, " ") || strings.HasPrefix(lines, "\n") || strings.HasSuffix(lines, "\n") || !printable(lines) {
		b.WriteString(" " + strconv.Quote(text))
		return
	}
	b.WriteString(" |" + chomp)
	for line := range strings.SplitSeq(lines, "\n") {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(margin + line)
		}
	}
}

func printable(text string) bool {
	for _, r := range text {
		if r != '\n' && !strconv.IsPrint(r) {
			return false
		}
	}
	return true
}

var plainScalar = regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./ ()+-]*$`)

// yamlScalar quotes what YAML would not read back as the same string.
func yamlScalar(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n", "~":
		return strconv.Quote(s)
	}
	if plainScalar.MatchString(s) && !strings.HasSuffix(s, " ") {
		return s
	}
	return strconv.Quote(s)
}

func yamlKey(name string) string { return yamlScalar(name) }
