package plan

import (
	"sort"
	"strings"
)

// Edit replaces the bytes [Start, End) of a text.
type Edit struct {
	Start int
	End   int
	Text  string
}

// Rewrite is a text made from an original by edits; it can map positions back.
type Rewrite struct {
	original string
	text     string
	edits    []Edit
}

// NewRewrite applies edits, which must not overlap, to original.
func NewRewrite(original string, edits []Edit) *Rewrite {
	sorted := append([]Edit(nil), edits...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Start < sorted[j].Start })
	var b strings.Builder
	at := 0
	for _, e := range sorted {
		b.WriteString(original[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(original[at:])
	return &Rewrite{original: original, text: b.String(), edits: sorted}
}

// Text is the edited text.
func (r *Rewrite) Text() string { return r.text }

// Original is the text before the edits.
func (r *Rewrite) Original() string { return r.original }

// OriginalOffset maps a byte offset of the edited text to one of the original. An offset inside a
// replacement maps to the start of what was replaced.
func (r *Rewrite) OriginalOffset(offset int) int {
	shift := 0 // edited = original + shift
	for _, e := range r.edits {
		start := e.Start + shift
		if offset < start {
			break
		}
		if offset < start+len(e.Text) {
			return e.Start
		}
		shift += len(e.Text) - (e.End - e.Start)
	}
	return min(max(offset-shift, 0), len(r.original))
}
