package cluster

import (
	"os/exec"
	"syscall"
)

// grouped gives a program a process group, which ends with the context, and lets it end with this
// process: otherwise it would go on beside the next run of ovi.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
