// Package socket reads and writes TCP and Unix sockets at less cost than package net does, on Linux.
//
// A gateway's work is short reads and writes that never wait for the other side. Package net makes each as a system call that
// may block: it is told to the scheduler, which takes the processor (its P) away from a call that lasts 20 µs and hands
// it to another thread. A write over loopback lasts that long, for the kernel carries the bytes to the receiver and
// wakes it on the way. Threads then take turns for nothing: a fifth of all that forwarding a short statement costs.
// Here the calls are made without a word to the scheduler (syscall.RawSyscall), in the runtime's own poller (through
// syscall.RawConn), so that deadlines and closing are package net's.
//
// The price is that a processor is held for as long as the kernel works, or waits for memory or the socket's own lock:
// long reads and writes, which copy much, go the usual way.
package socket
