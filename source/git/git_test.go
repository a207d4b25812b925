package git_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/git"
)

func open(t *testing.T, url string, o git.Options) *git.Repo {
	t.Helper()
	u, err := git.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	return git.Open(u, o)
}

func read(t *testing.T, r *git.Repo) git.Tree {
	t.Helper()
	tree, err := r.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func text(t *testing.T, tree git.Tree, name string) string {
	t.Helper()
	b, err := fs.ReadFile(tree.Files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// objects counts the files that a clone has fetched.
func objects(t *testing.T, dir string) int {
	t.Helper()
	clones, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(clones) != 1 {
		t.Fatalf("%v %v", clones, err)
	}
	out, err := exec.CommandContext(t.Context(), "git", "-C", clones[0], "cat-file", "--batch-check=%(objecttype)",
		"--batch-all-objects").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(out), "blob")
}

// TestACommitElsewhereCostsOneFetch: a commit that leaves the path alone is fetched without a file, and its
// tree is the one that was read before.
func TestACommitElsewhereCostsOneFetch(t *testing.T) {
	t.Parallel()
	repo, dir := gittest.New(t), t.TempDir()
	first := repo.Commit(map[string]string{"deployments/berlin/app.yaml": "one\n", "deployments/paris/app.yaml": "une\n"})
	r := open(t, repo.URL("deployments/berlin"), git.Options{Dir: dir})
	before := read(t, r)
	if before.Commit != first || text(t, before, "deployments/berlin/app.yaml") != "one\n" {
		t.Errorf("read %+v", before)
	}
	if n := objects(t, dir); n != 1 {
		t.Errorf("%d files were fetched for a folder of one", n)
	}
	second := repo.Commit(map[string]string{"deployments/paris/app.yaml": "deux\n"})
	after := read(t, r)
	if after.Commit != second || after.Hash != before.Hash || after.Files != before.Files {
		t.Errorf("a commit elsewhere changes the tree: %+v, %+v", before, after)
	}
	if n := objects(t, dir); n != 1 {
		t.Errorf("%d files are in the clone after a commit elsewhere", n)
	}
	third := repo.Commit(map[string]string{"deployments/berlin/app.yaml": "two\n"})
	if now := read(t, r); now.Commit != third || text(t, now, "deployments/berlin/app.yaml") != "two\n" {
		t.Errorf("read %+v", now)
	}
}

// TestARewoundBranchIsAnError: an older or another history is not read, by no process, until it is accepted or
// the branch goes on from what was read.
func TestARewoundBranchIsAnError(t *testing.T) {
	t.Parallel()
	repo, dir := gittest.New(t), t.TempDir()
	first := repo.Commit(map[string]string{"a/x": "one\n"})
	second := repo.Commit(map[string]string{"a/x": "two\n"})
	read(t, open(t, repo.URL("a"), git.Options{Dir: dir}))
	repo.Git("-C", repo.Work, "push", "--quiet", "--force", "origin", first+":main")
	var rewound *git.RewoundError
	for range 2 {
		if _, err := open(t, repo.URL("a"), git.Options{Dir: dir}).Read(t.Context()); !errors.As(err, &rewound) {
			t.Fatalf("an older commit is read: %v", err)
		}
	}
	if rewound.Last != second || rewound.Head != first || !strings.Contains(rewound.Suggestion(), first) {
		t.Errorf("%+v", rewound)
	}
	if tree := read(t, open(t, repo.URL("a"), git.Options{Dir: dir, Accept: first})); text(t, tree, "a/x") != "one\n" {
		t.Error("an accepted commit is not read")
	}
	repo.Git("-C", repo.Work, "push", "--quiet", "--force", "origin", second+":main")
	if tree := read(t, open(t, repo.URL("a"), git.Options{Dir: dir})); text(t, tree, "a/x") != "two\n" {
		t.Error("the branch does not go on")
	}
}

// TestSignatures: with a file of signers, a commit is read only with a signature of one of them.
func TestSignatures(t *testing.T) {
	t.Parallel()
	repo, keys := gittest.New(t), t.TempDir()
	key := filepath.Join(keys, "key")
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
		key).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers := filepath.Join(keys, "signers")
	if err := os.WriteFile(signers, append([]byte("ada@example.com "), public...), 0o600); err != nil {
		t.Fatal(err)
	}
	sign := func(key string) {
		for _, kv := range [][2]string{{"gpg.format", "ssh"}, {"user.signingkey", key}} {
			repo.Git("-C", repo.Work, "config", kv[0], kv[1])
		}
	}
	sign(key)
	repo.Commit(map[string]string{"a/x": "signed\n"}, "-S")
	o := git.Options{Dir: t.TempDir(), Signers: signers}
	if tree := read(t, open(t, repo.URL("a"), o)); text(t, tree, "a/x") != "signed\n" {
		t.Error("a signed commit is not read")
	}
	repo.Commit(map[string]string{"a/x": "unsigned\n"})
	var unsigned *git.UnsignedError
	if _, err := open(t, repo.URL("a"), o).Read(t.Context()); !errors.As(err, &unsigned) {
		t.Errorf("an unsigned commit is read: %v", err)
	}
	other := filepath.Join(keys, "other")
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
		other).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	sign(other)
	repo.Commit(map[string]string{"a/x": "forged\n"}, "-S")
	if _, err := open(t, repo.URL("a"), o).Read(t.Context()); !errors.As(err, &unsigned) {
		t.Errorf("a commit with the signature of another key is read: %v", err)
	}
}

