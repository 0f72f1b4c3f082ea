package socket

import (
	"sync"
	"syscall"
	"unsafe"
)

// transfer is a connection's reads, or its writes, of which one is under way at a time. It is kept with the
// connection, so that a call allocates nothing.
type transfer struct {
	try func(fd uintptr) (done bool)

	mu    sync.Mutex // held for a whole call
	bytes []byte
	n     int
	errno syscall.Errno
}

// run has poll call try until it is done, each time when the socket is ready. err is the poller's: a deadline that
// has passed, a connection that is closed.
func (t *transfer) run(poll func(try func(uintptr) bool) error, p []byte) (n int, errno syscall.Errno, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes, t.n, t.errno = p, 0, 0
	err = poll(t.try)
	t.bytes = nil
	return t.n, t.errno, err
}

// receive reads once.
func (t *transfer) receive(fd uintptr) (done bool) {
	n, errno := call(syscall.SYS_RECVFROM, fd, t.bytes, 0)
	if errno == syscall.EAGAIN {
		return false
	}
	t.n, t.errno = n, errno
	return true
}

// send writes what is left to write.
func (t *transfer) send(fd uintptr) (done bool) {
	for t.n < len(t.bytes) {
		n, errno := call(syscall.SYS_SENDTO, fd, t.bytes[t.n:], syscall.MSG_NOSIGNAL)
		if errno == syscall.EAGAIN {
			return false
		}
		if errno != 0 || n == 0 {
			t.errno = errno
			return true
		}
		t.n += n
	}
	return true
}

// call makes a system call that never waits for the other side, whatever has become of the descriptor's own
// O_NONBLOCK. p is not empty.
func call(trap, fd uintptr, p []byte, flags uintptr) (n int, errno syscall.Errno) {
	for {
		done, _, errno := syscall.RawSyscall6(trap, fd, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)), //nolint:gosec // as package syscall does
			flags|syscall.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(done), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
