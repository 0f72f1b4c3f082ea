package parse

import (
	"slices"
	"strings"
)

// nearMiss looks for a mistyped keyword behind CREATE, DROP or SHOW. refuse is set for a keyword of ours:
// the text may hold secrets, which a home database would log with its syntax error.
func (s *Statement) nearMiss() (hint string, refuse bool) {
	first := s.Word(0)
	var known []string
	switch first {
	case "create":
		known = []string{"catalog", "table", "schema", "view", "index", "server", "database", "function", "sequence"}
	case "drop":
		known = []string{"catalog", "table", "schema", "view", "index", "server", "database", "function", "sequence"}
	case "show":
		known = []string{"jobs", "catalogs", "schemas", "tables"}
	default:
		return "", false
	}
	second := s.Word(1)
	if len(second) < 4 {
		return "", false
	}
	if slices.Contains(known, second) {
		return "", false
	}
	for _, word := range known {
		if distance(second, word) <= 2 {
			return "Perhaps you meant " + strings.ToUpper(first+" "+word) + ".", word == "catalog"
		}
	}
	return "", false
}

// distance is the number of insertions, deletions, substitutions and swaps of neighbours between two
// words, counted no further than a few.
func distance(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Nearest is the candidate that is most like a word, or "" when none is like it.
func Nearest(word string, candidates []string) string {
	best, at := "", 3
	for _, candidate := range candidates {
		if d := distance(word, candidate); d < at && d < len(word) {
			best, at = candidate, d
		}
	}
	return best
}
