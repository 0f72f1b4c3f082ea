package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/limits"
	"github.com/tablewright/tablewright/server/wire"
	"github.com/tablewright/tablewright/session"
)

func frame(typ byte, length uint32, body string) []byte {
	b := []byte{typ}
	b = binary.BigEndian.AppendUint32(b, length)
	return append(b, body...)
}

func startup(code uint32, body string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	b = binary.BigEndian.AppendUint32(b, code)
	return append(b, body...)
}

func TestNextRefusesFramesThatNoClientMaySend(t *testing.T) {
	for name, input := range map[string][]byte{
		"unknown type":            frame('?', 4, ""),
		"backend's type":          frame('Z', 5, "I"),
		"length below its own":    frame('Q', 3, ""),
		"length of zero":          frame('Q', 0, ""),
		"negative length":         frame('Q', 0xffffffff, ""),
		"4 GiB":                   frame('Q', 0xfffffff0, ""),
		"over the limit":          frame('Q', limits.LongBytesMax+5, ""),
		"long Sync":               frame('S', limits.ShortBytesMax+5, ""),
		"password over the limit": frame('p', limits.AuthBytesMax+5, ""),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.NewReader(bytes.NewReader(input)).Next()
			var e *sqlerr.Error
			if !errors.As(err, &e) || e.Code != sqlerr.ProtocolViolation {
				t.Fatalf("got %v, want a protocol violation", err)
			}
		})
	}
}

// An announced length must not cost memory before its bytes arrive.
func TestNextAllocatesWhatArrives(t *testing.T) {
	input := frame('Q', limits.LongBytesMax, "select 1")
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := wire.NewReader(bytes.NewReader(input)).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
				b.Fatalf("got %v, want an unexpected end", err)
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 4*limits.GrowBytes {
		t.Fatalf("%d bytes allocated for a body that never came", allocated)
	}
}

func TestNextReadsWhatWasSent(t *testing.T) {
	long := strings.Repeat("x", 3*limits.GrowBytes)
	input := append(frame('Q', uint32(4+len(long)), long), frame('S', 4, "")...)
	r := wire.NewReader(bytes.NewReader(input))
	first, err := r.Next()
	if err != nil || first.Type != 'Q' || string(first.Body) != long {
		t.Fatalf("got %q of %d bytes, %v", first.Type, len(first.Body), err)
	}
	second, err := r.Next()
	if err != nil || second.Type != 'S' || len(second.Body) != 0 {
		t.Fatalf("got %q of %d bytes, %v", second.Type, len(second.Body), err)
	}
}

func TestReadStartup(t *testing.T) {
	const v3 = 196608
	tests := map[string]struct {
		input []byte
		want  wire.Startup
		code  string // SQLSTATE of the error, "-" for a connection that ends without an answer
	}{
		"plain": {
			input: startup(v3, "user\x00alice\x00application_name\x00psql\x00\x00"),
			want:  wire.Startup{Kind: wire.StartupMessage, Parameters: map[string]string{"user": "alice", "application_name": "psql"}},
		},
		"newer minor version with options": {
			input: startup(v3+9999, "user\x00a\x00_pq_.test\x00x\x00\x00"),
			want: wire.Startup{
				Kind: wire.StartupMessage, Minor: 9999,
				Parameters: map[string]string{"user": "a"}, Unknown: []string{"_pq_.test"},
			},
		},
		"SSLRequest":           {input: startup(80877103, ""), want: wire.Startup{Kind: wire.SSLRequest}},
		"GSSENCRequest":        {input: startup(80877104, ""), want: wire.Startup{Kind: wire.GSSEncRequest}},
		"CancelRequest":        {input: startup(80877102, "\x00\x00\x00\x07\x00\x00\x00\x09"), want: wire.Startup{Kind: wire.CancelRequest, ProcessID: 7, SecretKey: 9}},
		"short CancelRequest":  {input: startup(80877102, "\x00\x00"), code: "-"},
		"no user":              {input: startup(v3, "database\x00d\x00\x00"), code: sqlerr.InvalidAuthorization},
		"empty":                {input: startup(v3, "\x00"), code: sqlerr.InvalidAuthorization},
		"no terminator":        {input: startup(v3, "user\x00alice"), code: sqlerr.ProtocolViolation},
		"name without value":   {input: startup(v3, "user\x00"), code: sqlerr.ProtocolViolation},
		"bytes after the end":  {input: startup(v3, "user\x00a\x00\x00x"), code: sqlerr.ProtocolViolation},
		"version 2":            {input: startup(2<<16, "\x00"), code: sqlerr.FeatureNotSupported},
		"HTTP":                 {input: []byte("GET / HTTP/1.1\r\n\r\n"), code: "-"},
		"length too short":     {input: []byte{0, 0, 0, 3, 0, 0, 0, 0}, code: "-"},
		"length of two GiB":    {input: []byte{0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0}, code: "-"},
		"longer than allowed":  {input: []byte{0, 0, 0x27, 0x11, 0, 3, 0, 0}, code: "-"},
		"connection cut short": {input: startup(v3, "user\x00alice\x00\x00")[:10], code: "-"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := wire.NewReader(bytes.NewReader(test.input)).ReadStartup()
			var e *sqlerr.Error
			switch {
			case test.code == "":
				if err != nil {
					t.Fatalf("unexpected error: %v", err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Fatalf("startup (-want +got):\n%s", diff)
				}
			case test.code == "-":
				if err == nil || errors.As(err, &e) {
					t.Fatalf("got %v, want an end without an answer", err)
				}
			case !errors.As(err, &e) || e.Code != test.code:
				t.Fatalf("got %v, want SQLSTATE %s", err, test.code)
			}
		})
	}
}

