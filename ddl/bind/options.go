package bind

import (
	"strconv"
	"strings"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// commonCatalogOptions are known to every type of catalog.
func commonCatalogOptions() []catalog.OptionSpec {
	return []catalog.OptionSpec{
		{Name: "provisioning", Type: catalog.EnumOption, Enum: []string{"inline", "job"}, Default: "inline", Changeable: true},
		{Name: "deadline", Type: catalog.DurationOption, Default: "5s", Changeable: true},
		{Name: "provisioner", Type: catalog.StringOption, Changeable: true},
	}
}

// allowOption allows a statement to lose data.
const allowOption = "allow_destructive"

// commonTableOptions are known to the tables of every type of catalog.
func commonTableOptions() []catalog.OptionSpec {
	return []catalog.OptionSpec{
		{Name: "name", Type: catalog.StringOption},
		{Name: "provisioning", Type: catalog.EnumOption, Enum: []string{"inline", "job"}},
		{Name: "deadline", Type: catalog.DurationOption},
	}
}

// settingOptions are settings of the session that a statement may set for itself.
func settingOptions() []catalog.OptionSpec {
	return []catalog.OptionSpec{
		{Name: "on_failure", Type: catalog.EnumOption, Enum: []string{"undo", "keep"}},
		{Name: "wait_for", Type: catalog.EnumOption, Enum: []string{"recorded", "accepted", "ready", "finished"}},
		{Name: "wait_timeout", Type: catalog.DurationOption},
		{Name: "on_timeout", Type: catalog.EnumOption, Enum: []string{"error", "notice"}},
		{Name: "on_cancel", Type: catalog.EnumOption, Enum: []string{"cancel_job", "detach"}},
		{Name: "on_disconnect", Type: catalog.EnumOption, Enum: []string{"detach", "cancel_job"}},
		{Name: "notice_after", Type: catalog.DurationOption},
		{Name: "notice_interval", Type: catalog.DurationOption},
	}
}

// withCommon adds what is common to what a type declares itself; the type's own line wins.
func withCommon(own []catalog.OptionSpec, common ...[]catalog.OptionSpec) []catalog.OptionSpec {
	all := append([]catalog.OptionSpec(nil), own...)
	for _, group := range common {
		for _, spec := range group {
			if findSpec(all, spec.Name) == nil {
				all = append(all, spec)
			}
		}
	}
	return all
}

// findSpec is the description of an option: that of its name, or of the longest beginning.
func findSpec(specs []catalog.OptionSpec, name string) *catalog.OptionSpec {
	var best *catalog.OptionSpec
	for i := range specs {
		prefix, open := strings.CutSuffix(specs[i].Name, "*")
		switch {
		case !open && specs[i].Name == name:
			return &specs[i]
		case open && strings.HasPrefix(name, prefix) && len(name) > len(prefix):
			if best == nil || len(specs[i].Name) > len(best.Name) {
				best = &specs[i]
			}
		}
	}
	return best
}

// checkedOption is an option whose name is known and whose value fits.
type checkedOption struct {
	parse.Option
	spec  *catalog.OptionSpec
	value string // normalised: true, 6, 30s
}

// checkOptions validates the options of a clause against their descriptions.
func (c *compiler) checkOptions(options []parse.Option, specs []catalog.OptionSpec) ([]checkedOption, error) {
	checked := make([]checkedOption, 0, len(options))
	seen := make(map[string]bool, len(options))
	for _, o := range options {
		position := c.st.Position(o.KeySpan.Start)
		spec := findSpec(specs, o.Key)
		if spec == nil {
			return nil, unknownOption(o.Key, specs).At(position)
		}
		if seen[o.Key] {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, `parameter "%s" specified more than once`, o.Key).At(position)
		}
		seen[o.Key] = true
		value, err := optionValue(o, spec)
		if err != nil {
			if !o.ValueSpan.Empty() {
				position = c.st.Position(o.ValueSpan.Start)
			}
			return nil, err.At(position)
		}
		checked = append(checked, checkedOption{Option: o, spec: spec, value: value})
	}
	return checked, nil
}

// required demands the options that must be there. PostgreSQL points at nothing that is absent; the
// clause is the nearest place.
func (c *compiler) required(checked []checkedOption, specs []catalog.OptionSpec, position int) error {
	for _, spec := range specs {
		if !spec.Required {
			continue
		}
		found := false
		for _, o := range checked {
			found = found || o.Key == spec.Name
		}
		if !found {
			return sqlerr.New(sqlerr.InvalidParameterValue, `parameter "%s" is required`, spec.Name).At(position)
		}
	}
	return nil
}

