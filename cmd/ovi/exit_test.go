package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

func TestWorstOfSeveralCodes(t *testing.T) {
	for _, x := range []struct {
		codes []int
		want  int
	}{
		{nil, exitDone},
		{[]int{exitChanges}, exitChanges},
		{[]int{exitChanges, exitBlocked}, exitBlocked},
		{[]int{exitBlocked, exitHeld}, exitHeld},
		{[]int{exitHeld, exitUnreachable}, exitUnreachable},
		{[]int{exitUnreachable, exitFailed}, exitFailed},
		{[]int{exitFailed, exitError}, exitError},
		{[]int{exitError, exitInterrupted}, exitInterrupted},
	} {
		if got := worst(x.codes...); got != x.want {
			t.Errorf("worst of %v: %d, want %d", x.codes, got, x.want)
		}
	}
}

func TestCodeOfErrors(t *testing.T) {
	for name, x := range map[string]struct {
		err  error
		want int
	}{
		"none":                 {nil, exitDone},
		"any":                  {fmt.Errorf("something"), exitError},
		"what a command said":  {exitStatus(exitFailed), exitFailed},
		"wrong wishes":         {source.Problems{{Summary: "wrong"}}, exitError},
		"interrupted":          {fmt.Errorf("look: %w", context.Canceled), exitInterrupted},
		"the log is in use":    {fmt.Errorf("open: %w", &wal.LockedError{Err: context.DeadlineExceeded}), exitHeld},
		"the store is in use":  {fmt.Errorf("open: %w", storage.ErrBusy), exitHeld},
		"the store is damaged": {fmt.Errorf("open: %w", storage.ErrCorrupt), exitError},
	} {
		if got := codeOf(x.err); got != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
}

// TestEveryProblemIsTold: all problems of a source are told at once, each with its place.
func TestEveryProblemIsTold(t *testing.T) {
	at := resource.Position{File: "ovi.yaml", Line: 3, Column: 5}
	got := diagnose(source.Problems{{At: at, Ref: "ec2/web", Summary: "no such size", Suggestion: `write "t3.micro"`}, {Summary: "second"}})
	if len(got) != 2 || got[0].Line != 3 || got[0].Column != 5 || got[0].Summary != "ec2/web: no such size" || got[0].Suggestion == "" {
		t.Errorf("got %+v", got)
	}
}