// The codec panics on some of these; they must all be protocol violations.
func TestDecodeRefusesMalformedBodies(t *testing.T) {
	for _, typ := range []byte("QPBDEC") {
		for _, body := range []string{"", "x", "\xff", "\x00", "a\x00", "\x00\x00\x00", "a\x00b\x00\xff\xff", "\x00\x00\x00\x01"} {
			req, err := wire.Decode(session.Frame{Type: typ, Body: []byte(body)})
			var e *sqlerr.Error
			if err != nil && (!errors.As(err, &e) || e.Code != sqlerr.ProtocolViolation) {
				t.Fatalf("%c %q: got %v, want a protocol violation", typ, body, err)
			}
			if err == nil && req == nil {
				t.Fatalf("%c %q: neither a request nor an error", typ, body)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []struct {
		typ  byte
		body string
	}{
		{'Q', "select 1\x00"},
		{'P', "\x00select 1\x00\x00\x00"},
		{'P', "s\x00select $1\x00\x00\x01\x00\x00\x00\x17"},
		{'B', "\x00\x00\x00\x01\x00\x01\x00\x01\x00\x00\x00\x01x\x00\x00"},
		{'B', "p\x00s\x00\x00\x00\x00\x01\xff\xff\xff\xff\x00\x01\x00\x01"},
		{'D', "Sname\x00"},
		{'E', "p\x00\x00\x00\x00\x01"},
		{'C', "Pname\x00"},
	} {
		f.Add(seed.typ, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, typ byte, body []byte) {
		req, err := wire.Decode(session.Frame{Type: typ, Body: body})
		if (req == nil) == (err == nil) {
			t.Fatalf("request %v, error %v", req, err)
		}
		var e *sqlerr.Error
		if err != nil && (!errors.As(err, &e) || e.Code != sqlerr.ProtocolViolation) {
			t.Fatalf("got %v, want a protocol violation", err)
		}
	})
}

func FuzzReadStartup(f *testing.F) {
	for _, seed := range [][]byte{
		startup(196608, "user\x00alice\x00database\x00d\x00options\x00-c a=b\x00\x00"),
		startup(196608+9999, "user\x00a\x00_pq_.test\x00x\x00\x00"),
		startup(80877102, "\x00\x00\x00\x07\x00\x00\x00\x09"), startup(80877103, ""), startup(80877104, ""),
		[]byte("GET / HTTP/1.1\r\n\r\n"),
		{0x16, 3, 1, 2, 0, 1},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		got, err := wire.NewReader(bytes.NewReader(input)).ReadStartup()
		if err == nil && got.Kind == wire.StartupMessage && got.User() == "" {
			t.Fatalf("a startup without a user: %v", got)
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add(frame('Q', 13, "select 1\x00"))
	f.Fuzz(func(_ *testing.T, input []byte) {
		r := wire.NewReader(bytes.NewReader(input))
		for {
			if _, err := r.Next(); err != nil {
				return
			}
		}
	})
}
