package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

var errInterrupted = errors.New("interrupted")

// interrupts gives two contexts: the first ends at the first Ctrl-C (or SIGTERM) and lets
// what is in flight finish; the second ends at the second one and cuts it off. A third gets
// the system's own answer: the process dies. Nothing recorded is lost by either.
func interrupts(parent context.Context) (soft, hard context.Context, stop func()) {
	hard, cut := context.WithCancelCause(parent)
	soft, finish := context.WithCancelCause(hard)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// Heard and not acted on: else a reader of the output that goes away, as `| head` does, would
	// kill an apply between two calls. The write fails instead, and answer drops it. It is not
	// ignored, which the programs that fetch credentials would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		for _, end := range []context.CancelCauseFunc{finish, cut} {
			if _, open := <-signals; !open {
				return
			}
			end(errInterrupted)
		}
		signal.Stop(signals)
	}()
	return soft, hard, func() {
		signal.Stop(signals)
		close(signals)
	}
}

// hangup ends the context at SIGHUP too: a terminal or an ssh session that goes away must not
// kill an apply between a call and its record. Where it is ignored, as under nohup, it stays so.
func hangup(parent context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(parent)
	}
	return signal.NotifyContext(parent, syscall.SIGHUP)
}
