// Package clitest has what tests of commands share.
package clitest

import (
	"bytes"
	"os"
)

// Failing is a writer that accepts Left writes, and fails with Err from then on.
type Failing struct {
	Left int
	Err  error
	Got  bytes.Buffer
}

// Write implements io.Writer.
func (f *Failing) Write(b []byte) (int, error) {
	if f.Left--; f.Left < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: f.Err}
	}
	return f.Got.Write(b)
}
