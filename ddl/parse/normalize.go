package parse

import pg_query "github.com/pganalyze/pg_query_go/v6"

// Normalize is the text with its constants replaced by parameters, the key under which what is known of
// a text may be kept. Use it instead of pg_query's own: that overflows the stack, and ends the process,
// on a text that nests deep enough. A text over a limit, or without tokens, is an error.
func Normalize(text string) (string, error) {
	// A text of fewer bytes than levels cannot nest too deep.
	if len(text) > NestingMax {
		if err := readable(text); err != nil {
			return "", err
		}
		tokens, err := scan(text)
		if err != nil {
			return "", wholeError(err)
		}
		if err := measured(text, tokens); err != nil {
			return "", err
		}
	}
	normal, err := pg_query.Normalize(text)
	if err != nil {
		return "", (&Statement{Text: text}).parserError(err, text, false)
	}
	return normal, nil
}
