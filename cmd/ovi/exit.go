package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// The exit codes. docs/exit-codes.md says what each means and a script tests each.
const (
	exitDone        = 0
	exitError       = 1
	exitChanges     = 2 // only with --detailed-exitcode
	exitFailed      = 3
	exitUnreachable = 4
	exitHeld        = 5
	exitBlocked     = 6
	exitInterrupted = 130
)

// worst picks the code when several hold: what stopped everything first, then what was tried
// and failed, then what was not even tried, then what merely differs.
func worst(codes ...int) int {
	for _, c := range []int{exitInterrupted, exitError, exitFailed, exitUnreachable, exitHeld, exitBlocked, exitChanges} {
		if slices.Contains(codes, c) {
			return c
		}
	}
	return exitDone
}

// problem is an error with the place it concerns and what to do about it.
type problem struct {
	code    int
	summary string
	detail  string
	file    string
	next    string
	err     error
}

func (p *problem) Error() string {
	s := p.summary
	if p.err != nil {
		s += ": " + p.err.Error()
	}
	return s
}

func (p *problem) Unwrap() error { return p.err }

// usage is a mistake on the command line.
func usage(next, format string, args ...any) error {
	return &problem{code: exitError, summary: fmt.Sprintf(format, args...), next: next}
}

// exitStatus ends a command with a code and nothing more to say: the command said it.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// status is an exitStatus, or nil for 0.
func status(codes ...int) error {
	if c := worst(codes...); c != exitDone {
		return exitStatus(c)
	}
	return nil
}

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var s exitStatus
	var p *problem
	var held *wal.LockedError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &s):
		return int(s)
	case errors.Is(err, errInterrupted) || errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &p) && p.code != 0:
		return p.code
	case errors.As(err, &held) || errors.Is(err, storage.ErrBusy):
		return exitHeld
	}
	return exitError
}

// diagnose turns an error into what people are told; nothing for an exitStatus.
func diagnose(err error) []render.Diagnostic {
	var s exitStatus
	var all source.Problems
	var p *problem
	switch {
	case err == nil || errors.As(err, &s):
		return nil
	case errors.As(err, &all):
		out := make([]render.Diagnostic, len(all))
		for i, x := range all {
			out[i] = ofSource(x)
		}
		return out
	case errors.As(err, &p):
		d := diagnostic(p.Error(), p.next)
		d.Detail, d.File = p.detail, p.file
		return []render.Diagnostic{d}
	case codeOf(err) == exitInterrupted:
		return []render.Diagnostic{diagnostic("interrupted", "run the same command again: it goes on where this one stopped")}
	}
	return []render.Diagnostic{diagnostic(err.Error(), nextOf(err))}
}

func ofSource(p source.Problem) render.Diagnostic {
	d := diagnostic(p.Summary, p.Suggestion)
	d.Detail, d.File, d.Line, d.Column = p.Detail, p.At.File, p.At.Line, p.At.Column
	if p.Ref != "" {
		d.Summary = p.Ref + ": " + p.Summary
	}
	return d
}

func diagnostic(summary, next string) render.Diagnostic {
	return render.Diagnostic{Type: "diagnostic", Severity: render.Error, Summary: summary, Suggestion: next}
}

// nextOf knows what to do about the errors of the record.
func nextOf(err error) string {
	var corrupt *wal.CorruptError
	var held *wal.LockedError
	switch {
	case errors.As(err, &corrupt):
		return "nothing was changed; see where the log is damaged with `ovi audit verify`, and bring the data directory back from a copy"
	case errors.As(err, &held), errors.Is(err, storage.ErrBusy):
		return "wait for the other process, or give it longer with --lock-timeout"
	case errors.Is(err, storage.ErrCorrupt):
		return "rebuild it from the log, the damaged one is kept aside: ovi audit replay --repair"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room there, and run the same command again: it goes on where this one stopped"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return "the data directory must be writable for you: see --data-dir and OVI_DATA_DIR"
	case errors.Is(err, storage.ErrFuture), errors.Is(err, storage.ErrCompacted):
		return "see from which revision to which it can be read: ovi store status"
	case errors.Is(err, storage.ErrNewer), errors.Is(err, wal.ErrVersion):
		return "use the version of ovi that wrote it, or a newer one"
	}
	return ""
}
