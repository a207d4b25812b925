package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/wal"
)

func TestWorstOfSeveralCodes(t *testing.T) {
	for _, x := range []struct {
		codes []int
		want  int
	}{
		{nil, ExitDone},
		{[]int{ExitChanges}, ExitChanges},
		{[]int{ExitChanges, ExitBlocked}, ExitBlocked},
		{[]int{ExitBlocked, ExitClaimed}, ExitClaimed},
		{[]int{ExitClaimed, ExitConflict, ExitChanges}, ExitConflict},
		{[]int{ExitConflict, ExitUnreachable}, ExitUnreachable},
		{[]int{ExitUnreachable, ExitFailed}, ExitFailed},
		{[]int{ExitFailed, ExitError}, ExitError},
		{[]int{ExitError, ExitInterrupted}, ExitInterrupted},
	} {
		if got := Worst(x.codes...); got != x.want {
			t.Errorf("Worst of %v: %d, want %d", x.codes, got, x.want)
		}
	}
}

func TestCodeOfErrors(t *testing.T) {
	for name, x := range map[string]struct {
		err  error
		want int
	}{
		"none":                 {nil, ExitDone},
		"any":                  {fmt.Errorf("something"), ExitError},
		"already reported":     {ExitStatus(ExitFailed), ExitFailed},
		"wrong configuration":  {source.Problems{{Summary: "wrong"}}, ExitError},
		"interrupted":          {fmt.Errorf("observe: %w", context.Canceled), ExitInterrupted},
		"the log is in use":    {fmt.Errorf("open: %w", &wal.LockedError{Err: context.DeadlineExceeded}), ExitClaimed},
		"the store is in use":  {fmt.Errorf("open: %w", storage.ErrBusy), ExitClaimed},
		"the store is damaged": {fmt.Errorf("open: %w", storage.ErrCorrupt), ExitError},
	} {
		if got := CodeOf(x.err); got != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
}

// TestEveryProblemIsReported: all problems of a source at once, each with its position.
func TestEveryProblemIsReported(t *testing.T) {
	at := position.Position{File: "ovi.yaml", Line: 3, Column: 5}
	got := Diagnose(source.Problems{{At: at, Ref: "ec2/web", Summary: "no such size", Suggestion: `write "t3.micro"`}, {Summary: "second"}})
	if len(got) != 2 || got[0].Line != 3 || got[0].Column != 5 || got[0].Summary != "no such size" || got[0].Resource != "ec2/web" || got[0].Suggestion == "" {
		t.Errorf("got %+v", got)
	}
}

// TestALongNameIsNotPrintedWhole: whichever field of an error or a warning has it, for people and for programs.
func TestALongNameIsNotPrintedWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 100_000)
	for _, encoder := range []func(io.Writer) render.Encoder{func(io.Writer) render.Encoder { return nil }, render.NewJSON, render.NewYAML} {
		var out, errs bytes.Buffer
		o := &Output{W: &out, ErrW: &errs, Enc: encoder(&out), Answer: &Answer{}}
		o.Report(render.Diagnostic{
			Summary: "invalid name " + long, Detail: long, File: long, Line: 1, Resource: "s3/" + long, Resources: []string{long},
			Used: long, Suggestion: "write " + long + " otherwise",
		})
		o.Warn(long, long)
		text := out.String() + errs.String()
		if len(text) > 8<<10 || !strings.Contains(text, "nnn…") || !strings.Contains(text, "otherwise") {
			t.Errorf("%d bytes: %.300s", len(text), text)
		}
	}
}
