// Package crds holds the generated CustomResourceDefinitions of Tablewright.
package crds

import (
	"embed"
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Files holds the generated YAML files, one CRD each.
//
//go:embed *.yaml
var Files embed.FS

// List returns the CRDs in the order of their file names, as fresh copies. It
// fails only if a generated file is damaged.
func List() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	names, err := fs.Glob(Files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the embedded CRDs: %w", err)
	}
	list := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(names))
	for _, name := range names {
		text, err := Files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the embedded CRD %s: %w", name, err)
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(text, crd); err != nil {
			return nil, fmt.Errorf("parse the embedded CRD %s: %w", name, err)
		}
		list = append(list, crd)
	}
	return list, nil
}
