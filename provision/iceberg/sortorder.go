package iceberg

import (
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"github.com/tablewright/tablewright/ddl/catalog"
)

// buildSortOrder is the sort order that a definition's option asks for.
func buildSortOrder(schema *iceberg.Schema, t catalog.Table) (table.SortOrder, error) {
	text, ok := t.Options.Get(optSortOrder)
	if !ok || strings.TrimSpace(text) == "" {
		return table.UnsortedSortOrder, nil
	}
	terms, err := parseTerms(text)
	if err != nil {
		return table.SortOrder{}, err
	}
	var fields []table.SortField
	for _, term := range terms {
		source, transform, err := bindTransform(schema, term.Transform)
		if err != nil {
			return table.SortOrder{}, err
		}
		direction, nulls, ok := parseOrder(term.order)
		if !ok {
			return table.SortOrder{}, syntaxError(optSortOrder, text)
		}
		fields = append(fields, table.SortField{
			SourceIDs: []int{source.ID}, Transform: transform, Direction: direction, NullOrder: nulls,
		})
	}
	return table.NewSortOrder(1, fields)
}

// parseOrder reads ASC, DESC and NULLS FIRST or LAST. Without the latter NULLs sort as Iceberg has it:
// first in an ascending order, last in a descending one.
func parseOrder(words string) (table.SortDirection, table.NullOrder, bool) {
	direction, nulls := table.SortASC, table.NullsFirst
	if rest, ok := strings.CutPrefix(words, "DESC"); ok {
		direction, nulls, words = table.SortDESC, table.NullsLast, rest
	} else {
		words = strings.TrimPrefix(words, "ASC")
	}
	switch strings.TrimSpace(words) {
	case "":
		return direction, nulls, true
	case "NULLS FIRST":
		return direction, table.NullsFirst, true
	case "NULLS LAST":
		return direction, table.NullsLast, true
	default:
		return direction, nulls, false
	}
}

// sortText writes a table's sort order as the option has it.
func sortText(schema *iceberg.Schema, order table.SortOrder) string {
	var parts []string
	for _, f := range order.Fields() {
		column, _ := schema.FindColumnName(f.SourceID())
		text := transformText(foundTransform(f.Transform, column))
		if f.Direction == table.SortDESC {
			text += " DESC"
		}
		if natural := (f.Direction == table.SortDESC) == (f.NullOrder == table.NullsLast); !natural {
			text += " " + strings.ToUpper(strings.ReplaceAll(string(f.NullOrder), "-", " "))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
