package bind

import "github.com/tablewright/tablewright/ddl/plan"

// splice applies edits to a text like plan.NewRewrite, and keeps what they bring together apart where
// they would become one token: `from"lake.sales".o` is two tokens, and stays two.
func splice(text string, edits []plan.Edit) *plan.Rewrite {
	apart := make([]plan.Edit, len(edits))
	for i, e := range edits {
		before, after := byteAt(text, e.Start-1), byteAt(text, e.End)
		first, last := after, before
		if e.Text != "" {
			first, last = e.Text[0], e.Text[len(e.Text)-1]
		}
		switch {
		case e.Text == "" && e.Start < e.End && joins(before) && joins(after):
			e.Text = " "
		case e.Text != "":
			if joins(before) && joins(first) {
				e.Text = " " + e.Text
			}
			if joins(last) && joins(after) {
				e.Text += " "
			}
		}
		apart[i] = e
	}
	return plan.NewRewrite(text, apart)
}

func byteAt(text string, i int) byte {
	if i < 0 || i >= len(text) {
		return 0
	}
	return text[i]
}

// joins tells whether a character may be part of one token with its neighbour of the same kind: of a
// word, number, or something quoted.
func joins(c byte) bool {
	return c == '_' || c == '$' || c == '"' || c == '\'' || c >= 0x80 ||
		(c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}
