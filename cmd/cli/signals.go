package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// ErrInterrupted is why a context ended after Ctrl-C.
var ErrInterrupted = errors.New("interrupted")

// Interrupts gives two contexts: the first ends at the first Ctrl-C (or SIGTERM) and lets actions
// in flight finish; the second ends at the second one and cancels them. A third one kills the
// process. Nothing recorded is lost by either.
func Interrupts(parent context.Context) (soft, hard context.Context, stop func()) {
	hard, cut := context.WithCancelCause(parent)
	soft, finish := context.WithCancelCause(hard)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	// SIGPIPE is caught and not acted on: otherwise a reader of the output that exits, as in
	// `| head`, would kill an apply between two calls. The write fails instead, and Answer drops
	// it. It is not ignored, because programs that fetch credentials would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		for _, end := range []context.CancelCauseFunc{finish, cut} {
			if _, open := <-signals; !open {
				return
			}
			end(ErrInterrupted)
		}
		signal.Stop(signals)
	}()
	return soft, hard, func() {
		signal.Stop(signals)
		close(signals)
	}
}

// Hangup ends the context at SIGHUP too: a terminal or an ssh session that closes must not kill an
// apply between a call and its record. Where the signal is ignored, as under nohup, it stays so.
func Hangup(parent context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(parent)
	}
	return signal.NotifyContext(parent, syscall.SIGHUP)
}
