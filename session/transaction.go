package session

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tablewright/tablewright/ddl/catalog"
	"github.com/tablewright/tablewright/ddl/plan"
	"github.com/tablewright/tablewright/deploy"
	"github.com/tablewright/tablewright/home"
)

// transaction is what the session itself knows of the client's transaction, beyond the state that the
// home server last reported.
type transaction struct {
	// began and ended tell that a statement since the last ReadyForQuery opened or closed a block.
	began, ended bool
	// executed counts what ran since the last ReadyForQuery: more than none is an implicit transaction.
	executed int
	// touched tells that a statement of ours has run something at home since the last ReadyForQuery, whether or
	// not it came to its end: a Sync would commit that.
	touched bool
	// recovered tells that a ROLLBACK TO since the last ReadyForQuery has ended the block's failed state.
	recovered bool
	// staged are the statements of ours whose external work waits for the commit.
	staged []stagedStatement
	// savepoints remember how much was staged when each was set.
	savepoints []savepoint
	// orphans are secrets of statements that were rolled back: nothing refers to them.
	orphans []catalog.SecretKeyRef
	// write is an INSERT whose rows wait for the commit.
	write *pendingWrite
}

type stagedStatement struct {
	plan     *plan.Plan
	jobID    uuid.UUID
	relation uint32 // OID of the shadow that it made, 0 when it made none
	schema   uint32 // OID of the home schema that it made, 0 when it made none
	settings deploy.Settings
	homeXID  uint64
	retryOf  uuid.UUID // the job that it repeats; zero for a new statement
	alone    bool      // the only statement of its transaction
	// patch is what the registry is told of the new shadow with the commit; nil when it knows.
	patch *home.RelationPatch
	// ready tells that what could make the home commit fail was brought forward, and nothing has run since.
	ready bool
}

type savepoint struct {
	name   string
	staged int
}

// settled forgets what happened since the last ReadyForQuery: another one is on its way.
func (t *transaction) settled() {
	t.began, t.ended, t.executed, t.touched, t.recovered = false, false, 0, false, false
}

// discard forgets staged work: its transaction was rolled back.
func (t *transaction) discard() {
	t.abandon(t.staged)
	t.staged, t.savepoints, t.write = nil, nil, nil
}

// plans are those of the staged statements.
func (t *transaction) plans() []*plan.Plan {
	plans := make([]*plan.Plan, len(t.staged))
	for i, st := range t.staged {
		plans[i] = st.plan
	}
	return plans
}

// forgetDropped notes that shadows which the transaction had made are gone again.
func (t *transaction) forgetDropped(p *plan.Plan) {
	for _, step := range p.Steps {
		if step.Action != plan.Drop {
			continue
		}
		for i, st := range t.staged {
			if slices.ContainsFunc(st.plan.Steps, func(made plan.Step) bool { return made.Target.Name == step.Target.Name }) {
				t.staged[i].relation = 0
			}
		}
	}
}

// jobs are the ids of the staged statements' jobs.
func (t *transaction) jobs() []string {
	ids := make([]string, len(t.staged))
	for i, st := range t.staged {
		ids[i] = st.jobID.String()
	}
	return ids
}

// take hands the staged work over to the commit.
func (t *transaction) take() []stagedStatement {
	staged := t.staged
	t.staged, t.savepoints = nil, nil
	return staged
}

// abandon notes the secrets of statements that are not going to be committed.
func (t *transaction) abandon(staged []stagedStatement) {
	for _, st := range staged {
		for _, secret := range st.plan.Secrets {
			t.orphans = append(t.orphans, secret.Ref)
		}
	}
}

// inBlock tells whether an explicit transaction block is open; tx is the home server's last word.
func (t *transaction) inBlock(tx byte) bool {
	switch {
	case t.began:
		return true
	case t.ended:
		return false
	default:
		return tx != 'I'
	}
}

// control is a transaction statement.
type control struct {
	kind      controlKind
	savepoint string
	chain     bool   // AND CHAIN
	statement string // of closeStatements: the name, or
	all       bool   // all of them
}

type controlKind int

const (
	noControl controlKind = iota
	beginBlock
	commitBlock
	rollbackBlock
	setSavepoint
	releaseSavepoint
	rollbackToSavepoint
	prepareTransaction
	mayCommit       // CALL and DO: a procedure may commit, outside a block
	closeStatements // DEALLOCATE and DISCARD ALL
)

// controlled notes a transaction statement that the home server has carried out.
func (t *transaction) controlled(c control) {
	switch c.kind {
	case beginBlock:
		t.began, t.ended = true, false
	case commitBlock, rollbackBlock, prepareTransaction:
		t.began, t.ended = c.chain, !c.chain
		t.executed = 0
		t.discard()
	case setSavepoint:
		t.savepoints = append(t.savepoints, savepoint{c.savepoint, len(t.staged)})
	case releaseSavepoint:
		if i := t.find(c.savepoint); i >= 0 {
			t.savepoints = t.savepoints[:i]
		}
	case rollbackToSavepoint:
		t.recovered = true
		if i := t.find(c.savepoint); i >= 0 {
			t.abandon(t.staged[t.savepoints[i].staged:])
			t.staged = t.staged[:t.savepoints[i].staged]
			t.savepoints = t.savepoints[:i+1]
		} else {
			// Set before the session had anything to watch: all that is staged came after it.
			t.discard()
		}
	case noControl, mayCommit, closeStatements:
	}
}

func (t *transaction) find(name string) int {
	for i, s := range slices.Backward(t.savepoints) {
		if s.name == name {
			return i
		}
	}
	return -1
}

// transactionOpen tells whether the home server has a transaction open that an error of ours must fail.
func (s *Session) transactionOpen(tx byte) bool {
	return s.tx.executed > 0 || s.tx.touched || s.tx.inBlock(tx)
}

// severityRank orders the levels of client_min_messages. INFO is always sent.
func severityRank(severity string) int {
	switch severity {
	case "log", "LOG":
		return 1
	case "notice", "NOTICE":
		return 2
	case "warning", "WARNING":
		return 3
	case "error", "ERROR":
		return 4
	case "INFO":
		return 5
	default:
		return 0
	}
}
