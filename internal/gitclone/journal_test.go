package gitclone_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitclone/gittest"
)

// journal is a journal in a new clone.
func journal(t *testing.T, repo *gittest.Repository, path string) *gitclone.Journal {
	t.Helper()
	return &gitclone.Journal{Clone: gitclone.Clone{Dir: t.TempDir(), Remote: "file://" + repo.Bare, Env: os.LookupEnv}, Branch: "main", Path: path}
}

// add adds a line, and returns what was there before it.
func add(t *testing.T, j *gitclone.Journal, line string) (before string, err error) {
	t.Helper()
	err = j.Add(t.Context(), func(text []byte) (gitclone.Line, error) {
		before = string(text)
		return gitclone.Line{Text: line, Message: "Add " + line}, nil
	})
	return before, err
}

func mustAdd(t *testing.T, j *gitclone.Journal, line, want string) {
	t.Helper()
	if before, err := add(t, j, line); err != nil || before != want {
		t.Fatalf("add %s: %v, the file had %q, want %q", line, err, before, want)
	}
}

// refuses requires an error that has a text and a suggestion, and that nothing was pushed.
func refuses(t *testing.T, repo *gittest.Repository, j *gitclone.Journal, want string) {
	t.Helper()
	heads := repo.Git("-C", repo.Bare, "for-each-ref")
	_, err := add(t, j, "refused")
	var problem *gitclone.JournalError
	if !errors.As(err, &problem) || problem.Suggestion() == "" || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if now := repo.Git("-C", repo.Bare, "for-each-ref"); now != heads {
		t.Errorf("a branch was changed:\n%s\n%s", heads, now)
	}
}

