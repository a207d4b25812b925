package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/ovi-project/ovi/provider/cluster/system"
)

// grouped gives a program a process group, which ends with the context, and lets it end with this
// process: otherwise it would go on beside the next run of ovi.
func grouped(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// EndAll kills the processes of this host that have a variable in their environment, and returns once there are
// none. What has ended and was not waited for has no environment.
func EndAll(ctx context.Context, variable string) error {
	for {
		pids, err := having(variable)
		if err != nil || len(pids) == 0 {
			return err
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(system.Poll):
		}
	}
}

// having lists processes by a variable in their environment. Those of other users cannot be read, and are not
// this user's to end.
func having(variable string) (pids []int, err error) {
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		text, unreadable := os.ReadFile(file)
		pid, bad := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		has := slices.ContainsFunc(bytes.Split(text, []byte{0}), func(kv []byte) bool { return string(kv) == variable })
		if unreadable == nil && bad == nil && has {
			pids = append(pids, pid)
		}
	}
	return pids, err
}
