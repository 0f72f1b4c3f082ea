package parse

import (
	"fmt"
	"strings"

	"github.com/tablewright/tablewright/ddl/plan"
)

// maskedValue stands for a secret in every text that is kept or shown.
const maskedValue = "'***'"

// IsSecretName tells by its name that an option holds a secret. It errs towards yes: types of catalog
// add their own by the Secret flag of an OptionSpec.
func IsSecretName(option string) bool {
	name := strings.ToLower(option)
	last := name[strings.LastIndexAny(name, "._-")+1:]
	switch last {
	case "password", "passwd", "pwd", "token", "secret", "secrets", "credential", "credentials", "key",
		"passphrase", "passcode":
		return true
	}
	for _, part := range []string{
		"password", "secret", "token", "credential", "private_key", "private.key",
		"access_key", "access.key", "access-key", "api_key", "api-key", "apikey", "jaas",
	} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// IsReference tells whether a value names a place where a secret is, and so is none itself.
func IsReference(value string) bool {
	for _, prefix := range []string{"secret:", "env:", "file:"} {
		if strings.HasPrefix(value, prefix) && len(value) > len(prefix) {
			return true
		}
	}
	return false
}

// Mask is the statement's text with the values of secrets replaced by '***': of options whose name
// IsSecretName or secret (which may be nil) calls one, of PASSWORD and of a subscription's CONNECTION.
func (s *Statement) Mask(secret func(option string) bool) string {
	if s.Err != nil && len(s.tokens) == 0 {
		return MaskText(s.Text)
	}
	return maskTokens(s.Text, s.tokens, secret)
}

// MaskText masks a text of any kind. Of one that has no tokens nothing is shown.
func MaskText(text string) string {
	if readable(text) != nil {
		return fmt.Sprintf("<%d bytes that are not read>", len(text))
	}
	tokens, err := scan(text)
	if err != nil {
		return fmt.Sprintf("<%d bytes that are not read>", len(text))
	}
	return maskTokens(text, tokens, nil)
}

func maskTokens(text string, tokens []Token, secret func(string) bool) string {
	st := &Statement{Text: text, tokens: tokens}
	var edits []plan.Edit
	for i := 0; i < len(tokens); i++ {
		name, next := st.optionName(i)
		if name == "" {
			continue
		}
		if value, ok := st.secretValue(next); ok && isSecret(name, secret) {
			edits = append(edits, plan.Edit{Start: value.Start, End: value.End, Text: maskedValue})
		}
		i = next - 1
	}
	if len(edits) == 0 {
		return text
	}
	return plan.NewRewrite(text, edits).Text()
}

func isSecret(name string, secret func(string) bool) bool {
	return IsSecretName(name) || strings.EqualFold(name, "connection") || (secret != nil && secret(name))
}

// optionName reads what may be the key of an option at token i, and the index behind it.
func (s *Statement) optionName(i int) (string, int) {
	if s.tokens[i].Kind == String {
		value, ok := decodeString(s.Raw(i))
		if !ok || (s.Symbol(i+1) != '=' && !s.isValue(i+1)) {
			return "", i + 1
		}
		return value, i + 1
	}
	name, ok := s.Ident(i)
	if !ok {
		return "", i + 1
	}
	next := i + 1
	for s.Symbol(next) == '.' {
		part, ok := s.Ident(next + 1)
		if !ok {
			break
		}
		name += "." + part
		next += 2
	}
	return name, next
}

func (s *Statement) isValue(i int) bool { return i < len(s.tokens) && s.tokens[i].Kind == String }

// secretValue is the place of the value that starts at token i: a string, or after `=` or TO anything up
// to the next comma or parenthesis.
func (s *Statement) secretValue(i int) (Span, bool) {
	assigned := s.Symbol(i) == '=' || s.Word(i) == "to"
	if assigned {
		i++
	}
	if i >= len(s.tokens) {
		return Span{}, false
	}
	if s.tokens[i].Kind == String {
		value, ok := decodeString(s.Raw(i))
		if ok && IsReference(value) {
			return Span{}, false
		}
		return Span{Start: s.tokens[i].Start, End: s.tokens[i].End}, true
	}
	if !assigned {
		return Span{}, false
	}
	span := Span{Start: s.tokens[i].Start, End: s.tokens[i].End}
	for ; i < len(s.tokens) && s.Symbol(i) != ',' && s.Symbol(i) != ')' && s.Symbol(i) != ';'; i++ {
		span.End = s.tokens[i].End
	}
	return span, true
}
