package session

import (
	"regexp"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// wallMark is the home server's error when a plan meets the wall around an empty shadow: a query reached a
// managed table by a way that the session cannot see, through a view, a function or a DO block.
var wallMark = regexp.MustCompile(`foreign-data wrapper "(\w+)" has no handler\x00`)

// wallError puts words that help in place of the home server's own about its wall; other errors stay as
// they are, byte for byte. A wrapper that is not one of ours is somebody's own.
func wallError(f Frame) Frame {
	wrapper := wallMark.FindSubmatch(f.Body)
	if wrapper == nil || !catalog.KnownType(string(wrapper[1])) {
		return f
	}
	fields, err := errorFields(f)
	if err != nil || fields.Code != sqlerr.ObjectNotInPrerequisiteState {
		return f
	}
	fields.Message = "a table of an external system can only be read by a query that names it"
	fields.Detail = "The table is reached through a view, a function or another statement."
	fields.Hint = "Write the table's own name in the query; if it stands there, the table was made a moment ago at another gateway: repeat the query."
	body, err := encodeBody(fields)
	if err != nil {
		return f
	}
	return Frame{Type: f.Type, Body: body}
}
