package transparency

import "regexp"

// rule takes out of both outputs what differs between two runs on one server whoever carries them. It keeps
// all else of the place, so that a wrong value there is still seen.
type rule struct {
	pattern *regexp.Regexp
	with    string
	reason  string
	same    [2]string // differ by what the rule is for
	other   [2]string // differ by something that must be seen
}

// rules is the whole list.
var rules = []rule{
	{
		regexp.MustCompile(`(received from server process with PID )\d+`), "${1}PID",
		"psql shows the process id of who sent a notification; each connection has another",
		[2]string{`Asynchronous notification "a" received from server process with PID 71.`, `Asynchronous notification "a" received from server process with PID 9172.`},
		[2]string{`Asynchronous notification "a" received from server process with PID 71.`, `Asynchronous notification "b" received from server process with PID 71.`},
	},
	{
		regexp.MustCompile(`(connection to server )(?:on socket "[^"]*"|at "127\.0\.0\.1", port \d+)( failed: )`), "${1}SERVER${2}",
		"psql names the server that would not have it, and each side has another",
		[2]string{`psql: error: connection to server on socket "/tmp/x/.s.PGSQL.5432" failed: FATAL:  no`, `psql: error: connection to server at "127.0.0.1", port 4711 failed: FATAL:  no`},
		[2]string{`psql: error: connection to server at "127.0.0.1", port 4711 failed: FATAL:  no`, `psql: error: connection to server at "127.0.0.1", port 4711 failed: FATAL:  not`},
	},
	{
		regexp.MustCompile(`(?m)^lo_import \d+$`), "lo_import OID",
		"the server numbers large objects one after another, and the second run comes after the first",
		[2]string{"lo_import 16401", "lo_import 16407"},
		[2]string{"lo_import 16401", "lo_export 16401"},
	},
	{
		regexp.MustCompile(`"RI_ConstraintTrigger_([ac])_\d+"`), `"RI_ConstraintTrigger_${1}_OID"`,
		"the server names the triggers of foreign keys by their OIDs, which depend on all that was made before",
		[2]string{`"RI_ConstraintTrigger_a_20758" is a system trigger`, `"RI_ConstraintTrigger_a_20754" is a system trigger`},
		[2]string{`"RI_ConstraintTrigger_a_20758" is a system trigger`, `"RI_ConstraintTrigger_c_20758" is a system trigger`},
	},
	{
		regexp.MustCompile(`\b(pg_temp_|pg_toast_temp_)\d+\b`), "${1}SLOT",
		"the server calls the schema of temporary tables by the slot that the connection happens to have",
		[2]string{`must be owner of schema pg_temp_3`, `must be owner of schema pg_temp_12`},
		[2]string{`must be owner of schema pg_temp_3`, `must be owner of schema pg_toast_temp_3`},
	},
}

// normalise applies the rules.
func normalise(output string) string {
	for _, r := range rules {
		output = r.pattern.ReplaceAllString(output, r.with)
	}
	return output
}
