package postgres

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

var (
	castSuffix  = regexp.MustCompile(`::(?:[a-z_][a-z0-9_]*\.)?(?:\x01\d+\x01|[a-z_][a-z0-9_]*)(?: varying| precision| with(?:out)? time zone)?(?:\(\d+(?:,\s*-?\d+)?\))?(?: with(?:out)? time zone)?(?:\[\])*`)
	typedPrefix = regexp.MustCompile(`\b(?:date|time|timestamp|timestamptz|interval|numeric|uuid|json|jsonb|text)\s*(\x01\d+\x01)`)
	numberText  = regexp.MustCompile(`^'(-?\d+(?:\.\d+)?)'$`)
)

// sameText compares two expressions after removing what pg_get_expr adds or drops without a change of
// meaning: casts of constants, parentheses around the whole, spaces, the case of keywords.
func sameText(a, b string) bool { return a == b || simplify(a) == simplify(b) }

func simplify(expr string) string {
	masked, literals := maskLiterals(expr)
	masked = strings.ToLower(masked)
	masked = strings.ReplaceAll(masked, "pg_catalog.", "")
	masked = castSuffix.ReplaceAllString(masked, "")
	masked = typedPrefix.ReplaceAllString(masked, "$1")
	masked = strings.Join(strings.Fields(masked), "")
	for outerParens(masked) {
		masked = masked[1 : len(masked)-1]
	}
	for i, literal := range literals {
		if m := numberText.FindStringSubmatch(literal); m != nil {
			literal = m[1]
		}
		masked = strings.Replace(masked, maskOf(i), literal, 1)
	}
	return masked
}

// maskLiterals replaces string constants and quoted names by marks, so that what follows does not
// change their inside.
func maskLiterals(expr string) (masked string, literals []string) {
	var out strings.Builder
	for i := 0; i < len(expr); {
		quote := expr[i]
		if quote != '\'' && quote != '"' {
			out.WriteByte(quote)
			i++
			continue
		}
		end := i + 1
		for end < len(expr) && (expr[end] != quote || end+1 < len(expr) && expr[end+1] == quote) {
			if expr[end] == quote {
				end++
			}
			end++
		}
		end = min(end+1, len(expr))
		out.WriteString(maskOf(len(literals)))
		literals = append(literals, expr[i:end])
		i = end
	}
	return out.String(), literals
}

func maskOf(i int) string { return "\x01" + strconv.Itoa(i) + "\x01" }

func outerParens(s string) bool {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return false
	}
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(s)-1 {
			return false
		}
	}
	return true
}

// sameMeaning asks the server: the planner prints both expressions in one form, with constants folded.
// EXPLAIN runs neither of them. Expressions that the server refuses count as different.
func sameMeaning(ctx context.Context, q queryer, a, b, typ, from string) bool {
	sql := "EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT (" + a + ")::" + typ + ", (" + b + ")::" + typ + from
	var text []byte
	if err := q.QueryRow(ctx, sql).Scan(&text); err != nil {
		return false
	}
	var plans []struct {
		Plan struct {
			Output []string `json:"Output"`
		} `json:"Plan"`
	}
	if err := json.Unmarshal(text, &plans); err != nil || len(plans) != 1 {
		return false
	}
	output := plans[0].Plan.Output
	return len(output) == 2 && output[0] == output[1]
}
