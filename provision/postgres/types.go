package postgres

import (
	"regexp"
	"strconv"
)

var typeWithArgs = regexp.MustCompile(`^([a-z ]+?)(?:\((\d+)(?:,(-?\d+))?\))?((?: with(?:out)? time zone)?)$`)

// sqlType is a built-in type as format_type prints it, taken apart.
type sqlType struct {
	base string // with "with time zone"
	args []int
}

func parseType(text string) (sqlType, bool) {
	m := typeWithArgs.FindStringSubmatch(text)
	if m == nil {
		return sqlType{}, false
	}
	t := sqlType{base: m[1] + m[4]}
	for _, arg := range m[2:4] {
		if arg == "" {
			continue
		}
		n, err := strconv.Atoi(arg)
		if err != nil {
			return sqlType{}, false
		}
		t.args = append(t.args, n)
	}
	return t, true
}

// widens tells whether every value of type from is kept when the column becomes type to.
func widens(from, to string) bool {
	a, okA := parseType(from)
	b, okB := parseType(to)
	if !okA || !okB {
		return false
	}
	switch {
	case integerRank(a.base) > 0:
		return integerRank(b.base) > integerRank(a.base) || b.base == "numeric" && len(b.args) == 0
	case a.base == "real":
		return b.base == "double precision"
	case a.base == "numeric":
		return b.base == "numeric" && numericFits(a.args, b.args)
	case a.base == "character varying" || a.base == "text":
		return b.base == "text" || b.base == "character varying" && (len(b.args) == 0 || len(a.args) == 1 && b.args[0] >= a.args[0])
	case a.base == b.base && isTime(a.base):
		return precision(b.args) >= precision(a.args)
	default:
		return false
	}
}

func integerRank(base string) int {
	switch base {
	case "smallint":
		return 1
	case "integer":
		return 2
	case "bigint":
		return 3
	default:
		return 0
	}
}

func numericFits(from, to []int) bool {
	if len(to) == 0 {
		return true
	}
	if len(from) == 0 {
		return false
	}
	scaleFrom, scaleTo := scale(from), scale(to)
	return scaleTo >= scaleFrom && to[0]-scaleTo >= from[0]-scaleFrom
}

func scale(args []int) int {
	if len(args) < 2 {
		return 0
	}
	return args[1]
}

func isTime(base string) bool {
	switch base {
	case "timestamp without time zone", "timestamp with time zone", "time without time zone", "time with time zone":
		return true
	default:
		return false
	}
}

// precision is the number of digits of seconds; 6 when none is said.
func precision(args []int) int {
	if len(args) == 0 {
		return 6
	}
	return args[0]
}
