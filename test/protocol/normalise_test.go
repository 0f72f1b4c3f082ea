package protocol

import (
	"regexp"
	"testing"
)

// normalisations is all that may differ between two servers. What matches is replaced before answers are
// compared with what a script expects.
var normalisations = []struct {
	pattern *regexp.Regexp
	with    string
	reason  string
}{
	{
		regexp.MustCompile(`,"File":"[a-zA-Z_0-9.]+"|,"Line":"\d+"|,"Routine":"[a-zA-Z_0-9]+"`), "",
		"where in its own source a server raised an error is nothing that clients act on, and differs between builds",
	},
	{
		regexp.MustCompile(`"TableOID":[1-9]\d{4,}`), `"TableOID":"of a table"`,
		"two databases give their user tables different OIDs; 0 (no table) and those of the catalogue stay",
	},
	{
		regexp.MustCompile(`"Type":"BackendKeyData","ProcessID":[1-9]\d*,"SecretKey":"?[0-9a-f]+"?`), `"Type":"BackendKeyData"`,
		"a key is of one connection",
	},
	{
		regexp.MustCompile(`pg_temp_\d+`), "pg_temp_n",
		"the schema of temporary tables is called after the slot of the server's process",
	},
	{
		regexp.MustCompile(`"Type":"NotificationResponse","PID":[1-9]\d*`), `"Type":"NotificationResponse","PID":"of a process"`,
		"a process id is of one connection",
	},
}

func normalise(line string) string {
	for _, n := range normalisations {
		line = n.pattern.ReplaceAllString(line, n.with)
	}
	return line
}

// Whatever a client could act on stays visible.
func TestNormalisationShowsAlteredValues(t *testing.T) {
	const row = `{"Type":"RowDescription","Fields":[{"Name":"a","TableOID":16401,"TableAttributeNumber":1,"DataTypeOID":23,"DataTypeSize":4,"TypeModifier":-1,"Format":0}]}`
	const failure = `{"Type":"ErrorResponse","Severity":"ERROR","Code":"42P01","Message":"m","Position":"15","File":"parse_relation.c","Line":"1381","Routine":"parserOpenTable"}`
	for original, altered := range map[string][]string{
		row: {
			`{"Type":"RowDescription","Fields":[{"Name":"a","TableOID":0,"TableAttributeNumber":1,"DataTypeOID":23,"DataTypeSize":4,"TypeModifier":-1,"Format":0}]}`,
			`{"Type":"RowDescription","Fields":[{"Name":"a","TableOID":1259,"TableAttributeNumber":1,"DataTypeOID":23,"DataTypeSize":4,"TypeModifier":-1,"Format":0}]}`,
			`{"Type":"RowDescription","Fields":[{"Name":"a","TableOID":16401,"TableAttributeNumber":2,"DataTypeOID":23,"DataTypeSize":4,"TypeModifier":-1,"Format":0}]}`,
			`{"Type":"RowDescription","Fields":[{"Name":"a","TableOID":16401,"TableAttributeNumber":1,"DataTypeOID":20,"DataTypeSize":8,"TypeModifier":-1,"Format":0}]}`,
			`{"Type":"RowDescription","Fields":[{"Name":"a","TableOID":16401,"TableAttributeNumber":1,"DataTypeOID":23,"DataTypeSize":4,"TypeModifier":-1,"Format":1}]}`,
			`{"Type":"RowDescription","Fields":[{"Name":"b","TableOID":16401,"TableAttributeNumber":1,"DataTypeOID":23,"DataTypeSize":4,"TypeModifier":-1,"Format":0}]}`,
		},
		failure: {
			`{"Type":"ErrorResponse","Severity":"FATAL","Code":"42P01","Message":"m","Position":"15","File":"x.c","Line":"1","Routine":"y"}`,
			`{"Type":"ErrorResponse","Severity":"ERROR","Code":"42P02","Message":"m","Position":"15","File":"x.c","Line":"1","Routine":"y"}`,
			`{"Type":"ErrorResponse","Severity":"ERROR","Code":"42P01","Message":"n","Position":"15","File":"x.c","Line":"1","Routine":"y"}`,
			`{"Type":"ErrorResponse","Severity":"ERROR","Code":"42P01","Message":"m","Position":"16","File":"x.c","Line":"1","Routine":"y"}`,
			`{"Type":"ErrorResponse","Severity":"ERROR","Code":"42P01","Message":"m","File":"x.c","Line":"1","Routine":"y"}`,
			`{"Type":"ErrorResponse","Severity":"ERROR","Code":"42P01","Message":"m","Hint":"h","Position":"15","File":"x.c","Line":"1","Routine":"y"}`,
		},
		`{"Type":"BackendKeyData","ProcessID":17,"SecretKey":"0badc0de"}`: {
			`{"Type":"BackendKeyData","ProcessID":0,"SecretKey":"0badc0de"}`,
			`{"Type":"BackendKeyData","ProcessID":17,"SecretKey":""}`,
		},
		`{"Type":"NotificationResponse","PID":17,"Channel":"c","Payload":"p"}`: {
			`{"Type":"NotificationResponse","PID":0,"Channel":"c","Payload":"p"}`,
			`{"Type":"NotificationResponse","PID":17,"Channel":"d","Payload":"p"}`,
			`{"Type":"NotificationResponse","PID":17,"Channel":"c","Payload":"q"}`,
		},
		`{"Type":"DataRow","Values":["1",null]}`: {
			`{"Type":"DataRow","Values":["2",null]}`, `{"Type":"DataRow","Values":["1",""]}`, `{"Type":"DataRow","Values":["1"]}`,
		},
		`{"Type":"ReadyForQuery","TxStatus":"I"}`:                         {`{"Type":"ReadyForQuery","TxStatus":"T"}`},
		`{"Type":"ParameterStatus","Name":"DateStyle","Value":"ISO"}`:     {`{"Type":"ParameterStatus","Name":"DateStyle","Value":"SQL"}`},
		`{"Type":"CommandComplete","CommandTag":"INSERT 0 1"}`:            {`{"Type":"CommandComplete","CommandTag":"INSERT 0 2"}`},
		`{"Type":"ParameterDescription","ParameterOIDs":[23]}`:            {`{"Type":"ParameterDescription","ParameterOIDs":[20]}`},
		`{"Type":"NoticeResponse","Severity":"NOTICE","Code":"00000"}`:    {`{"Type":"NoticeResponse","Severity":"WARNING","Code":"00000"}`},
		`{"Type":"CopyData","Data":"1\t2\n"}`:                             {`{"Type":"CopyData","Data":"1\t3\n"}`},
		`{"Type":"CopyInResponse","ColumnFormatCodes":[0,0]}`:             {`{"Type":"CopyInResponse","ColumnFormatCodes":[1,1]}`},
		`{"Type":"NegotiateProtocolVersion","UnrecognizedOptions":["x"]}`: {`{"Type":"NegotiateProtocolVersion","UnrecognizedOptions":["y"]}`},
	} {
		for _, a := range altered {
			if normalise(original) == normalise(a) {
				t.Errorf("an alteration is hidden: %s", a)
			}
		}
	}
}

// Each rule is needed, says why, and is used by a script.
func TestNormalisationsHaveReasons(t *testing.T) {
	for _, n := range normalisations {
		if n.reason == "" {
			t.Errorf("%s has no reason", n.pattern)
		}
	}
}
