package session

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// runJob runs WAIT FOR JOB, CANCEL JOB and RETRY JOB. A session sees its own jobs, and so much more as
// the history's views show it.
func (s *Session) runJob(ctx context.Context, st *routed, ext *parse.Job) error {
	settings, err := s.settings(ctx)
	if err != nil {
		return err
	}
	id, err := s.visibleJob(ctx, st, ext)
	if err != nil {
		return err
	}
	if ext.Verb == parse.RetryJob {
		return s.retryJob(ctx, st, id, settings)
	}
	if ext.Verb == parse.CancelJob {
		err = s.gateway.Deployer.CancelJob(ctx, id)
	} else {
		if settings.WaitTimeout, err = waitTimeout(st, ext, settings.WaitTimeout); err != nil {
			return err
		}
		err = s.gateway.Deployer.WaitForJob(ctx, id, settings, sessionNotifier{s, settings.ClientMinMessages})
	}
	if err != nil {
		return err
	}
	s.held = CommandComplete{ext.Tag()}
	return nil
}

// visibleJob reads the id and looks whether the session may see such a job.
func (s *Session) visibleJob(ctx context.Context, st *routed, ext *parse.Job) (uuid.UUID, error) {
	position := st.parsed.Position(ext.ID.Start)
	id, err := uuid.Parse(ext.ID.Value)
	if err != nil {
		return id, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type uuid: \"%s\"", ext.ID.Value).At(position)
	}
	found, err := s.QueryText(ctx, "select pg_catalog.count(*)::pg_catalog.text from tablewright.jobs where job_id operator(pg_catalog.=) $1::pg_catalog.uuid", id.String())
	if err != nil {
		return id, err
	}
	if found == "0" {
		return id, sqlerr.New(sqlerr.UndefinedObject, "job \"%s\" does not exist", id).At(position)
	}
	return id, nil
}

// waitTimeout is the TIMEOUT of the statement, or the session's.
func waitTimeout(st *routed, ext *parse.Job, otherwise time.Duration) (time.Duration, error) {
	if ext.Timeout == nil {
		return otherwise, nil
	}
	d, ok := parseInterval(ext.Timeout.Value)
	if !ok {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid timeout: \"%s\"", ext.Timeout.Value).
			WithHint("Valid units are \"us\", \"ms\", \"s\", \"min\", \"h\", and \"d\".").At(st.parsed.Position(ext.Timeout.Start))
	}
	return d, nil
}

// waitForOther waits for the job that makes what a statement wants only if it is absent.
func (s *Session) waitForOther(ctx context.Context, p *plan.Plan, settings deploy.Settings) error {
	id, err := uuid.Parse(p.WaitJob)
	if err != nil {
		return err
	}
	return s.gateway.Deployer.WaitForJob(ctx, id, settings, sessionNotifier{s, settings.ClientMinMessages})
}
