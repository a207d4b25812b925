package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// failing is a writer that fails from some write on.
type failing struct {
	left int
	err  error
	got  bytes.Buffer
}

func (f *failing) Write(b []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: f.err}
	}
	return f.got.Write(b)
}

// TestWhatCannotBeWrittenEndsTheCommand with an error, told once and on standard error, whoever
// looked at the write; a reader that went away does not.
func TestWhatCannotBeWrittenEndsTheCommand(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--output", "json"}, {"kinds"}, {"help"}, {"completion", "bash"}} {
		for _, x := range []struct {
			err  error
			code int
			told int
		}{{syscall.ENOSPC, exitError, 1}, {syscall.EIO, exitError, 1}, {syscall.EPIPE, exitDone, 0}} {
			var errs bytes.Buffer
			none := func(string) (string, bool) { return "", false }
			code := run(t.Context(), context.Background(), args, none, strings.NewReader(""), &failing{err: x.err}, &errs)
			if n := strings.Count(errs.String(), "the output cannot be written: "+x.err.Error()); code != x.code || n != x.told {
				t.Errorf("ovi %s, %v: exit code %d, told %d times\n%s", strings.Join(args, " "), x.err, code, n, errs.String())
			}
		}
	}
}

// TestALostAnswerHidesNothing: how a command ended is told as well, and the worse code wins.
func TestALostAnswerHidesNothing(t *testing.T) {
	for _, x := range []struct {
		err  error
		code int
		told string
	}{
		{nil, exitError, ""},
		{exitStatus(exitFailed), exitError, ""},
		{exitStatus(exitInterrupted), exitInterrupted, ""},
		{fmt.Errorf("the other thing"), exitError, "the other thing"},
	} {
		var errs bytes.Buffer
		a := &answer{w: &failing{err: syscall.ENOSPC}}
		_, _ = a.Write([]byte("lost"))
		c := &call{process: &process{answer: a}, out: &output{w: a, errW: &errs, answer: a}}
		err := c.ended(x.err)
		if codeOf(err) != x.code || !strings.Contains(errs.String(), x.told) || strings.Count(errs.String(), "cannot be written") != 1 {
			t.Errorf("%v: exit code %d\n%s", x.err, codeOf(err), errs.String())
		}
	}
}

// TestASparedAnswerGoesOn: a loop whose output is lost is told once, and writes on.
func TestASparedAnswerGoesOn(t *testing.T) {
	told := 0
	a := &answer{w: &failing{left: 1, err: syscall.ENOSPC}}
	a.spare(func(error) { told++ })
	for range 3 {
		if n, err := a.Write([]byte("line")); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if told != 1 || a.failure() != nil || a.read() != nil {
		t.Errorf("told %d times, %v", told, errors.Join(a.failure(), a.read()))
	}
}

// TestManyWarningsOfOneKind are counted from the sixth on, and the way out is said once.
func TestManyWarningsOfOneKind(t *testing.T) {
	var errs bytes.Buffer
	c := &call{process: &process{}, out: &output{w: &errs, errW: &errs}}
	what := make([]string, 40)
	for i := range what {
		what[i] = fmt.Sprintf("ec2/web-%d is held", i)
	}
	c.warnOf(what, "wait")
	c.warnOf(what[:6], "wait longer")
	want := "warning: ec2/web-4 is held\nwarning: and 35 more like these\n  next: wait\n"
	if got := errs.String(); !strings.Contains(got, want) || !strings.Contains(got, "web-5 is held\n  next: wait longer\n") || strings.Count(got, "next:") != 2 {
		t.Error(got)
	}
}
