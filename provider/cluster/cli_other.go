//go:build !linux

package cluster

import "os/exec"

// grouped does nothing: ovi creates clusters on Linux, and elsewhere ends the program alone.
func grouped(*exec.Cmd) {}
