//go:build !unix

package gitclone

import "os/exec"

// grouped does nothing where there are no process groups: git alone ends with the context.
func grouped(*exec.Cmd) {}
