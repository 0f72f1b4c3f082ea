package parse

import "slices"

// objectWords are the kinds of object that stand behind CREATE, ALTER and DROP.
func objectWords() []string {
	return []string{
		"catalog", "table", "schema", "view", "index", "server", "database", "function", "sequence", "trigger",
		"materialized", "role", "user", "type", "extension", "procedure", "policy", "rule", "domain", "unique", "temp",
		"temporary", "foreign", "event", "unlogged", "aggregate", "collation", "publication", "subscription",
	}
}

// secondWords are what may stand behind a first word, of those where a mistyped one is looked for.
func secondWords(first string) []string {
	switch first {
	case "create", "drop", "alter":
		return objectWords()
	case "show":
		return []string{"jobs", "catalogs", "schemas", "tables", "create"}
	case "refresh":
		return []string{"catalog", "materialized"}
	case "pause", "resume", "fire":
		return []string{"trigger"}
	default:
		return nil
	}
}

// firstWords are those that begin statements often.
func firstWords() []string {
	return []string{
		"create", "alter", "drop", "show", "refresh", "describe", "explain", "comment", "select", "insert", "update",
		"delete", "grant", "revoke", "truncate", "cancel", "retry", "begin", "commit", "rollback", "pause", "resume",
	}
}

// nearMiss looks for a mistyped keyword at the beginning of a statement. refuse is set for a keyword of ours:
// the text may hold secrets, which a home database would log with its syntax error.
func (s *Statement) nearMiss() (hint string, refuse bool) {
	first, second := s.Word(0), s.Word(1)
	known := secondWords(first)
	if known == nil {
		return s.nearFirst(first, second)
	}
	if len(second) < 4 || slices.Contains(known, second) {
		return "", false
	}
	if word := Nearest(second, known); word != "" {
		return "Perhaps you meant " + foldUpper(first+" "+word) + ".", word == "catalog"
	}
	return "", false
}

// nearFirst looks for a mistyped first word.
func (s *Statement) nearFirst(first, second string) (hint string, refuse bool) {
	words := firstWords()
	if len(first) < 4 || slices.Contains(words, first) {
		return "", false
	}
	word := Nearest(first, words)
	if word == "" {
		return "", false
	}
	hint = foldUpper(word)
	if object := Nearest(second, secondWords(word)); object != "" {
		hint += " " + foldUpper(object)
		refuse = object == "catalog" || object == "server" || object == "database"
	}
	return "Perhaps you meant " + hint + ".", refuse
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
