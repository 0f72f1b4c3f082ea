package iceberg

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/tablewright/tablewright/provision/provisiontest/pgserver"
)

// Texts are compared with those of a real PostgreSQL server: what is printed here is what it prints for
// the same value, and what it prints is read back as that value.
func TestTextsArePostgresOwn(t *testing.T) {
	ctx := t.Context()
	server, err := pgserver.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	}()
	conn, err := server.Connect(ctx, "postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SET TimeZone = 'UTC'"); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	compareFloats(t, conn, random)
	compareTimes(t, conn, random)
	compareArrays(t, conn, random)
}

// ask returns what PostgreSQL prints for each value.
func ask(t *testing.T, conn *pgx.Conn, query string, values any) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query, values)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return texts
}

func compareFloats(t *testing.T, conn *pgx.Conn, random *rand.Rand) {
	t.Helper()
	doubles := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1e15, 1e14, 123456789012345, 1e-4, 1e-5, math.MaxFloat64, 5e-324}
	for range 5000 {
		doubles = append(doubles, math.Float64frombits(random.Uint64()), math.Round(random.NormFloat64()*1e6)/1e3)
	}
	printed := ask(t, conn, "SELECT v::text FROM unnest($1::float8[]) v", doubles)
	for i, v := range doubles {
		if got := string(appendFloat(nil, v, 64)); got != printed[i] {
			t.Fatalf("double precision %b is printed %q, by PostgreSQL %q", v, got, printed[i])
		}
		if back, err := parseFloat(printed[i], "double precision", 64); err != nil || back != v && v == v {
			t.Fatalf("%q is read as %b, %v", printed[i], back, err)
		}
	}
	reals := []float32{0, 1e6, 1e5, 123456, 1e-4, 1e-5, math.MaxFloat32, math.SmallestNonzeroFloat32}
	for range 5000 {
		reals = append(reals, math.Float32frombits(random.Uint32()))
	}
	printed = ask(t, conn, "SELECT v::text FROM unnest($1::float4[]) v", reals)
	for i, v := range reals {
		if got := string(appendFloat(nil, float64(v), 32)); got != printed[i] {
			t.Fatalf("real %b is printed %q, by PostgreSQL %q", v, got, printed[i])
		}
	}
}

// compareTimes asks in microseconds, which PostgreSQL adds exactly.
func compareTimes(t *testing.T, conn *pgx.Conn, random *rand.Rand) {
	t.Helper()
	const from, to = -210_000_000_000_000_000, 9_000_000_000_000_000_000 // years -4684 to 287168
	micros := []int64{0, -1, 1, 500_000, -62135596800000000, -62135596800000001, from, to}
	for range 5000 {
		micros = append(micros, from+random.Int64N(4e17), random.Int64N(to))
	}
	const add = "timestamp '1970-01-01' + make_interval(days => (v / 86400000000)::int) + (v % 86400000000) * interval '1 microsecond'"
	printed := ask(t, conn, "SELECT ("+add+")::text FROM unnest($1::int8[]) v", micros)
	zoned := ask(t, conn, "SELECT (("+add+") AT TIME ZONE 'UTC')::text FROM unnest($1::int8[]) v", micros)
	dates := ask(t, conn, "SELECT ("+add+")::date::text FROM unnest($1::int8[]) v", micros)
	for i, v := range micros {
		if got := string(appendTimestamp(nil, v, false)); got != printed[i] {
			t.Fatalf("timestamp %d is printed %q, by PostgreSQL %q", v, got, printed[i])
		}
		if got := string(appendTimestamp(nil, v, true)); got != zoned[i] {
			t.Fatalf("timestamp with time zone %d is printed %q, by PostgreSQL %q", v, got, zoned[i])
		}
		if got := string(appendDate(nil, floorDiv(v, microsPerDay))); got != dates[i] {
			t.Fatalf("date of %d is printed %q, by PostgreSQL %q", v, got, dates[i])
		}
		for _, text := range []string{printed[i], zoned[i]} {
			if back, err := parseTimestamp(text, true); err != nil || back != v {
				t.Fatalf("%q is read as %d, %v, want %d", text, back, err, v)
			}
		}
		if back, err := parseDate(dates[i]); err != nil || int64(back) != floorDiv(v, microsPerDay) {
			t.Fatalf("%q is read as %d, %v", dates[i], back, err)
		}
	}
	zones := ask(t, conn, `SELECT set_config('TimeZone', z, false) || ' ' || timestamptz '1900-01-01 12:00:00+00'::text
		FROM unnest($1::text[]) z`, []string{"UTC", "Asia/Kolkata", "America/St_Johns", "Europe/Amsterdam", "Pacific/Apia"})
	for _, line := range zones {
		_, text, _ := strings.Cut(line, " ")
		if back, err := parseTimestamp(text, true); err != nil || string(appendTimestamp(nil, back, true)) != "1900-01-01 12:00:00+00" {
			t.Fatalf("%q is read as %s, %v", text, appendTimestamp(nil, back, true), err)
		}
	}
}