func unknownOption(name string, specs []catalog.OptionSpec) *sqlerr.Error {
	e := sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized parameter "%s"`, name)
	names := make([]string, len(specs))
	for i, spec := range specs {
		names[i] = spec.Name
	}
	if nearest := parse.Nearest(name, names); nearest != "" {
		return e.WithHint(`Perhaps you meant "%s".`, nearest)
	}
	return e.WithHint("Parameters are: %s.", strings.Join(names, ", "))
}

// optionValue normalises a value by its type.
func optionValue(o parse.Option, spec *catalog.OptionSpec) (string, *sqlerr.Error) {
	if spec.Secret && parse.IsReference(o.Value) {
		return o.Value, nil
	}
	switch spec.Type {
	case catalog.IntegerOption:
		n, err := strconv.ParseInt(o.Value, 10, 64)
		if err != nil || o.Form == parse.NoValue {
			return "", badValue(o, spec, "an integer")
		}
		return strconv.FormatInt(n, 10), nil
	case catalog.BooleanOption:
		b, ok := parseBool(o.Value)
		if !ok {
			return "", badValue(o, spec, "true or false")
		}
		return strconv.FormatBool(b), nil
	case catalog.DurationOption:
		if _, ok := parseDuration(o.Value); !ok || o.Form == parse.NoValue {
			return "", badValue(o, spec, "a duration like 500ms, 5s, 2min or 1h")
		}
		return o.Value, nil
	case catalog.EnumOption:
		for _, allowed := range spec.Enum {
			if strings.EqualFold(o.Value, allowed) && o.Form != parse.NoValue {
				return allowed, nil
			}
		}
		return "", badValue(o, spec, "one of "+strings.Join(spec.Enum, ", "))
	default:
		if o.Form == parse.NoValue {
			return "", badValue(o, spec, "a value")
		}
		return o.Value, nil
	}
}

// badValue never repeats a secret.
func badValue(o parse.Option, spec *catalog.OptionSpec, want string) *sqlerr.Error {
	if spec.Secret || parse.IsSecretName(o.Key) {
		return sqlerr.New(sqlerr.InvalidParameterValue, `invalid value for parameter "%s"`, o.Key).
			WithHint("It takes %s.", want)
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, `invalid value for parameter "%s": "%s"`, o.Key, o.Value).
		WithHint("It takes %s.", want)
}

func parseBool(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "1", "t", "y":
		return true, true
	case "false", "off", "no", "0", "f", "n":
		return false, true
	default:
		return false, false
	}
}

// parseDuration reads a duration as PostgreSQL's settings are written; a bare number counts milliseconds.
func parseDuration(text string) (time.Duration, bool) {
	trimmed := strings.TrimSpace(text)
	digits := strings.TrimRight(trimmed, "abcdefghijklmnopqrstuvwxyz ")
	unit, ok := map[string]time.Duration{
		"": time.Millisecond, "ms": time.Millisecond, "s": time.Second, "min": time.Minute, "h": time.Hour,
	}[strings.TrimSpace(trimmed[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 || n > int64(365*24*time.Hour/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// storedOption is an option as a catalog keeps it. A reference stays one; a literal secret goes to the
// secret store under a name that is the catalog's own. `file:` begins a reference only where a secret is
// meant: elsewhere (a warehouse) it is a URL.
func storedOption(o checkedOption, secretName string) (catalog.Option, *plan.Secret, *sqlerr.Error) {
	option := catalog.Option{Name: o.Key}
	secret := o.spec.Secret || parse.IsSecretName(o.Key)
	ref, inStore := strings.CutPrefix(o.value, "secret:")
	switch {
	case inStore:
		name, key, ok := strings.Cut(ref, "/")
		if !ok || name == "" || key == "" || strings.Contains(key, "/") {
			return option, nil, sqlerr.New(sqlerr.InvalidParameterValue, `invalid reference in parameter "%s"`, o.Key).
				WithHint("Write secret:name/key, env:NAME or file:path.")
		}
		if strings.HasPrefix(name, catalog.SecretNamePrefix) {
			return option, nil, sqlerr.New(sqlerr.InsufficientPrivilege, `parameter "%s" refers to the secret of a catalog`, o.Key).
				WithHint("Secrets whose names begin with %s belong to the catalog that they were given to.", catalog.SecretNamePrefix)
		}
		option.SecretRef = &catalog.SecretKeyRef{Name: name, Key: key}
	case parse.IsReference(o.value) && (secret || strings.HasPrefix(o.value, "env:")):
		option.Reference = o.value
	case secret:
		option.SecretRef = &catalog.SecretKeyRef{Name: secretName, Key: o.Key}
		return option, &plan.Secret{Ref: *option.SecretRef, Value: o.value}, nil
	default:
		option.Value = o.value
	}
	return option, nil, nil
}

// referenceText is an option's value as the home database keeps it: never a secret.
func referenceText(o catalog.Option) string {
	switch {
	case o.SecretRef != nil:
		return "secret:" + o.SecretRef.Name + "/" + o.SecretRef.Key
	case o.Reference != "":
		return o.Reference
	default:
		return o.Value
	}
}
