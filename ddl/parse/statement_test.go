package parse_test

import (
	"testing"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
)

// TestOriginalPosition: a position that home reports about a text made from the second statement of a
// message points into the message, in characters.
func TestOriginalPosition(t *testing.T) {
	t.Parallel()
	const text = "select 'ää'; create table lake.sales.ö (id nosuch, ü int)"
	statements, err := parse.Split(text)
	if err != nil {
		t.Fatal(err)
	}
	st := &statements[1]
	name := parse.Names(st)[0]
	rw := plan.NewRewrite(st.Text, []plan.Edit{{Start: name.Span.Start, End: name.Span.End, Text: `"lake.sales"."ö"`}})
	made := []rune(rw.Text())
	for position := 1; position <= len(made); position++ {
		original := st.OriginalPosition(rw, position)
		got, want := []rune(text)[original-1], made[position-1]
		inName := position > len("create table ") && position <= len([]rune(`create table "lake.sales"."ö"`))
		if inName {
			want = 'l'
		}
		if got != want {
			t.Errorf("position %d of %q leads to %q at %d, want %q", position, rw.Text(), got, original, want)
		}
	}
	if st.OriginalPosition(rw, 0) != 0 || st.OriginalPosition(nil, 5) != 0 {
		t.Error("no position, or nothing original, must lead nowhere")
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"hots": "host", "hst": "host", "HOST": "", "prot": "port", "x": "", "bootstrapservers": "bootstrap_servers", "unrelated": "",
	} {
		if got := parse.Nearest(word, []string{"host", "port", "bootstrap_servers"}); got != want {
			t.Errorf("nearest of %q is %q, want %q", word, got, want)
		}
	}
}

// TestSecretNames: what may hold a secret counts as one.
func TestSecretNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"password": true, "sasl_password": true, "s3.secret-access-key": true, "token": true, "ssl.key": true, "private_key": true,
		"sasl.jaas.config": true, "aws_access_key_id": true, "API-KEY": true, "credentials": true,
		"host": false, "user": false, "bootstrap_servers": false, "partitions": false, "keyspace": false, "warehouse": false,
	} {
		if got := parse.IsSecretName(name); got != want {
			t.Errorf("IsSecretName(%q) = %t, want %t", name, got, want)
		}
	}
	for value, want := range map[string]bool{
		"secret:a/b": true, "env:X": true, "file:/x": true, "env:": false, "x": false, "": false,
	} {
		if got := parse.IsReference(value); got != want {
			t.Errorf("IsReference(%q) = %t, want %t", value, got, want)
		}
	}
}
