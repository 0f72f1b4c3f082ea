package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// memory is what this process knows of an unfinished job beyond its status. Losing it costs an attempt.
type memory struct {
	uid     types.UID
	claimed bool      // by this process
	started time.Time // exact, where the status has whole seconds
	nextTry time.Time // not before
	undos   int       // failed tries of the undo
	hold    *hold     // while Reconcile works on the job
}

// tracker holds the memory of all jobs.
type tracker struct {
	mu   sync.Mutex
	jobs map[types.NamespacedName]*memory
}

func newTracker() *tracker { return &tracker{jobs: map[types.NamespacedName]*memory{}} }

// recall returns a copy of what is known of a job; nothing is known of another object of the name.
func (t *tracker) recall(job *v1alpha1.TableProvisionJob) memory {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m, ok := t.jobs[client.ObjectKeyFromObject(job)]; ok && m.uid == job.UID {
		return *m
	}
	return memory{uid: job.UID}
}

func (t *tracker) update(job *v1alpha1.TableProvisionJob, change func(*memory)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := client.ObjectKeyFromObject(job)
	m, ok := t.jobs[key]
	if !ok || m.uid != job.UID {
		m = &memory{uid: job.UID}
		t.jobs[key] = m
	}
	change(m)
}

func (t *tracker) forget(key types.NamespacedName) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.jobs, key)
}

// told passes a new state of a job to who works on it.
func (t *tracker) told(job *v1alpha1.TableProvisionJob) {
	if h := t.recall(job).hold; h != nil {
		h.noteSpec(job)
	}
}

// gone tells who works on a job that it was deleted.
func (t *tracker) gone(job *v1alpha1.TableProvisionJob) {
	if h := t.recall(job).hold; h != nil {
		h.lose(errGone)
	}
}
