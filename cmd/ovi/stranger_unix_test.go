//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/needs"
)

// ordinary is a user who is not root, and has no name on any host.
const ordinary = 54321

// receiver is a user who gets a repository of a stranger.
type receiver struct {
	uid  int
	base string // has the repository as author, and as a.tar, and the program ovi
	home string // is the user's own: the clones lie in it, next to a file that nothing may change
}

func newReceiver(t *testing.T, base string, uid int) receiver {
	t.Helper()
	v := receiver{uid, base, filepath.Join(base, strconv.Itoa(uid))}
	err := os.Mkdir(v.home, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(v.home, "victim"), []byte("precious\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("chown", "-R", strconv.Itoa(uid), v.home).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() {
		if text, err := os.ReadFile(filepath.Join(v.home, "victim")); err != nil || string(text) != "precious\n" {
			t.Errorf("the file of user %d has %q, %v", uid, text, err)
		}
		if _, err := os.Stat(filepath.Join(v.home, "PWNED")); err == nil {
			t.Errorf("user %d ran a program of the stranger", uid)
		}
	})
	return v
}

// as makes a command one of the victim.
func (v receiver) as(cmd *exec.Cmd, dir string, env ...string) *exec.Cmd {
	cmd.Dir = dir
	cmd.Env = append(append(cmd.Environ(), "HOME="+v.home, "XDG_STATE_HOME="+filepath.Join(v.home, "state"),
		"GIT_CONFIG_GLOBAL="+filepath.Join(v.base, "gitconfig")), env...)
	if v.uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(v.uid), Gid: uint32(v.uid)}}
	}
	return cmd
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
	cmd := exec.Command("sh", "-ec", `umask 022
		ln -s ../../../victim .ovi/wal/lock.tmp; ln -s ../../victim .ovi/settings.json.tmp; ln -s ../../victim .ovi/evil
		git init -q --initial-branch=main . && git add -f . && git commit -qm trap
		printf '#!/bin/sh\ntouch "$(git rev-parse --show-toplevel)/../PWNED"\n' | tee .git/hooks/post-checkout > .git/hooks/pre-commit
		chmod +x .git/hooks/*
		git config core.fsmonitor "touch ../PWNED; false"; git config core.sshCommand "touch ../PWNED; false"
		git config remote.origin.uploadpack "touch ../PWNED; git-upload-pack"
		tar cf ../a.tar .; chmod a+r ../a.tar`)
	cmd.Dir = author
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=eve", "GIT_AUTHOR_EMAIL=eve@example.org",
		"GIT_COMMITTER_NAME=eve", "GIT_COMMITTER_EMAIL=eve@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// waysOf are how any user gets the repository as $V. Where links are deleted, the modes are what ovi itself makes.
func waysOf() map[string]string {
	const clone = "git -c core.hooksPath=/dev/null clone -q $BASE/author $V; "
	return map[string]string{
		"cloned, umask 000": "umask 000; " + clone,
		"cloned, umask 022": "umask 022; " + clone,
		"cloned, umask 077": "umask 077; " + clone,
		"cloned, no links":  "umask 077; " + clone + "find $V/.ovi -type l -delete",
		"tar, its modes":    "mkdir $V; tar xpf $BASE/a.tar -C $V",
		"tar, umask 022":    "umask 022; mkdir $V; tar xf $BASE/a.tar -C $V; find $V/.ovi -type l -delete",
		"tar, umask 077":    "umask 077; mkdir $V; tar xf $BASE/a.tar --no-same-owner --no-same-permissions -C $V; chmod -R go-rwx $V/.ovi",
		"tar, no links":     "umask 077; mkdir $V; tar xpf $BASE/a.tar -C $V; find $V/.ovi -type l -delete; chmod -R go-rwx $V/.ovi",
	}
}

// rootsWays are ways that need root.
func rootsWays() map[string]string {
	const unpack = "mkdir $V; tar xpf $BASE/a.tar -C $V; "
	const noLinks = "find $V/.ovi -type l -delete; "
	return map[string]string{
		"copied":               "cp -a $BASE/author $V",
		"another owner":        unpack + "chown -hR 1000:1000 $V",
		"its own, and open":    unpack + noLinks + "chown -hR $OWNER:$OWNER $V; chmod -R a+rwX $V/.ovi",
		"its own, and private": unpack + noLinks + "chown -hR $OWNER:$OWNER $V; chmod -R u=rwX,go= $V/.ovi",
	}
}

// sharesOf are how root mounts the repository for a user. The files are another user's; the share shows them as the
// victim's own, as CIFS, 9p and the folders of hypervisors do, or as they are.
func sharesOf() map[string]string {
	const unpack = "mkdir $S $V; tar xpf $BASE/a.tar -C $S; chown -hR 1000:1000 $S; "
	const noLinks = "find $S/.ovi -type l -delete; "
	const mount = "bindfs -o allow_other "
	return map[string]string{
		"a share of the victim":      unpack + noLinks + mount + "--force-user=$OWNER --force-group=$OWNER --perms=u=rwX:go= $S $V",
		"a share with links":         unpack + mount + "--force-user=$OWNER --perms=u=rwX:go= $S $V",
		"a share that is open":       unpack + noLinks + mount + "--force-user=$OWNER --perms=a=rwX $S $V",
		"a share of another user":    unpack + noLinks + mount + "--perms=a=rwX $S $V",
		"a share over SFTP":          unpack + noLinks + sftp + " -o uid=$OWNER,gid=$OWNER,umask=077" + mounted,
		"a share over SFTP, as such": unpack + noLinks + sftp + mounted,
	}
}