func compareArrays(t *testing.T, conn *pgx.Conn, random *rand.Rand) {
	t.Helper()
	const alphabet = "aN{},\"\\ \t\n'ullé"
	runes := []rune(alphabet)
	for range 2000 {
		elements := []*string{}
		for range random.IntN(4) {
			var b strings.Builder
			for range random.IntN(6) {
				b.WriteRune(runes[random.IntN(len(runes))])
			}
			text := b.String()
			if random.IntN(5) == 0 {
				elements = append(elements, nil)
				continue
			}
			elements = append(elements, &text)
		}
		var printed string
		if err := conn.QueryRow(t.Context(), "SELECT $1::text[]::text", elements).Scan(&printed); err != nil {
			t.Fatal(err)
		}
		back, err := parseArray(printed)
		if err != nil {
			t.Fatalf("%q: %v", printed, err)
		}
		if d := cmp.Diff(elements, back); d != "" && len(elements)+len(back) > 0 {
			t.Fatalf("%q is read as another array (-want +got):\n%s", printed, d)
		}
		if got := printList(t, elements); got != printed {
			t.Fatalf("array is printed %q, by PostgreSQL %q", got, printed)
		}
	}
}

func printList(t *testing.T, elements []*string) string {
	t.Helper()
	b := array.NewListBuilder(memory.DefaultAllocator, arrow.BinaryTypes.String)
	defer b.Release()
	b.Append(true)
	for _, e := range elements {
		if e == nil {
			b.ValueBuilder().AppendNull()
			continue
		}
		b.ValueBuilder().(*array.StringBuilder).Append(*e)
	}
	list := b.NewListArray()
	defer list.Release()
	text, err := appendText(nil, list, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// FuzzParseArray looks for texts that break the reader; what it reads is printed and read alike.
func FuzzParseArray(f *testing.F) {
	for _, seed := range []string{"{}", "{a,NULL}", `{"x,y","q\""}`, "{{1}}", "[0:1]={1,2}", "{", "{,}", `{"`, `{"\`, "{a}b}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		elements, err := parseArray(text)
		if err != nil {
			return
		}
		var b strings.Builder
		b.WriteByte('{')
		for i, e := range elements {
			if i > 0 {
				b.WriteByte(',')
			}
			if e == nil {
				b.WriteString("NULL")
				continue
			}
			b.Write(appendElement(nil, []byte(*e)))
		}
		b.WriteByte('}')
		again, err := parseArray(b.String())
		if err != nil {
			t.Fatalf("%q was printed %q: %v", text, b.String(), err)
		}
		if d := cmp.Diff(elements, again); d != "" && len(elements)+len(again) > 0 {
			t.Fatalf("%q (-want +got):\n%s", text, d)
		}
	})
}
