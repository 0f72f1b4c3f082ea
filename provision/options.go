package provision

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// CommonCatalogOptions describes the options that every type of catalog knows. They are the gateway's
// own: a provisioner does not read them.
func CommonCatalogOptions() []catalog.OptionSpec {
	return []catalog.OptionSpec{
		{
			Name: "provisioning", Type: catalog.EnumOption, Enum: []string{"inline", "job"}, Default: "inline",
			Changeable: true, Description: "where statements on its tables are carried out: at once, or as a job",
		},
		{
			Name: "deadline", Type: catalog.DurationOption, Default: "5s", Changeable: true,
			Description: "how long an inline step may take before it becomes a job",
		},
		{
			Name: "provisioner", Type: catalog.StringOption, Changeable: true,
			Description: "name of the controller that carries out its jobs",
		},
	}
}

// CheckOptions validates options against their specification: unknown names, missing ones and values
// that do not parse are errors of kind Invalid. owner says whose options they are, for the message.
// The values of references are not looked at.
func CheckOptions(owner string, specs []catalog.OptionSpec, options catalog.Options) error {
	for _, o := range options {
		i := slices.IndexFunc(specs, func(s catalog.OptionSpec) bool { return s.Name == o.Name })
		if i < 0 {
			return Error(Invalid, "unrecognized option %q of %s", o.Name, owner).
				WithHint("Options are: %s.", strings.Join(optionNames(specs), ", "))
		}
		if isReference(o) {
			continue
		}
		if err := checkOptionValue(owner, specs[i], o.Value); err != nil {
			return err
		}
	}
	for _, s := range specs {
		present := slices.ContainsFunc(options, func(o catalog.Option) bool { return o.Name == s.Name })
		if s.Required && !present {
			return Error(Invalid, "option %q of %s is required", s.Name, owner)
		}
	}
	return nil
}

// OptionValue returns the value of an option, resolved when it is a reference, or fallback when it is
// not given. A reference that cannot be resolved is an error of kind Invalid that does not name the value.
func OptionValue(
	ctx context.Context, options catalog.Options, name, fallback string, secrets SecretResolver,
) (string, error) {
	i := slices.IndexFunc(options, func(o catalog.Option) bool { return o.Name == name })
	if i < 0 {
		return fallback, nil
	}
	if !isReference(options[i]) {
		return options[i].Value, nil
	}
	if secrets == nil {
		return "", Error(Invalid, "option %q is a reference, and there is nothing to resolve it with", name)
	}
	value, err := secrets.Resolve(ctx, options[i])
	if err != nil {
		return "", sqlerr.Wrap(err, Invalid.Code(), "option %q could not be resolved", name)
	}
	return value, nil
}

// ParseDuration parses a duration as PostgreSQL's settings are written ("5s", "2 min", "500ms", "1h"); a
// bare number counts milliseconds.
func ParseDuration(text string) (time.Duration, error) {
	trimmed := strings.TrimSpace(text)
	digits := strings.TrimRight(trimmed, "abcdefghijklmnopqrstuvwxyz ")
	unit, known := durationUnit(strings.TrimSpace(trimmed[len(digits):]))
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || number < 0 || number > int64(24*365*time.Hour/unit) {
		return 0, Error(Invalid, "%q is not a duration", text).WithHint(`Write it like "500ms", "5s", "2min" or "1h".`)
	}
	return time.Duration(number) * unit, nil
}

func durationUnit(name string) (time.Duration, bool) {
	switch name {
	case "", "ms":
		return time.Millisecond, true
	case "s":
		return time.Second, true
	case "min":
		return time.Minute, true
	case "h":
		return time.Hour, true
	default:
		return 1, false
	}
}

func isReference(o catalog.Option) bool { return o.SecretRef != nil || o.Reference != "" }

func checkOptionValue(owner string, spec catalog.OptionSpec, value string) error {
	valid := true
	switch spec.Type {
	case catalog.IntegerOption:
		_, err := strconv.ParseInt(value, 10, 64)
		valid = err == nil
	case catalog.BooleanOption:
		_, valid = ParseBool(value)
	case catalog.DurationOption:
		_, err := ParseDuration(value)
		valid = err == nil
	case catalog.EnumOption:
		if !slices.Contains(spec.Enum, value) {
			return Error(Invalid, "invalid value for option %q of %s: %q", spec.Name, owner, value).
				WithHint("Values are: %s.", strings.Join(spec.Enum, ", "))
		}
	case catalog.StringOption:
		valid = !strings.ContainsRune(value, 0)
	}
	if valid {
		return nil
	}
	if spec.Secret {
		return Error(Invalid, "invalid value for option %q of %s: %s expected", spec.Name, owner, spec.Type)
	}
	return Error(Invalid, "invalid value for option %q of %s: %s expected, not %q", spec.Name, owner, spec.Type, value)
}

// ParseBool parses a boolean as PostgreSQL spells it, and tells whether it is one.
func ParseBool(text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "1", "t":
		return true, true
	case "false", "off", "no", "0", "f":
		return false, true
	default:
		return false, false
	}
}

func optionNames(specs []catalog.OptionSpec) []string {
	names := make([]string, 0, len(specs))
	for _, s := range specs {
		names = append(names, s.Name)
	}
	return names
}
