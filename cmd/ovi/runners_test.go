package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runner is a command with an empty data directory and an empty state home, as in a CI job.
func (s *site) runner(name, key string, args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := s.as(name, args...)
	cmd.Env = append(cmd.Env, "OVI_LOG_KEY_FILE="+key, "XDG_STATE_HOME="+filepath.Join(s.t.TempDir(), "state"))
	return cmd
}

// exits runs a command, which must exit with a code, and returns what it printed.
func exits(t *testing.T, cmd *exec.Cmd, want string) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	code := "0"
	if err != nil {
		code = exitText(err)
	}
	if code != want {
		t.Errorf("ovi %s: exit code %s, want %s\n%s", strings.Join(cmd.Args[1:], " "), code, want, out)
	}
	return string(out)
}

// machines is a configuration with some instances.
func machines(names ...string) string {
	out := "version: v1\nprovider: aws\nregion: us-east-1\nstack: fleet\n" +
		"resources:\n  - {type: security_group, name: base, description: all}\n"
	for _, name := range names {
		out += fmt.Sprintf("  - {type: ec2, name: %s, size: t3.micro}\n", name)
	}
	return out
}

// TestRunnersThatStartEmptyShareAKey: six runs on empty directories raise no alert. The seventh deletes what the first
// made, and nothing that a stranger adopted who may write the store and has another key.
func TestRunnersThatStartEmptyShareAKey(t *testing.T) {
	t.Parallel()
	for _, required := range []bool{false, true} {
		t.Run(fmt.Sprint("required ", required), func(t *testing.T) { runnersShareAKey(t, required) })
	}
}

func runnersShareAKey(t *testing.T, required bool) {
	s := newSite(t, machines("web"))
	key := filepath.Join(s.dir, "log.key")
	if out, err := exec.Command("openssl", "genpkey", "-algorithm", "ed25519", "-out", key).CombinedOutput(); err != nil {
		t.Skipf("openssl: %v\n%s", err, out)
	}
	for i := range 6 {
		exits(t, s.runner(fmt.Sprint("run-", i), key, "apply", "--sandbox", "--auto-approve"), "0")
	}
	made := s.made()

	// an instance was made by hand, and a stranger adopts it in the store of the team
	found := regexp.MustCompile(`i-[0-9a-f]+`).FindString(s.run("hand", "0", "sandbox", "break", "create", "ec2", "precious"))
	home := filepath.Join(t.TempDir(), "state")
	stranger := func(args ...string) {
		cmd := s.as("eve", args...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+home)
		exits(t, cmd, "0")
	}
	writeConfig(t, s.dir, machines("web", "precious"))
	stranger("adopt", "--sandbox", "ec2/precious", "--id", found)
	if required { // what one instance requires binds all
		stranger("store", "trust", "--required")
	}

	writeConfig(t, s.dir, machines())
	out := exits(t, s.runner("run-7", key, "apply", "--sandbox", "--auto-approve"), "6")
	if text := unwrapped(out); !strings.Contains(text, "ovi store trust") || !strings.Contains(text, "1 deleted") {
		t.Errorf("the seventh run says\n%s", out)
	}
	if got := s.made(); got != made {
		t.Errorf("%d instances are left, want %d: precious alone", got, made)
	}
	exits(t, s.runner("run-8", key, "destroy", "--sandbox", "--auto-approve"), "6")
	if got := s.made(); got != 1 {
		t.Errorf("%d instances are left after a destroy, want precious", got)
	}
	for i := range 9 {
		if i == 6 {
			continue
		}
		if out := exits(t, s.runner(fmt.Sprint("run-", i), key, "audit", "log", "--type", "key_pinned"), "0"); i < 6 && strings.Contains(out, "key_pinned") {
			t.Errorf("run %d pinned a key:\n%s", i, out)
		}
	}
}
