package session

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/parse"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/ddl/sqlerr"
	"github.com/tablewright/tablewright/deploy"
)

// retryJob does the work of a job again that has failed or was cancelled, as a new job of this session.
// A statement whose shadow went with its failure runs again as a whole; what only deletes goes on where
// it ended, for its shadow is gone.
func (s *Session) retryJob(ctx context.Context, st *routed, id uuid.UUID, settings deploy.Settings) error {
	if err := s.mayRetry(ctx, st, id); err != nil {
		return err
	}
	old, err := s.gateway.Deployer.Ended(ctx, id)
	if err != nil {
		return err
	}
	s.retryOf = id
	defer func() { s.retryOf = uuid.Nil }()
	if !slices.ContainsFunc(old.Steps, func(step plan.Step) bool { return step.Action != plan.Drop }) {
		err = s.retryDrop(ctx, st, old, settings)
	} else {
		err = s.repeat(ctx, st, old.Statement)
	}
	if err == nil {
		s.held = CommandComplete{"RETRY JOB"}
	}
	return err
}

// retryDrop goes on with what only deletes, as the session wishes it.
func (s *Session) retryDrop(ctx context.Context, st *routed, old *plan.Plan, settings deploy.Settings) error {
	if done, err := s.onlyPlanned(ctx, old, settings); done || err != nil {
		return err
	}
	if err := s.allowedNow(old, settings); err != nil {
		return err
	}
	stage := func() error {
		if _, err := s.lock(ctx, old); err != nil {
			return err
		}
		if err := expected(old, settings); err != nil {
			return err
		}
		return s.stage(ctx, st, old, settings)
	}
	if s.autocommits(settings) {
		return s.apart(ctx, &execution{}, stage)
	}
	return stage()
}

// mayRetry: a monitor sees the jobs of others, and does not repeat them.
func (s *Session) mayRetry(ctx context.Context, st *routed, id uuid.UUID) error {
	mine, err := s.QueryText(ctx, "select (submitter operator(pg_catalog.=) session_user)::pg_catalog.text from tablewright.jobs where job_id operator(pg_catalog.=) $1::pg_catalog.uuid", id.String())
	if err != nil {
		return err
	}
	if mine != "true" {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for job \"%s\"", id).
			WithDetail("Only the role that asked for it may repeat it.").At(st.parsed.Position(0))
	}
	return nil
}

// repeat runs the text of a job's statement.
func (s *Session) repeat(ctx context.Context, st *routed, text string) error {
	statements, err := parse.Split(text)
	if err != nil || len(statements) != 1 {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "the statement of the job cannot be repeated").
			WithDetail("%s", text).WithHint("Send it again, with its secrets.").At(st.parsed.Position(0))
	}
	again := *st
	again.parsed, again.text = &statements[0], statements[0].Text
	err = s.runDDL(ctx, &again, &execution{})
	if e, ok := errors.AsType[*sqlerr.Error](err); ok {
		return e.At(0) // its position is one of the old text
	}
	return err
}
