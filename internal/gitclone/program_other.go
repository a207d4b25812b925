//go:build !unix

package gitclone

import (
	"context"
	"errors"
	"os/exec"
)

// command returns the command of git. Its memory is not limited.
func command(ctx context.Context, _ int64, args []string) (*exec.Cmd, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, errors.New("the program git is missing: install git 2.39 or later")
	}
	return exec.CommandContext(ctx, git, args...), nil
}

// grouped does nothing where there are no process groups: git alone ends with the context.
func grouped(*exec.Cmd) {}
