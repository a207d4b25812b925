// Package gittest makes real repositories for tests.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/needs"
)

// Repository is a bare repository with a working tree beside it.
type Repository struct {
	Bare string
	Work string
	t    testing.TB
}

// New creates a repository with a branch main, which serves partial clones.
func New(t testing.TB) *Repository {
	t.Helper()
	needs.Program(t, "git")
	dir := t.TempDir()
	r := &Repository{Bare: filepath.Join(dir, "fleet.git"), Work: filepath.Join(dir, "work"), t: t}
	r.Git("init", "--quiet", "--bare", "--initial-branch=main", r.Bare)
	r.Git("-C", r.Bare, "config", "uploadpack.allowFilter", "true")
	r.Git("-C", r.Bare, "config", "uploadpack.allowAnySHA1InWant", "true")
	r.Git("clone", "--quiet", r.Bare, r.Work)
	return r
}

// URL names a path of the repository.
func (r *Repository) URL(path string) string {
	return "git+file://" + r.Bare + "//" + path + "?ref=main"
}

// Git runs git, with an identity of its own and none of the user's settings.
func (r *Repository) Git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=ada",
		"GIT_COMMITTER_EMAIL=ada@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// Commit writes files ("" removes one), commits and pushes, and returns the commit.
func (r *Repository) Commit(files map[string]string, flags ...string) string {
	r.t.Helper()
	for name, text := range files {
		path := filepath.Join(r.Work, name)
		if text == "" {
			if err := os.Remove(path); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.Git("-C", r.Work, "add", "--all")
	r.Git(append([]string{"-C", r.Work, "commit", "--quiet", "--allow-empty", "-m", "A change"}, flags...)...)
	r.Git("-C", r.Work, "push", "--quiet", "origin", "HEAD:main")
	return r.Git("-C", r.Work, "rev-parse", "HEAD")
}
