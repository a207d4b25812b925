package gitclone_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/gitclone"
)

// TestAServerThatSaysNothing ends a fetch by the deadline of the call, and the program that waits for the server with
// it. The error names the deadline; it is no refusal.
func TestAServerThatSaysNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ssh, ended := filepath.Join(dir, "ssh"), filepath.Join(dir, "ended")
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\nread never\necho it ended by itself >"+ended+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := gitclone.Clone{
		Dir: filepath.Join(dir, "clone"), Remote: "ssh://git@git.example.com/none.git",
		Env: func(name string) (string, bool) {
			if name == "GIT_SSH_COMMAND" {
				return ssh, true
			}
			return os.LookupEnv(name)
		},
	}
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Wait = 200 * time.Millisecond
	err := c.Fetch(t.Context(), []string{"refs/heads/main"})
	var failed *gitclone.Error
	if !errors.As(err, &failed) || !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "git fetch: no answer within 200ms") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(ended); err == nil {
		t.Error("the program was not ended")
	}
}