// looksOwn are the ways whose owner, modes and files are those that ovi itself makes: only the log is not.
var looksOwn = map[string]bool{
	"cloned, no links": true, "tar, umask 022": true, "tar, no links": true, "its own, and private": true,
	"a share of the victim": true, "a share over SFTP": true,
}

// sshfs speaks with a server on pipes, without a network.
const (
	sftp    = "mkfifo $S.in; /usr/lib/openssh/sftp-server < $S.in 2> $S.said | sshfs :$S $V -f -o passive,allow_other"
	mounted = " > $S.in 2>> $S.said & for i in $(seq 100); do [ -e $V/ovi.yaml ] && exit; sleep 0.1; done; cat $S.said; exit 1"
)

// TestAStrangersRepositoryChangesNothing: cloned under any umask, copied, unpacked by tar or mounted from a share, the
// repository of a stranger changes nothing of its victim, whichever command is run. The victim is root, and a user who
// is not.
func TestAStrangersRepositoryChangesNothing(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{filepath.Dir(base), base} { // for the ordinary user
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	strangersRepository(t, base)
	mayClone := "[safe]\n\tdirectory = *\n" // a repository of another user
	if err := os.WriteFile(filepath.Join(base, "gitconfig"), []byte(mayClone), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-L", ovi(t, base).Path, filepath.Join(base, "ovi")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	account := strangersAccount(t)
	root := os.Getuid() == 0
	victims := []receiver{newReceiver(t, base, os.Getuid())}
	if root {
		victims = append(victims, newReceiver(t, base, ordinary))
	}
	for _, v := range victims {
		for name, script := range waysOf() {
			v.gets(t, name, script, account)
		}
		if !root {
			continue
		}
		needs.Program(t, "bindfs")
		needs.Program(t, "sshfs")
		for _, ways := range []map[string]string{rootsWays(), sharesOf()} {
			for name, script := range ways {
				v.gets(t, name, "umask 022; "+script, account)
			}
		}
	}
}

// strangersAccount is an account of AWS that no request may change.
func strangersAccount(t *testing.T) (url string) {
	t.Helper()
	var calls atomic.Int64
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
	t.Cleanup(func() {
		if n := calls.Load(); n > 0 {
			t.Errorf("%d calls would have changed the account", n)
		}
	})
	return account.URL
}

// gets lets the victim get the repository in a way, and try each command there. Root does what the victim cannot.
func (v receiver) gets(t *testing.T, name, script, account string) {
	t.Helper()
	t.Run(fmt.Sprintf("user %d: %s", v.uid, name), func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(v.home, strings.NewReplacer(" ", "-", ",", "").Replace(name))
		by := v
		if waysOf()[name] == "" {
			by.uid = os.Getuid()
		}
		setUp := by.as(bounded(t, "sh", "-ec", script), v.home, "BASE="+v.base, "V="+dir, "S="+dir+".shared", fmt.Sprint("OWNER=", v.uid))
		if sharesOf()[name] != "" { // -f: what waits for a share that does not answer fails, which no signal ends
			unmount := func() { _ = exec.Command("umount", "-f", "-l", dir).Run() }
			hanging := time.AfterFunc(never, unmount)
			t.Cleanup(func() { hanging.Stop(); unmount() })
		}
		if out, err := setUp.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		for _, args := range [][]string{
			{"status"},
			{"plan"},
			{"apply", "--auto-approve"},
			{"destroy", "--auto-approve"},
			{"run", "--auto-approve", "--allow-destroy", "--interval", "1s"},
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			// The shell enters the directory: while a child of Go does, on a share that is slow, no other can be started.
			cmd := exec.CommandContext(ctx, "sh", append([]string{"-ec", `cd "$V"; exec "$0" "$@"`, filepath.Join(v.base, "ovi")}, args...)...)
			cmd.Env = ovi(t, dir).Env
			cmd = v.as(cmd, v.home, "V="+dir, "OVI_LOG_KEY_FILE=", "AWS_ENDPOINT_URL="+account, "AWS_ACCESS_KEY_ID=AKIAVICTIM",
				"AWS_SECRET_ACCESS_KEY=not-a-real-key", "AWS_REGION=us-east-1", "AWS_MAX_ATTEMPTS=1")
			out, err := cmd.CombinedOutput()
			cancel()
			text := string(out)
			if err == nil || exitText(err) != "1" || !strings.Contains(text, ".ovi") {
				t.Errorf("ovi %s: %v\n%s", strings.Join(args, " "), err, text)
			}
			if looksOwn[name] && !strings.Contains(unwrapped(text), "ovi store trust --directory") {
				t.Errorf("ovi %s is not refused for its log:\n%s", strings.Join(args, " "), text)
			}
		}
	})
}
