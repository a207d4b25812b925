//go:build unix

package gitclone

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"syscall"
)

// limited is the script of a shell that becomes git, with a limit of its memory in KiB that all programs inherit. A
// lower limit of the user's stays.
const limited = `ulimit -d "$1" 2>/dev/null; shift; exec "$0" "$@"`

// command returns the command of git whose memory is limited. macOS keeps no such limit.
func command(ctx context.Context, most int64, args []string) (*exec.Cmd, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("the program git is missing: install git 2.39 or later")
	}
	args = append([]string{"-c", limited, git, strconv.FormatInt(most>>10, 10)}, args...)
	return exec.CommandContext(ctx, "/bin/sh", args...), nil
}

// grouped gives git a process group, which ends with the context: the programs that git starts too.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
