package catalog

// OptionSchema describes the options that a type of catalog knows.
type OptionSchema struct {
	Catalog []OptionSpec
	Table   []OptionSpec
}

// OptionSpec describes one option.
type OptionSpec struct {
	Name        string // a name that ends in * stands for every name with that beginning
	Type        OptionType
	Enum        []string // allowed values, when the list is closed
	Default     string
	Required    bool
	Secret      bool
	Changeable  bool
	Description string
}

// OptionType is the type of an option's value.
type OptionType string

// The option types.
const (
	StringOption   OptionType = "string"
	IntegerOption  OptionType = "integer"
	BooleanOption  OptionType = "boolean"
	DurationOption OptionType = "duration"
	EnumOption     OptionType = "enum"
)
