package jobspec

import (
	"slices"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// Prefixes of values that are references, resolved where they are used.
const (
	envPrefix  = "env:"
	filePrefix = "file:"
	// urlPrefix begins a file URL, which is a value: the place of a warehouse.
	urlPrefix = "file://"
)

func catalogRef(c catalog.Catalog, specs []catalog.OptionSpec) (v1alpha1.CatalogRef, error) {
	ref := v1alpha1.CatalogRef{Name: c.Name, Type: c.Type, Generation: c.Generation}
	for _, o := range c.Options {
		option, err := catalogOption(o, isSecret(specs, o.Name))
		if err != nil {
			return v1alpha1.CatalogRef{}, err
		}
		ref.Options = append(ref.Options, option)
	}
	return ref, nil
}

func isSecret(specs []catalog.OptionSpec, name string) bool {
	return slices.ContainsFunc(specs, func(s catalog.OptionSpec) bool { return s.Name == name && s.Secret })
}

func catalogOption(o catalog.Option, secret bool) (v1alpha1.CatalogOption, error) {
	switch {
	case o.SecretRef != nil:
		ref := v1alpha1.SecretKeyRef{Name: o.SecretRef.Name, Key: o.SecretRef.Key}
		return v1alpha1.CatalogOption{Name: o.Name, ValueFrom: &v1alpha1.ValueSource{SecretKeyRef: ref}}, nil
	case o.Reference != "":
		if !isReference(o.Reference) {
			return v1alpha1.CatalogOption{}, sqlerr.New(sqlerr.InvalidParameterValue,
				"option %q is neither a reference nor a value", o.Name).
				WithHint("References are written env:NAME or file:/path.")
		}
		return v1alpha1.CatalogOption{Name: o.Name, Value: &o.Reference}, nil
	case secret:
		return v1alpha1.CatalogOption{}, sqlerr.New(sqlerr.InternalError, "option %q is secret and not in the secret store", o.Name)
	case isReference(o.Value):
		return v1alpha1.CatalogOption{}, sqlerr.New(sqlerr.InvalidParameterValue,
			"value of option %q would be read as a reference", o.Name).
			WithHint("Write the URL of a file as file:///path.")
	default:
		return v1alpha1.CatalogOption{Name: o.Name, Value: &o.Value}, nil
	}
}

func isReference(value string) bool {
	return strings.HasPrefix(value, envPrefix) ||
		strings.HasPrefix(value, filePrefix) && !strings.HasPrefix(value, urlPrefix)
}

// Catalog returns the catalog that a job refers to.
func Catalog(ref v1alpha1.CatalogRef) (catalog.Catalog, error) {
	c := catalog.Catalog{Name: ref.Name, Type: ref.Type, Generation: ref.Generation}
	for _, o := range ref.Options {
		option := catalog.Option{Name: o.Name}
		switch {
		case (o.ValueFrom != nil) == (o.Value != nil):
			return catalog.Catalog{}, sqlerr.New(sqlerr.InvalidParameterValue,
				"option %q of catalog %q needs either a value or a reference", o.Name, ref.Name)
		case o.ValueFrom != nil:
			option.SecretRef = &catalog.SecretKeyRef{Name: o.ValueFrom.SecretKeyRef.Name, Key: o.ValueFrom.SecretKeyRef.Key}
		case isReference(*o.Value):
			option.Reference = *o.Value
		default:
			option.Value = *o.Value
		}
		c.Options = append(c.Options, option)
	}
	return c, nil
}

// tableOptions carries plain values only: a table's options go to a system that shows them to everyone
// who may see the table.
func tableOptions(options catalog.Options, specs []catalog.OptionSpec) ([]v1alpha1.TableOption, error) {
	var list []v1alpha1.TableOption
	for _, o := range options {
		if o.SecretRef != nil || o.Reference != "" || isSecret(specs, o.Name) {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "option %q of a table cannot be a secret", o.Name)
		}
		list = append(list, v1alpha1.TableOption{Name: o.Name, Value: o.Value})
	}
	return list, nil
}
