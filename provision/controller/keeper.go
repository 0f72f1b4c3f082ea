package controller

import (
	"context"
	"time"

	"github.com/tablewright/tablewright/k8s/api/v1alpha1"
)

// keep writes heartbeats, and what changed in the status, until ctx ends: a change of phase at once,
// anything else at most once in StatusWriteInterval. A holder that could not write for too long gives the
// job up before another instance may take it.
func (h *hold) keep(ctx context.Context) {
	beat := h.r.clock.NewTicker(v1alpha1.HeartbeatInterval)
	defer beat.Stop()
	var due <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C():
			h.keepAlive(ctx)
		case <-due:
			due = nil
			h.keepAlive(ctx)
		case <-h.wake:
			wait, needed := h.pause()
			switch {
			case !needed:
			case wait <= 0:
				h.keepAlive(ctx)
			case due == nil:
				due = h.r.clock.After(wait)
			}
		}
	}
}

// pause is how long what changed has to wait before it is written.
func (h *hold) pause() (wait time.Duration, needed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.dirty || h.urgent {
		return 0, h.dirty
	}
	return v1alpha1.StatusWriteInterval - h.r.clock.Since(h.lastWrite), true
}

func (h *hold) keepAlive(ctx context.Context) {
	err := h.flush(ctx)
	if err == nil || ctx.Err() != nil {
		return
	}
	h.mu.Lock()
	silent := h.r.clock.Since(h.lastWrite)
	h.mu.Unlock()
	h.log.Error(err, "status could not be written", "silent", silent.String())
	if silent >= holdExpiry {
		h.lose(errLost)
	}
}
