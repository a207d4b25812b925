package cli

import (
	"errors"
	"syscall"
	"testing"

	"github.com/ovi-project/ovi/cmd/cli/clitest"
)

// TestASparedAnswerGoesOn: a loop whose output is lost gets one report and writes on.
func TestASparedAnswerGoesOn(t *testing.T) {
	reported := 0
	a := &Answer{W: &clitest.Failing{Left: 1, Err: syscall.ENOSPC}}
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
