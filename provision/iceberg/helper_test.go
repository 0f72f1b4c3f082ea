package iceberg_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/provision"
	"github.com/tablewright/tablewright/provision/iceberg"
)

// helperTask is the variable that makes the test's binary another process of the gateway's kind.
const helperTask = "TW_ICEBERG_HELPER"

// helper runs in the other process: "verb dir job step" does the verb and stands still at a step,
// "write dir count" writes rows one by one, "denied dir" tries to write where it may not.
func helper(task string) int {
	words := strings.Fields(task)
	l := &lake{dir: words[1]}
	p, err := iceberg.New(iceberg.Options{Allow: []string{l.dir}}).Open(context.Background(), l.catalog("lake"), nil)
	if err != nil {
		return report(err)
	}
	defer p.Close()
	r := ordersResource()
	ctx := context.Background()
	switch words[0] {
	case "create", "delete":
		r.JobID, r.Identity = words[2], words[3]
		if r.Identity == "-" {
			r.Identity = ""
		}
		step := strings.Join(words[4:], " ")
		call := provision.Call{Report: func(s string, done bool) {
			if fmt.Sprint(s, " ", done) == step {
				fmt.Println("reached")
				select {}
			}
		}}
		if words[0] == "create" {
			_, err = p.Create(ctx, r, call)
		} else {
			err = p.Delete(ctx, r, call)
		}
	case "write":
		for range 5 {
			if _, err = p.(provision.Writer).Write(ctx, r, r.Table.Columns, [][][]byte{{[]byte("1"), []byte("x")}}); err != nil {
				break
			}
		}
	case "denied":
		_, err = p.Create(ctx, r, provision.Call{})
	}
	return report(err)
}

func report(err error) int {
	var e *sqlerr.Error
	switch {
	case err == nil:
		fmt.Println("done")
	case errors.As(err, &e):
		fmt.Println(e.Code, e.Message)
	default:
		fmt.Println(err)
	}
	return 0
}

func ordersResource() plan.Resource {
	name := catalog.Name{Catalog: "lake", Schema: "sales", Table: "orders"}
	return plan.Resource{
		Kind: plan.TableKind, Name: name, Path: name.Path(), JobID: uuid.NewString(),
		Table: catalog.Table{Name: name, Columns: []catalog.Column{{Name: "id", Type: "integer"}, {Name: "note", Type: "text"}}},
	}
}

// other starts the other process.
func other(t *testing.T, account *syscall.Credential, words ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	program := os.Args[0]
	if account != nil {
		// The folder that go test builds in is closed to other accounts.
		program = filepath.Join(t.TempDir(), "helper")
		if err := os.Link(os.Args[0], program); err != nil {
			t.Fatal(err)
		}
		open(t, filepath.Dir(program))
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), helperTask+"="+strings.Join(words, " "))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out)
}

