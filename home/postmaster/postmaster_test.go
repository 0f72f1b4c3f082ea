package postmaster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// tempDir is a folder that the server's user can get to.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tw") //nolint:usetesting // testing's own folders are closed to the server's user
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start starts a server and stops it after the test.
func start(t *testing.T, dir string, change ...func(*Options)) *Postmaster {
	t.Helper()
	p, err := tryStart(t, dir, change...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryStart(t *testing.T, dir string, change ...func(*Options)) (*Postmaster, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	opts := Options{DataDir: dir, Unsafe: true}
	for _, f := range change {
		f(&opts)
	}
	p, err := Start(ctx, opts)
	if err == nil {
		t.Cleanup(func() { stop(t, p) })
	}
	return p, err
}

func stop(t *testing.T, p *Postmaster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := p.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func connect(t *testing.T, socket string) *pgconn.PgConn {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), "host="+socket+" user="+Superuser+" dbname=postgres sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func ask(t *testing.T, socket, sql string) string {
	t.Helper()
	conn := connect(t, socket)
	defer func() { _ = conn.Close(t.Context()) }()
	results, err := conn.Exec(t.Context(), sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return string(results[len(results)-1].Rows[0][0])
}

// busy makes a backend that computes without ever waiting, and returns its pid.
func busy(t *testing.T, socket string) int {
	t.Helper()
	conn := connect(t, socket)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = conn.Exec(ctx, "do $$begin loop end loop; end$$").ReadAll() // it is killed
	}()
	t.Cleanup(func() { cancel(); <-ended })
	pid := int(conn.PID())
	eventually(t, "the backend is busy", func() bool {
		return ask(t, socket, "select count(*) from pg_stat_activity where state = 'active' and query like 'do %'") == "1"
	})
	return pid
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

func servers(t *testing.T, data string) []int {
	t.Helper()
	pids, err := serversOf(data)
	if err != nil {
		t.Fatal(err)
	}
	return pids
}

func TestStartStopStart(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	var events []Event
	p := start(t, dir, func(o *Options) { o.OnEvent = func(e Event) { events = append(events, e) } })
	if got := ask(t, p.SocketDir(), "select current_setting('server_version')"); !strings.HasPrefix(got, p.Version()) {
		t.Errorf("server %s, binary %s", got, p.Version())
	}
	for setting, want := range map[string]string{"max_connections": "200", "max_locks_per_transaction": "512", "listen_addresses": "", "fsync": "off", "unix_socket_permissions": "0700"} {
		if got := ask(t, p.SocketDir(), "select current_setting('"+setting+"')"); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	ask(t, p.SocketDir(), "create table kept (a int); insert into kept values (42); select 1")
	stop(t, p)
	if left := servers(t, p.layout.data); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	if len(events) != 2 || !events[0].Ready || events[1].Ready {
		t.Errorf("events %+v", events)
	}
	began := time.Now()
	p = start(t, dir)
	t.Logf("second start %v", time.Since(began))
	if got := ask(t, p.SocketDir(), "select a from kept"); got != "42" {
		t.Errorf("kept %s", got)
	}
}

func TestFsyncIsOnByDefault(t *testing.T) {
	p := start(t, filepath.Join(tempDir(t), "data"), func(o *Options) { o.Unsafe = false })
	if got := ask(t, p.SocketDir(), "select current_setting('fsync') || current_setting('synchronous_commit') || current_setting('full_page_writes')"); got != "ononon" {
		t.Errorf("fsync, synchronous_commit, full_page_writes: %s", got)
	}
}

// A gateway that is killed takes its server with it, busy backends included.
func TestNoOrphanAfterKill(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	gateway := exec.CommandContext(t.Context(), os.Args[0])
	gateway.Env = append(os.Environ(), gatewayDir+"="+dir)
	out, err := gateway.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("gateway said %q", line)
	}
	data := filepath.Join(dir, "home", "data")
	busy(t, filepath.Join(dir, "run"))
	if n := len(servers(t, data)); !isServerOf(pid, data) || n < 3 {
		t.Fatalf("%d processes", n)
	}
	kill(t, gateway.Process.Pid, syscall.SIGKILL)
	_ = gateway.Wait()
	began := time.Now()
	eventually(t, "all processes are gone", func() bool { return len(servers(t, data)) == 0 })
	t.Logf("all gone after %v", time.Since(began))
	start(t, dir)
}

// The parent-death signal is the thread's. The caller's thread may end: it must not be the child's parent.
func TestServerOutlivesTheThreadThatStartedIt(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	started := make(chan *Postmaster)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		p, err := Start(context.WithoutCancel(t.Context()), Options{DataDir: dir, Unsafe: true})
		if err != nil {
			t.Error(err)
		}
		started <- p
	}()
	p := <-started
	if p == nil {
		return
	}
	defer stop(t, p)
	pid := p.PID()
	for range 20 { // threads come and go
		done := make(chan struct{})
		go func() { runtime.LockOSThread(); close(done) }()
		<-done
		time.Sleep(10 * time.Millisecond)
	}
	if p.PID() != pid || !isServerOf(pid, p.layout.data) {
		t.Errorf("the server ended")
	}
}

// A server that dies is started again, also when one of its backends goes on computing.
func TestServerIsStartedAgain(t *testing.T) {
	events := make(chan Event, 10)
	p := start(t, filepath.Join(tempDir(t), "data"), func(o *Options) { o.OnEvent = func(e Event) { events <- e } })
	first := (<-events).PID
	straggler := busy(t, p.SocketDir())
	// A postmaster that is killed leaves a busy backend with the shared memory.
	kill(t, first, syscall.SIGKILL)
	if e := <-events; e.Ready || e.PID != first || e.Err == nil {
		t.Errorf("event %+v", e)
	}
	e := <-events
	if !e.Ready || e.PID == first || e.PID != p.PID() || !p.Ready() {
		t.Errorf("event %+v", e)
	}
	if isServerOf(straggler, p.layout.data) {
		t.Error("the backend of the dead server lives on")
	}
	if got := ask(t, p.SocketDir(), "select 1"); got != "1" {
		t.Error("no answer")
	}
}

// The same when the gateway was killed too, so that the files of the dead server are there.
func TestStragglerOfAnEarlierRun(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	p := start(t, dir)
	straggler := busy(t, p.SocketDir())
	close(p.stop) // this run's supervisor will not start another
	p.stopOnce.Do(func() {})
	kill(t, p.PID(), syscall.SIGKILL)
	<-p.done
	if !isServerOf(straggler, p.layout.data) {
		t.Fatal("the backend did not outlive its postmaster")
	}
	start(t, dir)
	if isServerOf(straggler, p.layout.data) {
		t.Error("the backend of the dead server lives on")
	}
}

// A server that an earlier gateway left is ended, not adopted: neither its death signal nor Wait could be
// had again.
func TestLeftServerIsReplaced(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	p := start(t, dir)
	stop(t, p)
	left := exec.CommandContext(t.Context(), p.bin.postgres(), p.serverArgs()...)
	p.dress(left, 0)
	if err := left.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- left.Wait() }()
	eventually(t, "the left server answers", func() bool { return p.loginWorks(t.Context()) })
	again := start(t, dir)
	<-ended
	if again.PID() == left.Process.Pid {
		t.Error("the left server was adopted")
	}
}

// A pid file means nothing when its process is not a server of this data folder.
func TestStalePIDFile(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	p := start(t, dir)
	stop(t, p)
	sleeper := exec.CommandContext(t.Context(), "sleep", "600") // of the server's own user: PostgreSQL would believe it
	p.dress(sleeper, syscall.SIGKILL)
	sleeper.SysProcAttr.Pdeathsig = 0 // its thread may become a supervisor's, which ends with it
	sleeper.Dir = p.layout.data
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	zombie := exec.CommandContext(t.Context(), "true")
	p.dress(zombie, syscall.SIGKILL)
	if err := zombie.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = zombie.Wait() }()
	neighbour := start(t, filepath.Join(tempDir(t), "data"))
	neighbourPID := neighbour.PID()
	eventually(t, "the zombie is one", func() bool { return stateOf(fmt.Sprintf("/proc/%d", zombie.Process.Pid)) == 'Z' })
	for name, pid := range map[string]int{"other server": neighbourPID, "other program": sleeper.Process.Pid, "zombie": zombie.Process.Pid, "nobody": 4194303, "nonsense": -1} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{filepath.Join(p.layout.data, pidFile), filepath.Join(p.layout.socket, socketName+".lock")} {
				text := fmt.Sprintf("%d\n%s\n%d\n5432\n%s\n\n", pid, p.layout.data, time.Now().Unix(), p.layout.socket)
				if pid < 0 {
					text = "half"
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if p.owner.drop {
					if err := os.Chown(file, p.owner.uid, p.owner.gid); err != nil {
						t.Fatal(err)
					}
				}
			}
			stop(t, start(t, dir))
			if state := stateOf(fmt.Sprintf("/proc/%d", sleeper.Process.Pid)); state == 0 || state == 'Z' {
				t.Error("another program was ended")
			}
			if neighbour.PID() != neighbourPID {
				t.Error("the server of another data folder was ended")
			}
		})
	}
}

