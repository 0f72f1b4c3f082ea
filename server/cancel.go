package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/tablewright/tablewright/session"
)

// cancelRegistry finds the session that a CancelRequest means.
type cancelRegistry struct {
	mu      sync.Mutex
	next    uint32
	targets map[uint32]cancelTarget
}

type cancelTarget struct {
	secret  uint32
	session *session.Session
}

func newCancelRegistry() *cancelRegistry {
	return &cancelRegistry{targets: map[uint32]cancelTarget{}}
}

// add makes a key for a session: a process id that is unique in this gateway, and a random secret.
func (r *cancelRegistry) add(s *session.Session) (pid, secret uint32, err error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, 0, fmt.Errorf("make cancel key: %w", err)
	}
	secret = binary.BigEndian.Uint32(b[:])
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		r.next = r.next%(1<<30) + 1
		if _, taken := r.targets[r.next]; !taken {
			break
		}
	}
	r.targets[r.next] = cancelTarget{secret, s}
	return r.next, secret, nil
}

func (r *cancelRegistry) remove(pid uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.targets, pid)
}

// cancel cancels what the key's session runs. A wrong key does nothing and takes as long.
func (r *cancelRegistry) cancel(ctx context.Context, pid, secret uint32) {
	r.mu.Lock()
	target, found := r.targets[pid]
	r.mu.Unlock()
	var got, want [4]byte
	binary.BigEndian.PutUint32(got[:], secret)
	binary.BigEndian.PutUint32(want[:], target.secret)
	if subtle.ConstantTimeCompare(got[:], want[:]) == 1 && found {
		target.session.Cancel(ctx)
	}
}
