package cli

import (
	"bytes"
	"errors"
	"os"
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

// TestASparedAnswerGoesOn: a loop whose output is lost gets one report and writes on.
func TestASparedAnswerGoesOn(t *testing.T) {
	reported := 0
	a := &Answer{W: &failing{left: 1, err: syscall.ENOSPC}}
	a.Spare(func(error) { reported++ })
	for range 3 {
		if n, err := a.Write([]byte("line")); n != 4 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if reported != 1 || a.Failure() != nil || a.Reading() != nil {
		t.Errorf("reported %d times, %v", reported, errors.Join(a.Failure(), a.Reading()))
	}
}
