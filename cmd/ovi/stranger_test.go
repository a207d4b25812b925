package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// shell runs a script of a shell in a folder.
func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=eve", "GIT_AUTHOR_EMAIL=eve@example.org",
		"GIT_COMMITTER_NAME=eve", "GIT_COMMITTER_EMAIL=eve@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// strangersRepository is a repository whose author committed a signed data directory, links out of it, and settings and
// hooks of Git that run programs. The instance that its log calls created is not configured any more.
func strangersRepository(t *testing.T, base string) {
	t.Helper()
	author := filepath.Join(base, "author")
	if err := os.Mkdir(author, 0o755); err != nil {
		t.Fatal(err)
	}
	writeConfig(t, author, machines("web"))
	must(t, author, "apply", "--sandbox", "--auto-approve", "--quiet")
	writeConfig(t, author, machines())
	shell(t, base, `echo precious > victim
		cd author && git init -q --initial-branch=main .
		ln -s ../../../victim .ovi/wal/lock.tmp; ln -s ../../victim .ovi/settings.json.tmp; ln -s ../../victim .ovi/evil
		git add -f . && git commit -qm trap
		printf '#!/bin/sh\ntouch "$(git rev-parse --show-toplevel)/../PWNED"\n' | tee .git/hooks/post-checkout > .git/hooks/pre-commit
		chmod +x .git/hooks/*
		git config core.fsmonitor "touch ../PWNED; false"; git config core.sshCommand "touch ../PWNED; false"
		git config remote.origin.uploadpack "touch ../PWNED; git-upload-pack"
		tar cf ../a.tar .`)
}

// TestAStrangersRepositoryChangesNothing: cloned under any umask, copied, or unpacked by tar as root with and without
// the author's owner and modes, the repository of a stranger changes nothing of its victim, whichever command is run.
func TestAStrangersRepositoryChangesNothing(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"git", "tar", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	base := t.TempDir()
	strangersRepository(t, base)
	var calls atomic.Int64 // in the account of the victim
	account := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, act := range []string{"Terminate", "Delete", "Create", "Run", "Modify", "Put"} {
			if strings.Contains(string(body), "Action="+act) {
				calls.Add(1)
			}
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(account.Close)
	ways := map[string]string{
		"cloned, umask 000": "umask 000; git -c core.hooksPath=/dev/null clone -q author V",
		"cloned, umask 022": "umask 022; git -c core.hooksPath=/dev/null clone -q author V",
		"cloned, umask 077": "umask 077; git -c core.hooksPath=/dev/null clone -q author V",
		"copied":            "cp -a author V",
		"cloned, no links":  "umask 077; git -c core.hooksPath=/dev/null clone -q author V; find V/.ovi -type l -delete",
		"tar, no links":     "umask 077; mkdir V; tar xpf a.tar -C V; find V/.ovi -type l -delete; chmod -R go-rwx V/.ovi",
		"tar, its modes":    "mkdir V; tar xpf a.tar -C V",
		"tar, umask 077":    "umask 077; mkdir V; tar xf a.tar --no-same-owner --no-same-permissions -C V; chmod -R go-rwx V/.ovi",
	}
	if os.Getuid() == 0 {
		ways["tar, another owner"] = "mkdir V; tar xpf a.tar -C V; chown -hR 1000:1000 V"
		ways["share, all owned by root"] = "mkdir V; tar xpf a.tar -C V; chown -hR 0:0 V; find V/.ovi -type l -delete; chmod -R u=rwX,go= V/.ovi"
		ways["share, all open"] = "mkdir V; tar xpf a.tar -C V; find V/.ovi -type l -delete; chmod -R a+rwX V/.ovi"
	}
	for name, script := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			victim := filepath.Join(base, strings.NewReplacer(" ", "-", ",", "").Replace(name))
			shell(t, base, strings.ReplaceAll(script, "V", "'"+victim+"'"))
			for _, args := range [][]string{
				{"status"},
				{"plan"},
				{"apply", "--auto-approve"},
				{"destroy", "--auto-approve"},
				{"run", "--auto-approve", "--allow-destroy", "--interval", "1s"},
			} {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				cmd := ovi(t, victim, args...)
				cmd = exec.CommandContext(ctx, cmd.Path, args...)
				cmd.Dir = victim
				cmd.Env = append(ovi(t, victim).Env, "OVI_LOG_KEY_FILE=", "AWS_ENDPOINT_URL="+account.URL, "AWS_ACCESS_KEY_ID=AKIAVICTIM",
					"AWS_SECRET_ACCESS_KEY=not-a-real-key", "AWS_REGION=us-east-1", "AWS_MAX_ATTEMPTS=1")
				out, err := cmd.CombinedOutput()
				cancel()
				if text := string(out); err == nil || exitText(err) != "1" || !strings.Contains(text, ".ovi") {
					t.Errorf("ovi %s: %v\n%s", strings.Join(args, " "), err, text)
				}
			}
		})
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(filepath.Join(base, "victim")); err != nil || string(text) != "precious\n" {
			t.Errorf("the file of the victim has %q, %v", text, err)
		}
		if _, err := os.Stat(filepath.Join(base, "PWNED")); err == nil {
			t.Error("a program of the stranger ran")
		}
		if n := calls.Load(); n > 0 {
			t.Errorf("%d calls would have changed the account", n)
		}
	})
}

// TestARestoredCacheOfARunner: a fresh runner with the key of its jobs goes on with a restored data directory, without a
// terminal. One that another key signed stops it.
func TestARestoredCacheOfARunner(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	keys := map[string]string{}
	for _, name := range []string{"own", "foreign"} {
		keys[name] = filepath.Join(base, name+".key")
		if out, err := exec.Command("openssl", "genpkey", "-algorithm", "ed25519", "-out", keys[name]).CombinedOutput(); err != nil {
			t.Skipf("openssl: %v\n%s", err, out)
		}
	}
	job := func(dir, key string, args ...string) *exec.Cmd {
		cmd := ovi(t, dir, args...)
		cmd.Env = append(cmd.Env, "OVI_LOG_KEY_FILE="+keys[key], "XDG_STATE_HOME="+filepath.Join(t.TempDir(), "state"))
		return cmd
	}
	for _, cache := range []string{"own", "foreign"} {
		first, second := filepath.Join(base, cache), filepath.Join(base, cache+"-restored")
		if err := os.Mkdir(first, 0o755); err != nil {
			t.Fatal(err)
		}
		writeConfig(t, first, machines("web"))
		exits(t, job(first, cache, "apply", "--sandbox", "--auto-approve"), "0")
		copyTo(t, second, first)
		writeConfig(t, second, machines())
		if cache == "own" {
			exits(t, job(second, "own", "plan"), "0")
			if out := exits(t, job(second, "own", "apply", "--auto-approve"), "0"); !strings.Contains(out, "1 deleted") {
				t.Errorf("the instance of the first job is not deleted:\n%s", out)
			}
			continue
		}
		for _, args := range [][]string{{"plan"}, {"status"}, {"apply", "--auto-approve"}, {"destroy", "--auto-approve"}} {
			if out := exits(t, job(second, "own", args...), "1"); !strings.Contains(out, "ovi store trust --directory") {
				t.Errorf("ovi %s names no way out:\n%s", args[0], out)
			}
		}
		if got := instances(t, second); got["web"] != 1 {
			t.Errorf("the instances of the stranger are %v", got)
		}
	}
}
