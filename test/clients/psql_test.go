package clients

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// withPsql lets psql run the scripts of testdata/psql.
func withPsql(ctx context.Context, s *side) (string, error) {
	p := &psqlProgram{side: s}
	err := p.run(ctx)
	return p.out.String(), err
}

type psqlProgram struct {
	*side
	out bytes.Buffer
}

// say writes what was seen, a line each.
func (p *psqlProgram) say(thing, what string) {
	for line := range strings.Lines(what) {
		fmt.Fprintf(&p.out, "%s: %s\n", thing, strings.TrimRight(line, " \n"))
	}
}

func (p *psqlProgram) command(ctx context.Context, url string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "psql", append([]string{"-X", "-P", "pager=off", "-v", "SHOW_CONTEXT=never"}, args...)...)
	cmd.Args = append(cmd.Args, url)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "HOME=/nonexistent", "PGTZ=UTC"}
	return cmd
}

// varying is what says nothing about the server's being right: its port, the cipher that both sides of an
// encrypted connection agree on, and the places in PostgreSQL's own source that errors have.
var varying = regexp.MustCompile(`at port "\d+"|cipher: \w+|(?m)^LOCATION: .*\n`)

// output is what psql prints, errors included: how it ends is not the server's to say.
func (p *psqlProgram) output(ctx context.Context, url string, args ...string) (string, error) {
	out, err := p.command(ctx, url, args...).CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && (!exited || ctx.Err() != nil) {
		return "", errors.Join(err, ctx.Err())
	}
	return varying.ReplaceAllString(string(out), ""), nil
}

func (p *psqlProgram) run(ctx context.Context) error {
	_, local, _ := strings.Cut(p.url(), "?")
	for _, url := range []string{p.url(), strings.Replace(p.url(), local, "sslmode=disable", 1), strings.Replace(p.url(), "geheim", "wrong", 1)} {
		said, err := p.output(ctx, url, "-c", `\conninfo`)
		if err != nil {
			return err
		}
		if at := strings.Index(said, "FATAL:"); at >= 0 {
			said = said[at:]
		}
		p.say("connect", said)
	}
	sections := []string{"ddl", "types", "error", "fetch"}
	if p.name == "gateway" {
		sections = append(sections, "gateway_fetch")
	}
	for _, section := range sections {
		said, err := p.script(ctx, section)
		if err != nil {
			return err
		}
		p.say(strings.Replace(section, "_", " ", 1), said)
	}
	for _, do := range []func(context.Context) error{p.notices, p.slow, p.cancel, p.pool} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *psqlProgram) script(ctx context.Context, name string) (string, error) {
	var args []string
	schema := fmt.Sprintf(`"pg.%s"`, p.client)
	for variable, value := range map[string]string{
		"schema": schema, "item": schema + ".item", "typed": schema + ".typed", "gone": schema + ".gone", "bad": schema + ".bad",
		"big": `"pg.shared".big`, "definition": definition(), "values": values(), "literals": literals(),
	} {
		args = append(args, "-v", variable+"="+value)
	}
	file := fmt.Sprintf("testdata/psql/%s.sql", name)
	said, err := p.output(ctx, p.url(), append(args, "-f", file)...)
	return strings.ReplaceAll(said, "psql:"+file, name), err
}

// told runs statements and calls back with the first notice, while they run.
func (p *psqlProgram) told(ctx context.Context, first func(*os.Process) error, statements ...string) (lines []string, err error) {
	args := []string{"-v", "VERBOSITY=verbose"}
	for _, sql := range statements {
		args = append(args, "-c", sql)
	}
	cmd := p.command(ctx, p.url(), args...)
	errorsOut, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var failed error
	notices := 0
	for scanner := bufio.NewScanner(errorsOut); scanner.Scan(); {
		line := scanner.Text()
		if strings.HasPrefix(line, "NOTICE:") || strings.HasPrefix(line, "ERROR:") {
			lines = append(lines, line)
		}
		if strings.HasPrefix(line, "NOTICE:") {
			if notices++; notices == 1 {
				failed = first(cmd.Process)
			}
		}
	}
	err = cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		err = nil
	}
	return lines, errors.Join(err, failed, ctx.Err())
}

func (p *psqlProgram) notices(ctx context.Context) error {
	release, err := lockKeyOf(ctx, p.side)
	if err != nil {
		return err
	}
	seen, err := p.told(ctx, func(*os.Process) error { return release() }, noticeAndLock(p.client))
	p.say("notice", strings.Join(seen, "\n"))
	return err
}

// interrupt is Ctrl-C.
func interrupt(process *os.Process) error { return process.Signal(os.Interrupt) }

func (p *psqlProgram) cancel(ctx context.Context) error {
	seen, err := p.told(ctx, interrupt, noticeAndSleep)
	p.say("cancel", strings.Join(seen, "\n"))
	return err
}

func (p *psqlProgram) slow(ctx context.Context) error {
	if p.name != "gateway" {
		return nil
	}
	if _, err := p.output(ctx, p.url(), "-c", fmt.Sprintf(`CREATE TABLE "slow.%s".parent (id int PRIMARY KEY)`, p.client)); err != nil {
		return err
	}
	release, err := lockParent(ctx, p.client)
	if err != nil {
		return err
	}
	seen, err := p.told(ctx, func(*os.Process) error { return release() }, child(p.client), fmt.Sprintf(`DROP TABLE "slow.%s".child`, p.client))
	if err != nil || len(seen) == 0 || !strings.Contains(seen[0], "started for CREATE TABLE") {
		return fmt.Errorf("%q: %w", seen, err)
	}
	p.say("gateway notice", "started, then the end")
	if release, err = lockParent(ctx, p.client); err != nil {
		return err
	}
	if seen, err = p.told(ctx, interrupt, child(p.client)); err != nil {
		return err
	}
	p.say("gateway cancel", seen[len(seen)-1])
	return release()
}

// pool is as many psql as a pool has connections, side by side.
func (p *psqlProgram) pool(ctx context.Context) error {
	sum, err := together(func(arrive func()) (n int, err error) {
		cmd := p.command(ctx, p.url(), "-At")
		in, err := cmd.StdinPipe()
		if err != nil {
			return 0, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return 0, err
		}
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		var one int
		if _, err := fmt.Fprintln(in, "SELECT 1;"); err != nil {
			return 0, err
		}
		if _, err := fmt.Fscanln(out, &one); err != nil {
			return 0, errors.Join(err, cmd.Wait())
		}
		arrive()
		_, err = io.WriteString(in, fmt.Sprintf(`SELECT sum(id) + 1 FROM "pg.%s".item WHERE id <= 2;`+"\n", p.client))
		if err != nil {
			return 0, err
		}
		_, err = fmt.Fscanln(out, &n)
		return n, errors.Join(err, in.Close(), cmd.Wait())
	})
	p.say("pool", fmt.Sprintf("%d psql, %d", poolSize, sum))
	return err
}
