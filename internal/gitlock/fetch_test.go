package gitlock_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/internal/needs"
)

func fetcher(t *testing.T) *gitlock.Fetcher {
	t.Helper()
	return &gitlock.Fetcher{Cache: gitlock.Cache{Dir: t.TempDir()}, Env: os.LookupEnv}
}

func parse(t *testing.T, text string) gitclone.URL {
	t.Helper()
	u, err := gitlock.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestAFolderIsLockedAndRead: an update locks the newest commit, later ones keep it, and an upgrade takes the next.
func TestAFolderIsLockedAndRead(t *testing.T) {
	t.Parallel()
	repo, f := gittest.New(t), fetcher(t)
	first := repo.Commit(map[string]string{"net/component.yaml": "one\n", "net/note": "a\n", "other/x": "x\n"})
	url := parse(t, repo.URL("net"))
	run := func(was *gitlock.Lock, upgrade bool) (*gitlock.Lock, []gitlock.Change) {
		t.Helper()
		u := &gitlock.Update{From: f, Was: was, Upgrade: upgrade}
		if _, err := u.Open(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		now, changes, err := u.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return now, changes
	}
	one, changes := run(&gitlock.Lock{}, false)
	if len(changes) != 1 || changes[0].New != first || !changes[0].Taken || changes[0].Full != "refs/heads/main" {
		t.Errorf("%+v", changes)
	}
	second := repo.Commit(map[string]string{"net/component.yaml": "two\n", "net/note": "", "net/more": "b\n"})
	two, changes := run(one, false)
	if !bytes.Equal(one.Format(), two.Format()) || len(changes) != 1 || changes[0].Taken || changes[0].New != second ||
		len(changes[0].Files) != 3 {
		t.Errorf("%+v", changes)
	}
	three, changes := run(two, true)
	if three.Lines[0].Commit != second || len(changes) != 1 || !changes[0].Taken || len(changes[0].Files) != 3 {
		t.Errorf("%+v %+v", three, changes)
	}
	for commit, want := range map[*gitlock.Lock]string{one: "one\n", three: "two\n"} {
		files, err := f.Cache.Open(commit.Lines[0])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(files, "net/component.yaml"); err != nil || string(got) != want {
			t.Errorf("%q %v", got, err)
		}
	}
}

// TestARepositoryHasOneCommit: another folder of a locked repository gets its commit, and folders move together.
func TestARepositoryHasOneCommit(t *testing.T) {
	t.Parallel()
	repo, f := gittest.New(t), fetcher(t)
	first := repo.Commit(map[string]string{"a/component.yaml": "1", "b/component.yaml": "1", "c/component.yaml": "1"})
	a, b, c := parse(t, repo.URL("a")), parse(t, repo.URL("b")), parse(t, repo.URL("c"))
	open := func(was *gitlock.Lock, upgrade bool, urls ...gitclone.URL) (*gitlock.Lock, []gitlock.Change) {
		t.Helper()
		u := &gitlock.Update{From: f, Was: was, Upgrade: upgrade}
		for _, url := range urls {
			if _, err := u.Open(t.Context(), url); err != nil {
				t.Fatal(err)
			}
		}
		now, changes, err := u.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return now, changes
	}
	lock, _ := open(&gitlock.Lock{}, false, a, c)
	second := repo.Commit(map[string]string{"a/component.yaml": "2", "c/component.yaml": ""})
	lock, _ = open(lock, false, b)
	if len(lock.Lines) != 3 || lock.CommitOf(b) != first {
		t.Errorf("%+v", lock)
	}
	lock, changes := open(lock, true, b)
	if len(lock.Lines) != 2 || lock.CommitOf(a) != second || lock.CommitOf(b) != second {
		t.Errorf("%+v", lock)
	}
	for _, x := range changes {
		if gone := x.URL == c; gone != (x.New == "") || gone && x.Unread == nil {
			t.Errorf("%+v", x)
		}
	}
	if _, problems := gitlock.Parse(lock.Format()); len(problems) > 0 {
		t.Error(problems)
	}
}

// TestFoldersThatAreRefused: links, submodules and files are not components, and the error names each.
func TestFoldersThatAreRefused(t *testing.T) {
	t.Parallel()
	repo, f := gittest.New(t), fetcher(t)
	repo.Commit(map[string]string{"good/component.yaml": "x"})
	for _, dir := range []string{"link", "escape", "module", "folderlink"} {
		if err := os.MkdirAll(filepath.Join(repo.Work, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"link/component.yaml": "../good/component.yaml", "escape/component.yaml": "/etc/passwd", "folderlink/sub": "../good",
		"alias": "good",
	} {
		if err := os.Symlink(to, filepath.Join(repo.Work, name)); err != nil {
			t.Fatal(err)
		}
	}
	commit := repo.Commit(nil)
	repo.Git("-C", repo.Work, "update-index", "--add", "--cacheinfo", "160000,"+commit+",module/sub")
	repo.Git("-C", repo.Work, "commit", "--quiet", "-m", "A submodule")
	repo.Git("-C", repo.Work, "push", "--quiet", "origin", "HEAD:main")
	commit = repo.Git("-C", repo.Work, "rev-parse", "HEAD")
	for path, want := range map[string]string{
		"link": "symbolic link", "escape": "symbolic link", "folderlink": "symbolic link", "alias": "symbolic link",
		"alias/x": "has no folder", "none": "has no folder", "good/component.yaml": "is a file", "module": "submodule", "module/sub": "submodule",
	} {
		text, err := f.Folder(t.Context(), parse(t, repo.URL(path)), commit)
		var e *gitlock.Error
		if err == nil || !strings.Contains(err.Error(), want) || !errors.As(err, &e) || e.Next == "" {
			t.Errorf("%s: %q %v", path, text, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(f.Cache.Dir, "components", "*")); len(left) > 0 {
		t.Errorf("the cache has %v", left)
	}
}

// TestAChangedCacheIsRefused changes each part of a cached folder, and its lock.
func TestAChangedCacheIsRefused(t *testing.T) {
	t.Parallel()
	repo, f := gittest.New(t), fetcher(t)
	commit := repo.Commit(map[string]string{"net/component.yaml": "one\n"})
	url := parse(t, repo.URL("net"))
	text, err := f.Folder(t.Context(), url, commit)
	if err != nil {
		t.Fatal(err)
	}
	line := gitlock.Line{URL: url, Commit: commit, Digest: gitlock.Digest(text)}
	if err := f.Cache.Put(t.Context(), line, text); err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob(filepath.Join(f.Cache.Dir, "components", "[0-9a-f]*"))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	for i := range len(text) + 1 {
		bad := bytes.Clone(text)
		if bad = append(bad, 'x'); i < len(text) {
			bad = bad[:len(text)]
			bad[i] ^= 1
		}
		if err := os.WriteFile(all[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Cache.Open(line); !errors.Is(err, gitlock.ErrChanged) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	if _, err := f.Open(t.Context(), line); err != nil {
		t.Errorf("the folder is not fetched again: %v", err)
	}
	if _, err := f.Cache.Open(line); err != nil {
		t.Error(err)
	}
	edited := line
	edited.Digest = digest
	if _, err := f.Open(t.Context(), edited); err == nil || !strings.Contains(err.Error(), line.Digest) {
		t.Errorf("an edited digest: %v", err)
	}
	edited = line
	edited.Commit = commitA
	if _, err := f.Cache.Open(edited); !errors.Is(err, gitlock.ErrMissing) {
		t.Errorf("an edited commit: %v", err)
	}
	if _, err := f.Open(t.Context(), edited); err == nil {
		t.Error("a commit that does not exist is read")
	}
	for name := range map[string]bool{"a pipe": true} {
		if err := os.Remove(all[0]); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(all[0], 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Cache.Open(line); err == nil {
			t.Errorf("%s is read", name)
		}
	}
}

// TestACommitThatNoRefNames: a locked commit is fetched although its branch has moved on, or was rewound.
func TestACommitThatNoRefNames(t *testing.T) {
	t.Parallel()
	repo, f := gittest.New(t), fetcher(t)
	first := repo.Commit(map[string]string{"net/component.yaml": "one\n"})
	repo.Commit(map[string]string{"net/component.yaml": "two\n"})
	if _, err := f.Folder(t.Context(), parse(t, repo.URL("net")), first); err != nil {
		t.Errorf("an older commit: %v", err)
	}
}

// TestUpdatesAtOnce: the cache and the lock of updates that run at a time are whole.
func TestUpdatesAtOnce(t *testing.T) {
	t.Parallel()
	repo, f, dir := gittest.New(t), fetcher(t), t.TempDir()
	repo.Commit(map[string]string{"a/component.yaml": "1", "b/component.yaml": "1"})
	var all sync.WaitGroup
	for _, path := range []string{"a", "b", "a", "b"} {
		all.Go(func() {
			url := parse(t, repo.URL(path))
			if err := updated(t.Context(), f, dir, url); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	l, problems, err := gitlock.Read(dir)
	if err != nil || len(problems) > 0 || len(l.Lines) != 2 {
		t.Fatalf("%+v %v %v", l, problems, err)
	}
	for _, line := range l.Lines {
		if _, err := f.Cache.Open(line); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
}

func updated(ctx context.Context, f *gitlock.Fetcher, dir string, url gitclone.URL) error {
	done, err := f.Cache.Alone(ctx, dir)
	if err != nil {
		return err
	}
	defer done()
	was, _, err := gitlock.Read(dir)
	if err != nil {
		return err
	}
	u := &gitlock.Update{From: f, Was: was}
	if _, err := u.Open(ctx, url); err != nil {
		return err
	}
	now, _, err := u.Finish(ctx)
	if err != nil {
		return err
	}
	return now.Write(dir)
}

// TestALockIsNotFollowed: a link in place of the lock that leads elsewhere is neither read nor written through.
func TestALockIsNotFollowed(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("ovi.lock v1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, gitlock.FileName)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := gitlock.Read(dir); err == nil {
		t.Error("the link is followed")
	}
	if err := (&gitlock.Lock{}).Write(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, gitlock.FileName)); err != nil || !info.Mode().IsRegular() {
		t.Errorf("%v %v", info, err)
	}
}

// TestNoFolderForTheCache: a user without a home has a message, and no file in the current folder.
func TestNoFolderForTheCache(t *testing.T) {
	t.Parallel()
	f := &gitlock.Fetcher{}
	url := parse(t, "git+https://example.invalid/a//x")
	for name, err := range map[string]error{
		"read": func() error {
			_, err := f.Cache.Open(gitlock.Line{URL: url, Commit: commitA, Digest: digest})
			return err
		}(),
		"fetch": func() error { _, _, err := f.Head(t.Context(), url); return err }(),
		"alone": func() error { _, err := f.Cache.Alone(t.Context(), "."); return err }(),
	} {
		var e *gitlock.Error
		if !errors.As(err, &e) || !strings.Contains(e.Next, "XDG_CACHE_HOME") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAKilledUpdateLeavesNothingBehind: the files of a process that was killed while it wrote are not read, and the next
// one removes them.
func TestAKilledUpdateLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	repo, f, dir := gittest.New(t), fetcher(t), t.TempDir()
	repo.Commit(map[string]string{"a/component.yaml": "1"})
	if err := os.MkdirAll(filepath.Join(f.Cache.Dir, "components"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		filepath.Join(f.Cache.Dir, "components", ".new"), filepath.Join(dir, ".ovi.lock.1.new"), filepath.Join(dir, ".ovi.lock.2.new"),
	} {
		if err := os.WriteFile(name, []byte("ovi.lock v1\ngit+"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if l, problems, err := gitlock.Read(dir); err != nil || len(problems) > 0 || len(l.Lines) > 0 {
		t.Errorf("%v %v %v", l, problems, err)
	}
	if err := updated(t.Context(), f, dir, parse(t, repo.URL("a"))); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != gitlock.FileName {
		t.Errorf("%v %v", left, err)
	}
	if l, _, err := gitlock.Read(dir); err != nil || len(l.Lines) != 1 {
		t.Errorf("%v %v", l, err)
	} else if _, err := f.Cache.Open(l.Lines[0]); err != nil {
		t.Error(err)
	}
}

// TestTheTokenStaysWithItsHost: a configuration names the repository of a component, so its host gets the token only if
// OVI_GIT_TOKEN_FOR names it, or if an operator named a repository there.
func TestTheTokenStaysWithItsHost(t *testing.T) {
	t.Parallel()
	needs.Program(t, "git")
	const token = "example-token-7a1c"
	var mu sync.Mutex
	var seen []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if _, password, ok := r.BasicAuth(); ok {
			seen = append(seen, password)
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="lib"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(server.URL, "https://")
	url := parse(t, "git+"+server.URL+"/lib.git//net?ref=main")
	for name, c := range map[string]struct {
		host, operator string
		sent           bool
	}{
		"nothing":                     {"", "", false},
		"another host":                {"git.example.com", "", false},
		"another port":                {"127.0.0.1:1", "", false},
		"this host":                   {host, "", true},
		"the operator's host":         {"", server.URL + "/fleet.git", true},
		"the operator's, and another": {"git.example.com", server.URL + "/fleet.git", false},
		"another operator's":          {"", "https://git.example.com/fleet.git", false},
	} {
		seen = nil
		f := fetcher(t)
		f.Operator = c.operator
		f.Env = func(name string) (string, bool) {
			switch name {
			case "GIT_SSL_CAINFO":
				return ca, true
			case "OVI_GIT_TOKEN":
				return token, true
			case "OVI_GIT_TOKEN_FOR":
				return c.host, c.host != ""
			}
			return os.LookupEnv(name)
		}
		_, _, err := f.Head(t.Context(), url)
		if err == nil || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", name, err)
		}
		if sent := len(seen) > 0; sent != c.sent {
			t.Errorf("%s: sent %t", name, sent)
		}
	}
}