// killAt runs a verb in another process and kills that one at a step.
func killAt(t *testing.T, words ...string) {
	t.Helper()
	cmd, out := other(t, nil, words...)
	line, err := out.ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "reached" {
		t.Fatalf("%v: %q, %v", words, line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

func openLake(t *testing.T) (*lake, provision.Provisioner) {
	t.Helper()
	l := newLake(t)
	p := l.open(t, l.Catalog)
	schema := plan.Resource{Kind: plan.SchemaKind, Path: []string{"sales"}}
	if _, err := p.Create(t.Context(), schema, provision.Call{}); err != nil {
		t.Fatal(err)
	}
	return l, p
}

// files lists the files of the warehouse.
func (l *lake) files(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(filepath.Join(l.dir, "warehouse"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestMakerKilled(t *testing.T) {
	for _, step := range []string{"write metadata false", "write metadata true", "commit false", "commit true"} {
		for _, identity := range []string{"-", uuid.NewString()} {
			l, p := openLake(t)
			r := ordersResource()
			if identity != "-" {
				r.Identity = identity
			}
			killAt(t, "create", l.dir, r.JobID, identity, step)
			seen, err := p.Observe(t.Context(), r)
			if err != nil {
				t.Fatalf("killed at %s: %v", step, err)
			}
			if visible := step == "commit true"; seen.Exists != visible {
				t.Fatalf("killed at %s: the table is there: %t", step, seen.Exists)
			}
			made, err := p.Create(t.Context(), r, provision.Call{})
			if err != nil || !made.UpToDate {
				t.Fatalf("killed at %s, create repeated: %+v, %v", step, made, err)
			}
			if seen.Exists && made.Identity != seen.Identity {
				t.Fatalf("killed at %s: the table was made twice", step)
			}
			again, err := p.Create(t.Context(), r, provision.Call{})
			if err != nil || again.Identity != made.Identity {
				t.Fatalf("create repeated: %+v, %v", again, err)
			}
			r.Identity = made.Identity
			if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
				t.Fatal(err)
			}
			// A dead maker whose identity was persisted leaves nothing behind.
			if left := l.files(t); identity != "-" && len(left) > 0 {
				t.Fatalf("killed at %s: left are %v", step, left)
			}
		}
	}
}

func TestDeleterKilled(t *testing.T) {
	for _, step := range []string{"load table true", "drop from catalog false", "drop from catalog true", "remove files false", "remove files true"} {
		l, p := openLake(t)
		r := ordersResource()
		made, err := p.Create(t.Context(), r, provision.Call{})
		if err != nil {
			t.Fatal(err)
		}
		r.Identity = made.Identity
		if _, err := p.(provision.Writer).Write(t.Context(), r, r.Table.Columns, [][][]byte{{[]byte("1"), nil}}); err != nil {
			t.Fatal(err)
		}
		killAt(t, "delete", l.dir, r.JobID, r.Identity, step)
		if err := p.Delete(t.Context(), r, provision.Call{}); err != nil {
			t.Fatalf("killed at %s, delete repeated: %v", step, err)
		}
		seen, err := p.Observe(t.Context(), r)
		if err != nil || seen.Exists {
			t.Fatalf("killed at %s: %+v, %v", step, seen, err)
		}
		if left := l.files(t); len(left) > 0 {
			t.Fatalf("killed at %s: left are %v", step, left)
		}
	}
}

// Several processes append at the same time, each on top of the others.
func TestWritersInSeveralProcesses(t *testing.T) {
	const writers = 3
	l, p := openLake(t)
	r := ordersResource()
	if _, err := p.Create(t.Context(), r, provision.Call{}); err != nil {
		t.Fatal(err)
	}
	var outs [writers]*bufio.Reader
	var cmds [writers]*exec.Cmd
	for i := range writers {
		cmds[i], outs[i] = other(t, nil, "write", l.dir)
	}
	for i := range writers {
		text, err := io.ReadAll(outs[i])
		if err != nil || strings.TrimSpace(string(text)) != "done" {
			t.Fatalf("writer %d: %q, %v", i, text, err)
		}
		if err := cmds[i].Wait(); err != nil {
			t.Fatal(err)
		}
	}
	table, err := l.read(t.Context(), r.Path)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != writers*5 || table.Snapshots != writers*5 {
		t.Fatalf("%d rows in %d snapshots, want %d in each", len(table.Rows), table.Snapshots, writers*5)
	}
	data := 0
	for _, file := range l.files(t) {
		if strings.HasSuffix(file, ".parquet") {
			data++
		}
	}
	if data != writers*5 {
		t.Fatalf("%d data files for %d commits: what lost a race was not removed", data, writers*5)
	}
}

// open lets other accounts pass through a test's folder.
func open(t *testing.T, dir string) {
	t.Helper()
	for ; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// A process whose account may not write is refused with 42501.
func TestNotPermitted(t *testing.T) {
	l, p := openLake(t)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var account *syscall.Credential
	if os.Geteuid() == 0 {
		account = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	open(t, l.dir)
	sealed := map[string]os.FileMode{l.file(): 0o444, filepath.Join(l.dir, "warehouse"): 0o555, l.dir: 0o555}
	for path, mode := range sealed {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _ = os.Chmod(l.dir, 0o755) }()
	cmd, out := other(t, account, "denied", l.dir)
	text, err := io.ReadAll(out)
	if err != nil || !strings.HasPrefix(string(text), sqlerr.InsufficientPrivilege) {
		t.Fatalf("create without the right: %q, %v", text, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}
