//go:build !linux

package command

import (
	"context"
	"os/exec"
)

// grouped does nothing: ovi creates clusters on Linux, and elsewhere ends the program alone.
func grouped(*exec.Cmd) {}

// endAll does nothing there either.
func endAll(context.Context, string) error { return nil }
