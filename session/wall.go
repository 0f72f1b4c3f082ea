package session

import (
	"bytes"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// wallMark is how the home server's error ends when a plan meets the wall around an empty shadow: a query
// reached a managed table by a way that the session cannot see, through a view, a function or a DO block.
var wallMark = []byte("has no handler\x00") //nolint:gochecknoglobals // a constant, but for its type

// wallError puts words that help in place of the home server's own about its wall; other errors stay as
// they are, byte for byte.
func wallError(f Frame) Frame {
	if !bytes.Contains(f.Body, wallMark) {
		return f
	}
	fields, err := errorFields(f)
	if err != nil || fields.Code != sqlerr.ObjectNotInPrerequisiteState {
		return f
	}
	fields.Message = "a table of an external system can only be read by a query that names it"
	fields.Detail = "The table is reached through a view, a function or another statement."
	fields.Hint = "Write the table's own name in the query."
	body, err := encodeBody(fields)
	if err != nil {
		return f
	}
	return Frame{Type: f.Type, Body: body}
}
