package bind

import (
	"slices"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v6"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// managedOption says how much of a table is ours: `full`, or `observed` for one that was found.
const managedOption = "managed"

// setOptions is SET (…) and RESET (…).
func (a *alteration) setOptions(cmd *pg_query.AlterTableCmd) error {
	system, err := a.system(a.target.catalog, a.position)
	if err != nil {
		return err
	}
	reset := cmd.GetSubtype() == pg_query.AlterTableType_AT_ResetRelOptions
	specs := withCommon(system.Options().Table,
		[]catalog.OptionSpec{{Name: managedOption, Type: catalog.EnumOption, Enum: []string{"full", "observed"}, Changeable: true}})
	for _, node := range cmd.GetDef().GetList().GetItems() {
		o := a.relOption(node.GetDefElem())
		if reset {
			err = a.resetOption(o, specs)
		} else {
			err = a.setOption(o, specs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// relOption is one option as PostgreSQL's grammar reads it.
func (a *alteration) relOption(def *pg_query.DefElem) parse.Option {
	o := parse.Option{Key: def.GetDefname(), Form: parse.NoValue}
	if ns := def.GetDefnamespace(); ns != "" {
		o.Key = ns + "." + o.Key
	}
	at := int(def.GetLocation())
	o.KeySpan = parse.Span{Start: at, End: at + 1}
	switch arg := def.GetArg(); {
	case arg == nil:
	case arg.GetString_() != nil:
		o.Value, o.Form = arg.GetString_().GetSval(), parse.StringValue
	case arg.GetInteger() != nil:
		o.Value, o.Form = strconv.Itoa(int(arg.GetInteger().GetIval())), parse.NumberValue
	case arg.GetFloat() != nil:
		o.Value, o.Form = arg.GetFloat().GetFval(), parse.NumberValue
	case arg.GetTypeName() != nil:
		o.Value, o.Form = typeLabel(arg.GetTypeName()), parse.WordValue
	}
	return o
}

func (a *alteration) setOption(o parse.Option, specs []catalog.OptionSpec) error {
	checked, err := a.checkOptions([]parse.Option{o}, specs)
	if err != nil {
		return err
	}
	position := a.st.Position(o.KeySpan.Start)
	if o.Key == managedOption {
		observed := checked[0].value == "observed"
		a.adopted = &observed
		return nil
	}
	if !checked[0].spec.Changeable {
		return notChangeable(o.Key, position)
	}
	i := slices.IndexFunc(a.table.Options, func(has catalog.Option) bool { return has.Name == o.Key })
	if i < 0 {
		return a.tableOption(checked[0])
	}
	a.table.Options[i].Value = checked[0].value
	return nil
}

func (a *alteration) resetOption(o parse.Option, specs []catalog.OptionSpec) error {
	position := a.st.Position(o.KeySpan.Start)
	spec := findSpec(specs, o.Key)
	switch {
	case o.Form != parse.NoValue:
		return sqlerr.New(sqlerr.SyntaxError, "RESET must not include values for parameters").At(position)
	case spec == nil:
		return unknownOption(o.Key, specs).At(position)
	case !spec.Changeable || o.Key == managedOption:
		return notChangeable(o.Key, position)
	}
	a.table.Options = slices.DeleteFunc(a.table.Options, func(has catalog.Option) bool { return has.Name == o.Key })
	return nil
}

func notChangeable(name string, position int) *sqlerr.Error {
	return sqlerr.New(sqlerr.FeatureNotSupported, `parameter "%s" of a table cannot be changed`, name).At(position)
}
