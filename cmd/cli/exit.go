package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

// The exit codes. docs/commands.md says what each means, and a script tests each.
const (
	ExitDone        = 0
	ExitError       = 1
	ExitChanges     = 2 // only with --detailed-exitcode
	ExitFailed      = 3
	ExitUnreachable = 4
	ExitClaimed     = 5
	ExitBlocked     = 6
	ExitConflict    = 7
	// Of `ovi cluster` alone, which has Kindler's codes: docs/clusters.md.
	ExitMissing     = 10
	ExitMismatch    = 11
	ExitUnobserved  = 12
	ExitRefused     = 13
	ExitInterrupted = 130
)

// Worst picks the code when several apply: what stopped everything, then what was tried and failed,
// then what was not tried, then what is merely different.
func Worst(codes ...int) int {
	for _, c := range []int{
		ExitInterrupted, ExitError, ExitFailed, ExitUnreachable, ExitConflict, ExitClaimed, ExitBlocked, ExitUnobserved,
		ExitMissing, ExitMismatch, ExitRefused, ExitChanges,
	} {
		if slices.Contains(codes, c) {
			return c
		}
	}
	return ExitDone
}

// Problem is an error with the file it concerns and what to do about it.
type Problem struct {
	Summary    string
	Detail     string
	File       string
	Suggestion string
	Err        error
}

func (p *Problem) Error() string {
	s := p.Summary
	if p.Err != nil {
		s += ": " + p.Err.Error()
	}
	return s
}

func (p *Problem) Unwrap() error { return p.Err }

// Usage is a mistake on the command line.
func Usage(suggestion, format string, args ...any) error {
	return &Problem{Summary: fmt.Sprintf(format, args...), Suggestion: suggestion}
}

// ExitStatus ends a command that has already reported everything.
type ExitStatus int

func (e ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Exit is an ExitStatus with the worst of the codes, or nil for 0.
func Exit(codes ...int) error {
	if c := Worst(codes...); c != ExitDone {
		return ExitStatus(c)
	}
	return nil
}

// CodeOf is the exit code of an error.
func CodeOf(err error) int {
	var s ExitStatus
	var p *Problem
	var locked *wal.LockedError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &s):
		return int(s)
	case errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &p):
		return ExitError
	case errors.As(err, &locked) || errors.Is(err, storage.ErrBusy):
		return ExitClaimed
	}
	return ExitError
}

// Diagnose turns an error into what is reported; nothing for an ExitStatus.
func Diagnose(err error) []render.Diagnostic {
	var s ExitStatus
	var all source.Problems
	var p *Problem
	switch {
	case err == nil || errors.As(err, &s):
		return nil
	case errors.As(err, &all):
		out := make([]render.Diagnostic, len(all))
		for i, x := range all {
			d := Diagnostic(x.Summary, x.Suggestion)
			d.Detail, d.File, d.Line, d.Column, d.Cell = x.Detail, x.At.File, x.At.Line, x.At.Column, x.At.Cell
			d.Used = x.At.Used
			switch {
			case x.Ref != "" && x.At.File != "":
				d.Resource, d.Resources = x.Ref, x.Same
			case x.Ref != "":
				d.Summary = x.Ref + ": " + x.Summary
			}
			out[i] = d
		}
		return out
	case errors.As(err, &p):
		d := Diagnostic(p.Error(), p.Suggestion)
		d.Detail, d.File = p.Detail, p.File
		return []render.Diagnostic{d}
	case CodeOf(err) == ExitInterrupted:
		return []render.Diagnostic{Diagnostic("interrupted", "run the same command again to continue")}
	}
	summary, _ := provider.Parted(err.Error()) // the suggestion has its own line
	return []render.Diagnostic{Diagnostic(summary, suggestionFor(err))}
}

// Diagnostic is an error in the form that is reported.
func Diagnostic(summary, suggestion string) render.Diagnostic {
	return render.Diagnostic{Type: "diagnostic", Severity: render.Error, Summary: summary, Suggestion: suggestion}
}

// suggestionFor knows what to do about errors of the data directory.
func suggestionFor(err error) string {
	var corrupt *wal.CorruptError
	var foreign *wal.ForeignError
	var locked *wal.LockedError
	switch {
	case resource.Suggestion(err) != "":
		return resource.Suggestion(err)
	case errors.As(err, &corrupt):
		return "nothing was changed; run `ovi audit verify` to find the damage, and restore the data directory from a copy"
	case errors.As(err, &foreign):
		return "nothing was changed; restore the own audit log from a copy, or choose another data directory with " +
			"--data-dir or OVI_DATA_DIR"
	case errors.As(err, &locked), errors.Is(err, storage.ErrBusy):
		return "wait for the other process, or use a longer --lock-timeout"
	case errors.Is(err, storage.ErrCorrupt):
		return "rebuild the store from the audit log with `ovi audit replay --repair`; the damaged file is kept"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space and run the same command again to continue"
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return "make the data directory writable, or choose another with --data-dir or OVI_DATA_DIR"
	case errors.Is(err, storage.ErrFuture), errors.Is(err, storage.ErrCompacted):
		return "run `ovi store status` to list the revisions that can be read"
	case errors.Is(err, storage.ErrNewer), errors.Is(err, wal.ErrVersion):
		return "use the version of ovi that wrote it, or a newer one"
	}
	return ""
}
