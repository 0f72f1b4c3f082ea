package bind

import (
	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// options sorts the options of WITH: the gateway's own, settings of the session, and the table's.
func (t *tableBuilder) options(system System) error {
	t.step.Path = path(t.target.catalog)
	own := system.Options().Table
	if t.target.catalog.Type == "iceberg" {
		own = withCommon(own, []catalog.OptionSpec{{Name: "partitioning", Type: catalog.StringOption}})
	}
	specs := withCommon(own, commonTableOptions(), settingOptions())
	if t.replaces() {
		specs = append(specs, catalog.OptionSpec{Name: allowOption, Type: catalog.BooleanOption})
	}
	var options []parse.Option
	position := t.position
	if t.st.Table != nil {
		options = t.st.Table.Options
		if !t.st.Table.With.Empty() {
			position = t.st.Position(t.st.Table.With.Start)
		}
	}
	checked, err := t.checkOptions(options, specs)
	if err != nil {
		return err
	}
	if err := t.required(checked, own, position); err != nil {
		return err
	}
	for _, o := range checked {
		if err := t.option(o); err != nil {
			return err
		}
	}
	return nil
}

func (t *tableBuilder) option(o checkedOption) error {
	switch o.Key {
	case "name":
		return t.externalPath(o)
	case "provisioning":
		t.step.Path = plan.Fast
		if o.value == "job" {
			t.step.Path = plan.Slow
		}
	case "deadline":
		t.step.Deadline, _ = parseDuration(o.value)
	case "partitioning":
		if t.target.catalog.Type != "iceberg" {
			t.table.Options = append(t.table.Options, catalog.Option{Name: o.Key, Value: o.value})
			return nil
		}
		return t.partitioningOption(o)
	default:
		if o.Key == allowOption || findSpec(settingOptions(), o.Key) != nil {
			t.settings = append(t.settings, catalog.Option{Name: o.Key, Value: o.value})
			return nil
		}
		return t.tableOption(o)
	}
	return nil
}

// tableOption: a table has no secrets of its own; what looks like one belongs to the catalog.
func (t *tableBuilder) tableOption(o checkedOption) error {
	if o.spec.Secret || (parse.IsSecretName(o.Key) && o.spec.Type == catalog.StringOption) {
		return sqlerr.New(sqlerr.InvalidParameterValue, `parameter "%s" cannot be set on a table`, o.Key).
			WithHint("Credentials are options of the catalog.").At(t.st.Position(o.KeySpan.Start))
	}
	t.table.Options = append(t.table.Options, catalog.Option{Name: o.Key, Value: o.value})
	return nil
}

// externalPath maps the external object's name.
func (t *tableBuilder) externalPath(o checkedOption) error {
	if o.value == "" {
		return sqlerr.New(sqlerr.InvalidParameterValue, `parameter "name" is empty`).At(t.st.Position(o.ValueSpan.Start))
	}
	t.resource.Path = append([]string(nil), t.resource.Path...)
	t.resource.Path[len(t.resource.Path)-1] = o.value
	return nil
}

// partitioningOption is PARTITIONED BY in the form of an option.
func (t *tableBuilder) partitioningOption(o checkedOption) error {
	position := t.st.Position(o.ValueSpan.Start)
	if len(t.table.Partitioning) > 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, "the table is partitioned twice").At(position)
	}
	transforms, err := parse.Transforms(o.value)
	if err != nil {
		return sqlerr.New(sqlerr.InvalidParameterValue, `invalid value for parameter "partitioning": %s`, err).
			WithHint("Write it like days(ts), bucket(16, id), region.").At(position)
	}
	for _, transform := range transforms {
		t.table.Partitioning = append(t.table.Partitioning, partitionTransform(transform))
	}
	return nil
}