// initdb that was killed leaves a cluster on which PostgreSQL starts without noticing.
func TestHalfInitdbIsThrownAway(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	own, err := findOwner("")
	if err != nil {
		t.Fatal(err)
	}
	l, err := makeLayout(dir, own)
	if err != nil {
		t.Fatal(err)
	}
	half := l.data + ".new"
	if err := os.Mkdir(half, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("15\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir)
	if got := ask(t, p.SocketDir(), "select count(*) from pg_database"); got != "3" {
		t.Errorf("%s databases", got)
	}
	if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the half cluster is still there: %v", err)
	}
}

func TestStartIsGivenUpCleanly(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	for _, after := range []time.Duration{0, 100 * time.Millisecond, 700 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		p, err := Start(ctx, Options{DataDir: dir, Unsafe: true})
		cancel()
		if err == nil {
			stop(t, p)
		}
		if left := servers(t, filepath.Join(dir, "home", "data")); len(left) > 0 {
			t.Errorf("processes %v are left", left)
		}
	}
	start(t, dir)
}

func TestOtherMajorIsRefused(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	p := start(t, dir)
	stop(t, p)
	version := filepath.Join(p.layout.data, "PG_VERSION")
	if err := os.WriteFile(version, []byte("11\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := tryStart(t, dir)
	if err == nil || !strings.Contains(err.Error(), "PostgreSQL 11") || !strings.Contains(err.Error(), p.Version()) {
		t.Errorf("start on version 11: %v", err)
	}
}

func TestErrorSaysWhyTheServerDidNotStart(t *testing.T) {
	dir := filepath.Join(tempDir(t), "data")
	p := start(t, dir)
	stop(t, p)
	if err := os.Remove(filepath.Join(p.layout.data, "global", "pg_control")); err != nil {
		t.Fatal(err)
	}
	_, err := tryStart(t, dir)
	if err == nil || !strings.Contains(err.Error(), "could not find the database system") {
		t.Errorf("start without pg_control: %v", err)
	}
}

// The child has nothing of this process: neither its environment nor root's groups nor its terminal.
func TestChildInheritsNothing(t *testing.T) {
	t.Setenv("PGOPTIONS", "-c work_mem=1MB")
	t.Setenv("TABLEWRIGHT_SECRET_X", "hidden")
	t.Setenv("PGAPPNAME", "x")
	p := start(t, filepath.Join(tempDir(t), "data"))
	proc := fmt.Sprintf("/proc/%d/", p.PID())
	environ, err := os.ReadFile(proc + "environ")
	if err != nil {
		t.Fatal(err)
	}
	for v := range strings.SplitSeq(strings.Trim(string(environ), "\x00"), "\x00") {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "PATH", "LC_ALL", "TZ":
		case "PGDATA", "PG_GRANDPARENT_PID", "PGLOCALEDIR", "PGSYSCONFDIR": // set by the server itself
		default:
			t.Errorf("environment holds %s", v)
		}
	}
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if fields[0] == "Groups:" && os.Geteuid() == 0 && len(fields) > 1 {
			t.Errorf("supplementary groups %v", fields[1:])
		}
		if fields[0] == "Uid:" && fields[1] != strconv.Itoa(p.owner.uid) {
			t.Errorf("uid %v, want %d", fields[1:], p.owner.uid)
		}
	}
	if sid, err := syscall.Getpgid(p.PID()); err != nil || sid != p.PID() {
		t.Errorf("process group %d, %v", sid, err)
	}
}

// The window in which another goroutine could end the child's parent thread is too short to be hit on
// purpose, so this looks at the goroutine itself.
func TestSupervisorIsLockedToItsThread(t *testing.T) {
	start(t, filepath.Join(tempDir(t), "data"))
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	found := 0
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		if header, frames, _ := strings.Cut(stack, "\n"); strings.Contains(frames, "(*Postmaster).supervise") && strings.Contains(frames, "Wait") {
			found++
			if !strings.Contains(header, "locked to thread") {
				t.Errorf("%s waits for the child", header)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d supervisors wait for a child", found)
	}
}

// A login proves nothing: an older server may answer on the same socket.
func TestReadyMeansTheOwnChild(t *testing.T) {
	p := start(t, filepath.Join(tempDir(t), "data"))
	gone := make(chan struct{})
	answer := make(chan bool, 1)
	go func() { answer <- p.probe(t.Context(), p.PID()+1, gone) }()
	select {
	case <-answer:
		close(answer)
		t.Error("another server was taken for the child")
	case <-time.After(300 * time.Millisecond):
	}
	close(gone)
	<-answer
}
