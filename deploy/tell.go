package deploy

import (
	"context"
	"fmt"
	"time"

	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/home/history"
)

// teller tells a waiting client how its job goes: that it was started, once it runs longer than
// notice_after; then each change; else now and then that nothing changed.
type teller struct {
	w         waiting
	first     *time.Timer
	interval  *time.Timer
	heartbeat *time.Timer
	started   bool
	told      string
	count     int
}

func newTeller(w waiting) *teller {
	t := &teller{w: w, first: time.NewTimer(w.settings.NoticeAfter), interval: time.NewTimer(maxDuration), heartbeat: time.NewTimer(heartbeatInterval)}
	return t
}

func (t *teller) stop() {
	t.first.Stop()
	t.interval.Stop()
	t.heartbeat.Stop()
}

// start sends the first notice.
func (t *teller) start(ctx context.Context, job history.Job) {
	t.started = true
	w := t.w.work
	var detail string
	if n := len(w.Plan.Steps); n > 0 {
		step := w.Plan.Steps[n-1]
		detail = fmt.Sprintf("Catalog \"%s\" (%s), target %s.", step.Catalog.Name, step.Catalog.Type, step.Target.Name)
	}
	t.say(ctx, plan.Notice{
		Message: fmt.Sprintf("job %s started for %s \"%s\"", w.JobID, w.Plan.Tag, w.Plan.Target),
		Detail:  detail,
		Hint:    goesOn(t.w.alone) + fmt.Sprintf(" SHOW JOB '%s', WAIT FOR JOB '%s' and CANCEL JOB '%s' follow it.", w.JobID, w.JobID, w.JobID),
	})
	t.see(ctx, job)
}

// goesOn says what becomes of the job when nobody waits for it any more.
func goesOn(alone bool) string {
	if alone {
		return "It goes on if the connection is lost."
	}
	return "It is undone if the connection is lost before COMMIT answers."
}

// see tells a change of state or progress.
func (t *teller) see(ctx context.Context, job history.Job) {
	text := string(job.State)
	if p := job.Progress.String(); p != "" {
		text += ", " + p
	}
	if !t.started || job.State == "" || text == t.told {
		return
	}
	t.told = text
	t.progress(ctx)
}

// repeat tells the same again when nothing has changed for a while.
func (t *teller) repeat(ctx context.Context, _ history.Job) {
	if t.started && t.told != "" {
		t.progress(ctx)
	}
}

// beat keeps the connection from looking dead.
func (t *teller) beat(ctx context.Context, _ history.Job) {
	t.say(ctx, plan.Notice{Message: fmt.Sprintf("job %s: still %s", t.w.work.JobID, t.told)})
}

func (t *teller) progress(ctx context.Context) {
	if t.count >= progressNoticesMax {
		return
	}
	t.count++
	t.say(ctx, plan.Notice{Message: fmt.Sprintf("job %s: %s", t.w.work.JobID, t.told)})
}

func (t *teller) say(ctx context.Context, n plan.Notice) {
	n.Severity, n.Code = "NOTICE", sqlerr.SuccessfulCompletion
	t.w.notifier.Notify(ctx, n)
	t.interval.Reset(max(t.w.settings.NoticeInterval, time.Millisecond))
	t.heartbeat.Reset(heartbeatInterval)
}