// TestWhatIsRefused: what is no plain file, and what the repository does not have.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	if err := os.MkdirAll(filepath.Join(repo.Work, "links"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(repo.Work, "links", "x.yaml")); err != nil {
		t.Fatal(err)
	}
	repo.Commit(map[string]string{"a/x": "one\n"})
	for path, want := range map[string]string{"links": "link", "b": "has no path b", "a*": ""} {
		u, err := git.Parse(repo.URL(path))
		if err == nil {
			_, err = git.Open(u, git.Options{Dir: t.TempDir(), Env: os.LookupEnv}).Read(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	url := strings.Replace(repo.URL("a"), "ref=main", "ref=nowhere", 1)
	if _, err := open(t, url, git.Options{}).Read(t.Context()); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("an unknown branch: %v", err)
	}
}

// TestRefs reads the default branch, a tag of each form, and a commit.
func TestRefs(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	first := repo.Commit(map[string]string{"a/x": "one\n"})
	repo.Git("-C", repo.Work, "tag", "light")
	repo.Git("-C", repo.Work, "tag", "-a", "-m", "A tag", "heavy")
	repo.Git("-C", repo.Work, "push", "--quiet", "--tags", "origin")
	second := repo.Commit(map[string]string{"a/x": "two\n"})
	got := map[string]string{}
	for _, ref := range []string{"", "?ref=main", "?ref=light", "?ref=heavy", "?ref=" + first} {
		got[ref] = read(t, open(t, "git+file://"+repo.Bare+"//a"+ref, git.Options{})).Commit
	}
	want := map[string]string{
		"": second, "?ref=main": second, "?ref=light": first, "?ref=heavy": first,
		"?ref=" + first: first,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheRestOfACommit: a source reads files next to its path only when they are opened, each once, also of a path that
// is a file.
func TestTheRestOfACommit(t *testing.T) {
	t.Parallel()
	repo, dir := gittest.New(t), t.TempDir()
	repo.Commit(map[string]string{"a/x": "one\n", "lib/y": "two\n", "lib/z": "three\n", "far/away": "four\n"})
	for path, want := range map[string]int{"a": 1, "a/x": 1} {
		dir := filepath.Join(dir, strings.ReplaceAll(path, "/", "-")) // one inside the other would depend on the order
		u, err := git.Parse(repo.URL(path))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		s := git.New(git.Open(u, git.Options{Dir: dir, Env: os.LookupEnv}),
			func(files fs.FS, _, _ string) (source.Source, error) {
				if n := objects(t, dir); n != want {
					t.Errorf("%s: %d files are fetched at first", path, n)
				}
				for _, name := range []string{"a/x", "lib/y", "lib/y", "lib/none", "lib"} {
					b, err := fs.ReadFile(files, name)
					if err != nil {
						got = append(got, name+" fails")
					} else {
						got = append(got, string(b))
					}
				}
				info, err := fs.Stat(files, "lib/z")
				if err != nil || info.Size() != 6 {
					t.Errorf("%v %v", info, err)
				}
				return nil, errors.New("enough")
			})
		if _, err := s.Load(t.Context()); err == nil || err.Error() != "enough" {
			t.Error(err)
		}
		if all := strings.Join(got, ""); all != "one\ntwo\ntwo\nlib/none failslib fails" {
			t.Errorf("%s: %q", path, all)
		}
		if n := objects(t, dir); n != 3 {
			t.Errorf("%s: %d files are fetched", path, n)
		}
	}
}
