package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/cli/clitest"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
)

// TestWhatCannotBeWrittenEndsTheCommand with an error, reported once and on standard error;
// a reader that exits does not.
func TestWhatCannotBeWrittenEndsTheCommand(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--output", "json"}, {"kinds"}, {"help"}, {"completion", "bash"}} {
		for _, x := range []struct {
			err      error
			code     int
			reported int
		}{{syscall.ENOSPC, cli.ExitError, 1}, {syscall.EIO, cli.ExitError, 1}, {syscall.EPIPE, cli.ExitDone, 0}} {
			var errs bytes.Buffer
			none := func(string) (string, bool) { return "", false }
			code := run(t.Context(), context.Background(), args, none, strings.NewReader(""), &clitest.Failing{Err: x.err}, &errs)
			if n := strings.Count(errs.String(), "cannot write the output: "+x.err.Error()); code != x.code || n != x.reported {
				t.Errorf("ovi %s, %v: exit code %d, reported %d times\n%s", strings.Join(args, " "), x.err, code, n, errs.String())
			}
		}
	}
}

// TestALostAnswerHidesNothing: how a command ended is reported as well, and the worse code wins.
func TestALostAnswerHidesNothing(t *testing.T) {
	for _, x := range []struct {
		err      error
		code     int
		reported string
	}{
		{nil, cli.ExitError, ""},
		{cli.ExitStatus(cli.ExitFailed), cli.ExitError, ""},
		{cli.ExitStatus(cli.ExitInterrupted), cli.ExitInterrupted, ""},
		{fmt.Errorf("the other thing"), cli.ExitError, "the other thing"},
	} {
		var errs bytes.Buffer
		a := &cli.Answer{W: &clitest.Failing{Err: syscall.ENOSPC}}
		_, _ = a.Write([]byte("lost"))
		c := &command.Call{Process: &command.Process{Process: cli.Process{Answer: a}}, Out: &cli.Output{W: a, ErrW: &errs, Answer: a}}
		err := c.Ended(x.err)
		if cli.CodeOf(err) != x.code || !strings.Contains(errs.String(), x.reported) || strings.Count(errs.String(), "cannot write the output") != 1 {
			t.Errorf("%v: exit code %d\n%s", x.err, cli.CodeOf(err), errs.String())
		}
	}
}

// TestManyWarningsOfOneKind are counted from the sixth on, with one suggestion.
func TestManyWarningsOfOneKind(t *testing.T) {
	var errs bytes.Buffer
	c := &command.Call{Process: &command.Process{}, Out: &cli.Output{W: &errs, ErrW: &errs}}
	what := make([]string, 40)
	for i := range what {
		what[i] = fmt.Sprintf("ec2/web-%d is claimed", i)
	}
	reconcile.WarnOf(c, what, "wait")
	reconcile.WarnOf(c, what[:6], "wait longer")
	want := "Warning: ec2/web-4 is claimed\nWarning: and 35 more like these\n  Suggestion: wait\n"
	if got := errs.String(); !strings.Contains(got, want) || !strings.Contains(got, "web-5 is claimed\n  Suggestion: wait longer\n") || strings.Count(got, "Suggestion:") != 2 {
		t.Error(got)
	}
}
