package session

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/home"
)

// completions are what a home commit brings with it: which objects the shadows stand for, and the ends of the jobs
// that have made them. Nobody sees a shadow whose object is made and not known.
type completions struct {
	list []completion
	run  *deploy.Run
}

// completion is what is told of one shadow.
type completion struct {
	relation uint32
	patch    home.RelationPatch
	ends     uuid.UUID // the job that ends with the commit; zero when something remains for it to do
}

func (c completion) statement() (string, error) {
	oid := strconv.FormatUint(uint64(c.relation), 10)
	if c.ends == uuid.Nil {
		return c.patch.Statement(oid)
	}
	return c.patch.Completion(oid, c.ends)
}

// completions of the staged statements, now that what comes before the commit is done.
func (s *Session) completions(staged []stagedStatement, run *deploy.Run) *completions {
	c := &completions{run: run}
	for _, st := range staged {
		if st.relation == 0 {
			continue
		}
		one := completion{relation: st.relation}
		if st.patch != nil {
			one.patch = *st.patch
		}
		identity, made := run.Made(st.jobID)
		switch {
		case made:
			one.patch.State, one.patch.Identity, one.patch.JobID = "ready", &identity, new(string)
			if run.Done(st.jobID) {
				one.ends = st.jobID
			}
		case st.patch == nil:
			continue
		}
		c.list = append(c.list, one)
	}
	return c
}

// add adds the statements that tell it.
func (c *completions) add(s *Session, x *exchange) error {
	if c == nil {
		return nil
	}
	for _, one := range c.list {
		sql, err := one.statement()
		if err != nil {
			return err
		}
		if err := s.addTicketed(x, sql, nil); err != nil {
			return err
		}
	}
	return nil
}

// answered takes the rows of the statements, each behind that of its ticket, once they are committed.
func (c *completions) answered(rows [][][]byte) {
	if c == nil {
		return
	}
	for i, one := range c.list {
		if one.ends != uuid.Nil && string(rows[2*i+1][0]) == "t" {
			c.run.Ended(one.ends)
		}
	}
}
