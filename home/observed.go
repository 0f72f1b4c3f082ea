package home

import "github.com/tablewright/tablewright/ddl/catalog"

// ObservedTable is a table that a system holds, as tablewright.observe takes it.
type ObservedTable struct {
	Schema       string          `json:"schema"` // home schema
	Name         string          `json:"name"`   // of the shadow
	Path         []string        `json:"path"`   // in the system
	Identity     string          `json:"identity"`
	Comment      string          `json:"comment"`
	Columns      []columnText    `json:"columns"`
	Key          []string        `json:"key"`
	Options      []optionText    `json:"options"`
	Partitioning []transformText `json:"partitioning"`
}

// NewObservedTable describes a table by its definition; the name in that is not looked at.
func NewObservedTable(schema, name string, path []string, identity string, t catalog.Table) ObservedTable {
	o := ObservedTable{
		Schema: schema, Name: name, Path: path, Identity: identity, Comment: t.Comment,
		Columns: []columnText{}, Key: []string{}, Options: optionTexts(t.Options), Partitioning: []transformText{},
	}
	for _, c := range t.Columns {
		o.Columns = append(o.Columns, columnText(c))
	}
	o.Key = append(o.Key, t.PrimaryKey...)
	for _, p := range t.Partitioning {
		o.Partitioning = append(o.Partitioning, transformText(p))
	}
	return o
}
