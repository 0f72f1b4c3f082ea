package iceberg

import (
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/tablewright/tablewright/ddl/sqlerr"
)

// SQLSTATE values of values that do not fit, named as in PostgreSQL's errcodes.txt.
const (
	codeDatetimeFormat   = "22007"
	codeDatetimeOverflow = "22008"
	codeOutOfRange       = "22003"
	codeNotNull          = "23502"
	codeArrayFormat      = "22P02"
)

var (
	dateForm      = regexp.MustCompile(`^(\d{4,7})-(\d\d)-(\d\d)( BC)?$`)
	timestampForm = regexp.MustCompile(`^(\d{4,7}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,6})?)(Z|[+-]\d\d(?::?\d\d)?(?::\d\d)?)?( BC)?$`)
	timeForm      = regexp.MustCompile(`^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$`)
	zoneForm      = regexp.MustCompile(`^([+-])(\d\d)(?::?(\d\d))?(?::(\d\d))?$`)
)

func invalidText(typ, text string) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type %s: %q", typ, text)
}

func invalidDate(typ, text string) error {
	return sqlerr.New(codeDatetimeFormat, "invalid input syntax for type %s: %q", typ, text)
}

func noInfinity(typ, text string) error {
	return sqlerr.New(codeDatetimeOverflow, "an iceberg table cannot hold the %s %q", typ, text)
}

func infinite(text string) bool { return text == "infinity" || text == "-infinity" }

// parseDate returns days since 1970.
func parseDate(text string) (int32, error) {
	if infinite(text) {
		return 0, noInfinity("date", text)
	}
	m := dateForm.FindStringSubmatch(text)
	if m == nil {
		return 0, invalidDate("date", text)
	}
	day, ok := civil(m[1], m[2], m[3], m[4] != "")
	days := floorDiv(day.Unix(), 24*60*60)
	if !ok || days < math.MinInt32 || days > math.MaxInt32 {
		return 0, sqlerr.New(codeDatetimeOverflow, "date/time field value out of range: %q", text)
	}
	return int32(days), nil
}

// civil makes a day from its digits, and tells whether there is such a day.
func civil(year, month, day string, bc bool) (time.Time, bool) {
	y, m, d := number(year), number(month), number(day)
	if bc {
		y = 1 - y
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Year() == y && int(t.Month()) == m && t.Day() == d
}

// number reads digits that a pattern has matched.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// parseTime returns microseconds since midnight.
func parseTime(text string) (int64, error) {
	m := timeForm.FindStringSubmatch(text)
	if m == nil {
		return 0, invalidDate("time", text)
	}
	micros := clock(m[1], m[2], m[3], m[4])
	if micros >= microsPerDay || number(m[2]) > 59 || number(m[3]) > 59 {
		return 0, sqlerr.New(codeDatetimeOverflow, "an iceberg table cannot hold the time %q", text)
	}
	return micros, nil
}

func clock(hours, minutes, seconds, fraction string) int64 {
	for len(fraction) < 6 {
		fraction += "0"
	}
	return (int64(number(hours))*3600+int64(number(minutes))*60+int64(number(seconds)))*microsPerSecond + int64(number(fraction))
}

// parseTimestamp returns microseconds since 1970. A zone in the text counts when zone is set, else it is
// left aside, as PostgreSQL does; without one the text is in UTC.
func parseTimestamp(text string, zone bool) (int64, error) {
	typ := "timestamp"
	if zone {
		typ = "timestamp with time zone"
	}
	if infinite(text) {
		return 0, noInfinity(typ, text)
	}
	m := timestampForm.FindStringSubmatch(text)
	if m == nil {
		return 0, invalidDate(typ, text)
	}
	days, err := parseDate(m[1] + m[4])
	if err != nil {
		return 0, err
	}
	micros, err := parseTime(m[2])
	if err != nil {
		return 0, err
	}
	if zone {
		micros -= zoneMicros(m[3])
	}
	if limit := int64(math.MaxInt64 / microsPerDay); int64(days) >= limit || int64(days) <= -limit {
		return 0, sqlerr.New(codeDatetimeOverflow, "date/time field value out of range: %q", text)
	}
	return int64(days)*microsPerDay + micros, nil
}

// zoneMicros is how far a zone's clock is ahead of UTC's.
func zoneMicros(zone string) int64 {
	m := zoneForm.FindStringSubmatch(zone)
	if m == nil {
		return 0
	}
	micros := clock(m[2], m[3], m[4], "")
	if m[1] == "-" {
		return -micros
	}
	return micros
}