// TestAJournalChangesNoOtherFile: lines are commits on top of what is there, and each other file is as it was, with
// its rights; the clone fetches none of them.
func TestAJournalChangesNoOtherFile(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	if err := os.WriteFile(filepath.Join(repo.Work, "run.sh"), []byte("true\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	first := repo.Commit(map[string]string{"a/x": "one\n", "a/b/y": "two\n", "c/z": "three\n"})
	tree := func(commit string) string { return repo.Git("-C", repo.Bare, "ls-tree", "-r", commit) }
	j := journal(t, repo, "a/b/lines")
	mustAdd(t, j, "1", "")
	mustAdd(t, j, "2", "1\n")
	if got := repo.Git("-C", repo.Bare, "show", "main:a/b/lines"); got != "1\n2" {
		t.Errorf("the file has %q", got)
	}
	others := slices.DeleteFunc(strings.Split(tree("main"), "\n"), func(line string) bool { return strings.HasSuffix(line, "\ta/b/lines") })
	if diff := cmp.Diff(strings.Split(tree(first), "\n"), others); diff != "" {
		t.Errorf("other files (-before +after):\n%s", diff)
	}
	log := repo.Git("-C", repo.Bare, "log", "--format=%an %cn %s", first+"..main")
	if log != "ovi ovi Add 2\novi ovi Add 1" {
		t.Errorf("commits:\n%s", log)
	}
	repo.Git("-C", repo.Bare, "fsck", "--strict")
	fetched := repo.Git("-C", j.Dir, "cat-file", "--batch-check=%(objecttype)", "--batch-all-objects")
	if n := strings.Count(fetched, "blob"); n != 2 {
		t.Errorf("the clone has %d files, and two are its own", n)
	}
}

// TestAJournalStartsItsBranch in an empty repository, and in another clone it goes on.
func TestAJournalStartsItsBranch(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	mustAdd(t, journal(t, repo, "lines"), "1", "")
	mustAdd(t, journal(t, repo, "lines"), "2", "1\n")
	if n := repo.Git("-C", repo.Bare, "rev-list", "--count", "main"); n != "2" {
		t.Errorf("the branch has %s commits", n)
	}
}

// TestAnOvertakenPushIsRepeated, on top of what was pushed meanwhile; next sees what it added to the file.
func TestAnOvertakenPushIsRepeated(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"lines": "0\n"})
	var saw []string
	err := journal(t, repo, "lines").Add(t.Context(), func(text []byte) (gitclone.Line, error) {
		saw = append(saw, string(text))
		switch len(saw) {
		case 1:
			repo.Commit(map[string]string{"lines": "0\n1\n"})
		case 2:
			repo.Commit(map[string]string{"other": "x\n"})
		}
		return gitclone.Line{Text: fmt.Sprintf("own %d", len(saw)), Message: "Add one"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"0\n", "0\n1\n"}, saw); diff != "" {
		t.Errorf("the texts (-want +got):\n%s", diff)
	}
	if got := repo.Git("-C", repo.Bare, "show", "main:lines", "main:other"); got != "0\n1\nown 2\nx" {
		t.Errorf("the branch has %q", got)
	}
}

// TestSeveralAddAtATime from clones of their own and from one: no line is lost.
func TestSeveralAddAtATime(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	shared := journal(t, repo, "lines")
	var all sync.WaitGroup
	for i, j := range []*gitclone.Journal{shared, shared, journal(t, repo, "lines"), journal(t, repo, "lines")} {
		all.Go(func() {
			for n := range 3 {
				if _, err := add(t, j, fmt.Sprintf("%d.%d", i, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	lines := strings.Fields(repo.Git("-C", repo.Bare, "show", "main:lines"))
	slices.Sort(lines)
	if got := strings.Join(lines, " "); got != "0.0 0.1 0.2 1.0 1.1 1.2 2.0 2.1 2.2 3.0 3.1 3.2" {
		t.Errorf("the file has %s", got)
	}
}

// TestARewoundJournalIsAnError: an older or another history, a removed branch, and a commit that removes or changes a
// line, until the lines are back.
func TestARewoundJournalIsAnError(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	first := repo.Commit(map[string]string{"lines": "0\n"})
	j := journal(t, repo, "lines")
	mustAdd(t, j, "1", "0\n")
	last := repo.Git("-C", repo.Bare, "rev-parse", "main")
	repo.Git("-C", repo.Bare, "update-ref", "refs/heads/main", first)
	refuses(t, repo, j, "was rewound")
	refuses(t, repo, j, last[:12])
	repo.Git("-C", repo.Bare, "update-ref", "-d", "refs/heads/main")
	refuses(t, repo, j, "was removed")
	repo.Git("-C", repo.Bare, "update-ref", "refs/heads/main", last)
	mustAdd(t, j, "2", "0\n1\n")
	repo.Git("-C", repo.Work, "pull", "--quiet", "origin", "main")
	for text, want := range map[string]string{"0\n2\n": "line 2 of lines is missing", "x\n1\n2\n": "line 1 of lines is missing", "": "line 1 of lines is missing"} {
		repo.Commit(map[string]string{"lines": text})
		refuses(t, repo, j, want)
	}
	repo.Commit(map[string]string{"lines": "2\n1\n0"})
	mustAdd(t, j, "3", "2\n1\n0")
	if got := repo.Git("-C", repo.Bare, "show", "main:lines"); got != "2\n1\n0\n3" {
		t.Errorf("the file has %q", got)
	}
}

// TestWhatAJournalRefuses: what is no plain file, a server that refuses the push, and one that cannot be reached.
func TestWhatAJournalRefuses(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(repo.Work, "link")); err != nil {
		t.Fatal(err)
	}
	repo.Commit(map[string]string{"a/x": "one\n"})
	refuses(t, repo, journal(t, repo, "a"), "a on branch main")
	refuses(t, repo, journal(t, repo, "a"), "is a folder")
	refuses(t, repo, journal(t, repo, "a/x/y"), "a/x on branch main of file://"+repo.Bare+" is not a folder")
	refuses(t, repo, journal(t, repo, "link"), "is not a plain file")
	refuses(t, repo, journal(t, repo, "b/.git/x"), "a name that Git does not allow")

	hook := filepath.Join(repo.Bare, "hooks", "pre-receive")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho main is closed >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	refuses(t, repo, journal(t, repo, "lines"), "cannot push to branch main")
	refuses(t, repo, journal(t, repo, "lines"), "main is closed")
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}

	away := journal(t, repo, "lines")
	away.Remote += "-elsewhere"
	refuses(t, repo, away, "cannot read branch main of "+away.Remote)
}

// TestAJournalThatNextRefuses is as it was.
func TestAJournalThatNextRefuses(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	head := repo.Commit(map[string]string{"lines": "0\n"})
	want := errors.New("not what it should be")
	err := journal(t, repo, "lines").Add(t.Context(), func(text []byte) (gitclone.Line, error) {
		if !bytes.Equal(text, []byte("0\n")) {
			t.Errorf("the file has %q", text)
		}
		return gitclone.Line{}, want
	})
	if now := repo.Git("-C", repo.Bare, "rev-parse", "main"); !errors.Is(err, want) || now != head {
		t.Errorf("%v, and the branch is at %s", err, now)
	}
}

// TestALostAnswer of a push that reached the server is none that failed: the line is there once.
func TestALostAnswer(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"lines": "0\n"})
	ssh := filepath.Join(t.TempDir(), "ssh")
	script := "#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nsh -c \"$1\"\ncase \"$1\" in *receive-pack*) exit 1;; esac\n"
	if err := os.WriteFile(ssh, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	j := journal(t, repo, "lines")
	j.Remote = "ssh://git@git.example.com" + repo.Bare
	j.Env = func(name string) (string, bool) {
		if name == "GIT_SSH_COMMAND" {
			return ssh, true
		}
		return os.LookupEnv(name)
	}
	if err := j.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Git(t.Context(), "push", "--end-of-options", "origin", ":refs/heads/none"); err == nil {
		t.Fatal("no answer is lost")
	}
	mustAdd(t, j, "1", "0\n")
	mustAdd(t, j, "2", "0\n1\n")
}
