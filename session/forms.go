package session

import (
	"context"
	"strconv"
	"strings"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// forms says how the home session writes values for its client.
type forms struct {
	utf8  bool // the client's encoding is UTF8
	plain bool // they are the forms that rows travel in

	readOnly bool // nothing may be written in the transaction
}

// formsCondition tells whether no setting changes the text forms of values.
const formsCondition = `pg_catalog.current_setting('DateStyle') operator(pg_catalog.~) '^ISO'
 and pg_catalog.current_setting('IntervalStyle') operator(pg_catalog.=) 'postgres'
 and pg_catalog.current_setting('bytea_output') operator(pg_catalog.=) 'hex'
 and pg_catalog.current_setting('extra_float_digits')::pg_catalog.int4 operator(pg_catalog.>=) 1`

// may checks a right on a managed table, given as a condition, and tells how values are written.
func (s *Session) may(ctx context.Context, condition string, rel catalog.Relation) (forms, error) {
	answer, err := s.QueryText(ctx, "select pg_catalog.concat_ws(' ', "+condition+
		", pg_catalog.current_setting('client_encoding') operator(pg_catalog.=) 'UTF8', "+formsCondition+
		", pg_catalog.current_setting('transaction_read_only') operator(pg_catalog.=) 'on')")
	if err != nil {
		return forms{}, err
	}
	flags := strings.Fields(answer)
	if flags[0] != "t" {
		return forms{}, sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for table %s", rel.HomeName)
	}
	return forms{utf8: flags[1] == "t", plain: flags[1] == "t" && flags[2] == "t", readOnly: flags[3] == "t"}, nil
}

// plainRows is what stands around a query of so many columns to get its values as bytes of UTF-8 in the
// forms that rows travel in.
func plainRows(columns int) (before, after string) {
	values, names := make([]string, columns), make([]string, columns)
	for i := range columns {
		names[i] = "tw_c" + strconv.Itoa(i)
		values[i] = "pg_catalog.convert_to(tablewright.plain_form(" + names[i] + "), 'UTF8')"
	}
	return "select " + strings.Join(values, ", ") + " from (", "\n) as tw_rows(" + strings.Join(names, ", ") + ")"
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > '~' {
			return false
		}
	}
	return true
}
