package deploy

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// Hub hands the news of changed jobs to those who wait for them. One connection listens for the whole
// gateway, however many sessions wait.
type Hub struct {
	mu      sync.Mutex
	waiters map[uuid.UUID]map[chan struct{}]struct{}
}

// NewHub returns a hub that nobody listens to.
func NewHub() *Hub { return &Hub{waiters: map[uuid.UUID]map[chan struct{}]struct{}{}} }

// Watcher is where a hub's news come from: changed is called with a job's id, or with uuid.Nil when any
// job may have changed.
type Watcher interface {
	Watch(ctx context.Context, changed func(uuid.UUID), failed func(error)) error
}

// Run passes news on until ctx ends.
func (h *Hub) Run(ctx context.Context, w Watcher, failed func(error)) error {
	err := w.Watch(ctx, h.changed, failed)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (h *Hub) changed(id uuid.UUID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id != uuid.Nil {
		wake(h.waiters[id])
		return
	}
	for _, waiters := range h.waiters {
		wake(waiters)
	}
}

func wake(waiters map[chan struct{}]struct{}) {
	for c := range waiters {
		select {
		case c <- struct{}{}:
		default: // it has news waiting already
		}
	}
}

// Subscribe returns a channel that holds a value whenever the job may have changed.
func (h *Hub) Subscribe(id uuid.UUID) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiters[id] == nil {
		h.waiters[id] = map[chan struct{}]struct{}{}
	}
	h.waiters[id][c] = struct{}{}
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.waiters[id], c)
		if len(h.waiters[id]) == 0 {
			delete(h.waiters, id)
		}
	}
}
