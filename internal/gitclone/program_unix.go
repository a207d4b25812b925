//go:build unix

package gitclone

import (
	"os/exec"
	"syscall"
)

// grouped gives git a process group, which ends with the context: the programs that git starts too.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
