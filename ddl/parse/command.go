package parse

import "strings"

// Command is what a statement is called: its first words, without what only qualifies them.
func (s *Statement) Command() string {
	var words []string
	for i := range s.Tokens() {
		word := strings.ToUpper(s.Word(i))
		switch word {
		case "":
			return strings.Join(words, " ")
		case "OR", "REPLACE", "TEMP", "TEMPORARY", "UNLOGGED", "GLOBAL", "LOCAL", "UNIQUE", "TRUSTED", "CONSTRAINT", "RECURSIVE", "PROCEDURAL":
			continue
		}
		words = append(words, word)
		if len(words) >= commandWords(words) {
			break
		}
	}
	return strings.Join(words, " ")
}

func commandWords(words []string) int {
	switch words[0] {
	case "CREATE", "ALTER", "DROP", "REFRESH":
		if len(words) > 1 && (words[1] == "MATERIALIZED" || words[1] == "FOREIGN" || words[1] == "EVENT" || words[1] == "DEFAULT") {
			return 3
		}
		return 2
	case "COMMENT":
		return 3
	case "INSERT", "DELETE", "SHOW", "PREPARE":
		return 2
	default:
		return 1
	}
}
