package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"net"
	"sync"

	"github.com/tablewright/tablewright/limits"
	"github.com/tablewright/tablewright/session"
)

// reservedPIDMin is above every process id of Linux (its PID_MAX_LIMIT is 2^22): numbers from here on are the
// gateway's own, and never a home process's.
const reservedPIDMin = 1<<22 + 1

// cancelRegistry finds the session that a CancelRequest means.
type cancelRegistry struct {
	rates     *rates
	elsewhere func(ctx context.Context, pid, secret uint32)

	mu      sync.Mutex
	targets map[uint32]cancelTarget
}

type cancelTarget struct {
	secret  uint32
	session *session.Session
}

func newCancelRegistry(elsewhere func(ctx context.Context, pid, secret uint32)) *cancelRegistry {
	return &cancelRegistry{
		targets: map[uint32]cancelTarget{}, elsewhere: elsewhere,
		rates: newRates(limits.CancelRequestsPerSecondMax, limits.CancelBurstMax),
	}
}

// add makes a key for a session. pid is its home process's id; a session without a home connection gets a
// number that no process has.
func (r *cancelRegistry) add(s *session.Session, pid uint32) (_, secret uint32, err error) {
	if secret, err = randomNumber(); err != nil {
		return 0, 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if _, taken := r.targets[pid]; pid != 0 && !taken {
			break
		}
		n, err := randomNumber()
		if err != nil {
			return 0, 0, err
		}
		pid = reservedPIDMin + n%(1<<31-reservedPIDMin)
	}
	r.targets[pid] = cancelTarget{secret, s}
	return pid, secret, nil
}

func randomNumber() (uint32, error) {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		return 0, fmt.Errorf("make cancel key: %w", err)
	}
	return binary.BigEndian.Uint32(b[:]), nil
}

func (r *cancelRegistry) remove(pid uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.targets, pid)
}

// request is a CancelRequest of a client. One whose key is not known here is passed on: the session may be
// another gateway's. Who asks too often is not heard.
func (r *cancelRegistry) request(ctx context.Context, from net.Addr, pid, secret uint32) {
	if !r.rates.allow(from) {
		return
	}
	var got [4]byte
	binary.BigEndian.PutUint32(got[:], secret)
	known := r.cancel(ctx, pid, func(secret uint32) bool {
		var want [4]byte
		binary.BigEndian.PutUint32(want[:], secret)
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	})
	if !known {
		r.elsewhere(ctx, pid, secret)
	}
}

// cancel cancels what a session runs, when fits says that the secret is its own. A number that is not known
// is compared all the same, and takes as long.
func (r *cancelRegistry) cancel(ctx context.Context, pid uint32, fits func(secret uint32) bool) bool {
	r.mu.Lock()
	target, found := r.targets[pid]
	r.mu.Unlock()
	if !fits(target.secret) || !found {
		return false
	}
	target.session.Cancel(ctx)
	return true
}
