package cluster_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

// repository is a real repository with a first commit, and a provider of its branches.
type repository struct {
	*gittest.Repository
	t     *testing.T
	p     *cluster.Provider
	scope resource.Scope
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{Repository: gittest.New(t), t: t}
	r.Commit(map[string]string{"deploy/app.yaml": "one\n"})
	r.p = cluster.New(cluster.Options{Clones: t.TempDir(), Getenv: os.Getenv})
	r.scope = resource.Scope{Provider: cluster.Name, Location: "git:file://" + r.Bare}
	return r
}

func (r *repository) desired(name string) resource.Desired {
	return resource.Desired{
		Ref: resource.Ref{Stack: "fleet", Provider: cluster.Name, Location: r.scope.Location, Kind: "git_branch", Name: name},
	}
}

func (r *repository) create(name string) resource.Observed {
	r.t.Helper()
	o, err := r.p.Create(r.t.Context(), provider.Request{Key: "key of " + name, Owner: "ovi", Desired: r.desired(name)})
	if err != nil {
		r.t.Fatal(err)
	}
	return o
}

// push puts a commit with a file on a branch by hand, starting from where from is, and forcing it there.
func (r *repository) push(branch, from, file string) {
	r.t.Helper()
	r.Git("-C", r.Work, "fetch", "--quiet", "--prune", "origin")
	r.Git("-C", r.Work, "checkout", "--quiet", "--detach", from)
	if file != "" {
		if err := os.WriteFile(r.Work+"/"+file, []byte(file+"\n"), 0o600); err != nil {
			r.t.Fatal(err)
		}
		r.Git("-C", r.Work, "add", "--all")
		r.Git("-C", r.Work, "commit", "--quiet", "-m", "Add "+file)
	}
	r.Git("-C", r.Work, "push", "--quiet", "--force", "origin", "HEAD:refs/heads/"+branch)
}

func (r *repository) heads() string {
	r.t.Helper()
	return r.Git("-C", r.Bare, "for-each-ref", "--format=%(refname:short)", "refs/heads/")
}

func (r *repository) find(name string) (resource.Observed, bool) {
	r.t.Helper()
	s, err := r.p.Observe(r.t.Context(), provider.ObserveRequest{Scope: r.scope})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, o := range s.Resources {
		if o.ID == name {
			return o, true
		}
	}
	return resource.Observed{}, false
}

// TestABranchKeepsThePromisesOfAProvider, in a real repository.
func TestABranchKeepsThePromisesOfAProvider(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		r := newRepository(t)
		return providertest.Harness{
			Provider: r.p, Scope: r.scope, Elsewhere: elsewhere("git_branch"),
			Samples:   []providertest.Sample{{Desired: r.desired("dev")}, {Desired: r.desired("dev-a")}},
			Unmanaged: func(*testing.T) string { r.push("by-hand", "origin/main", ""); return "by-hand" },
			Recreate: func(_ *testing.T, o resource.Observed) {
				r.Git("-C", r.Bare, "update-ref", "-d", "refs/heads/"+o.ID)
				r.push(o.ID, "origin/main", "")
			},
			FailKind: func(t *testing.T, _ string) func() {
				move := func(from, to string) {
					if err := os.Rename(from, to); err != nil {
						t.Fatal(err)
					}
				}
				move(r.Bare, r.Bare+".away")
				return func() { move(r.Bare+".away", r.Bare) }
			},
		}
	})
}

// TestABranchStartsWithItsMarks: one commit on that of its base, which changes no file and which git shows in words.
func TestABranchStartsWithItsMarks(t *testing.T) {
	r := newRepository(t)
	o := r.create("dev")
	commit, _ := o.Attrs.Text("commit")
	if text := r.Git("-C", r.Bare, "log", "-1", "--format=%an %s", "dev"); text != "ovi Create branch dev" {
		t.Errorf("its commit is %q", text)
	}
	if diff := r.Git("-C", r.Bare, "diff", "--stat", "main", commit); diff != "" ||
		r.Git("-C", r.Bare, "rev-parse", commit+"^") != r.Git("-C", r.Bare, "rev-parse", "main") {
		t.Errorf("it is not one empty commit on main: %s", diff)
	}
	if n, _ := o.Attrs.Int("unmerged"); n != 0 {
		t.Errorf("a new branch has %d commits to lose", n)
	}
}

// TestABranchStaysThatOfItsMarks through pushes, a rebase and a merge, and those who have its commits stay their own.
func TestABranchStaysThatOfItsMarks(t *testing.T) {
	r := newRepository(t)
	born := r.create("dev")
	is := func(when string, unmerged int64) {
		t.Helper()
		o, ok := r.find("dev")
		if n, _ := o.Attrs.Int("unmerged"); !ok || o.UID != born.UID || o.Marks != born.Marks || n != unmerged {
			t.Errorf("%s it is %v %+v with %d commits of its own, want %d", when, ok, o, n, unmerged)
		}
	}
	r.push("dev", "origin/dev", "one")
	is("after a push", 1)
	r.push("feature", "origin/dev", "")
	is("with a copy", 0)
	if o, _ := r.find("feature"); !o.Marks.IsZero() || o.UID == born.UID {
		t.Errorf("the copy is %+v", o)
	}
	r.Git("-C", r.Bare, "update-ref", "-d", "refs/heads/feature")
	r.Git("-C", r.Work, "checkout", "--quiet", "-B", "dev", "origin/dev")
	r.Git("-C", r.Work, "checkout", "--quiet", "-B", "main", "origin/main")
	r.Commit(map[string]string{"deploy/app.yaml": "two\n"})
	r.Git("-C", r.Work, "rebase", "--quiet", "--keep-empty", "main", "dev")
	r.Git("-C", r.Work, "push", "--quiet", "--force", "origin", "dev")
	is("after a rebase", 1)
	r.Git("-C", r.Work, "checkout", "--quiet", "main")
	r.Git("-C", r.Work, "merge", "--quiet", "--no-ff", "-m", "Merge", "dev")
	r.Git("-C", r.Work, "push", "--quiet", "origin", "main")
	is("after it was merged", 0)
}

// TestABranchIsDeletedAsItWasObserved: not with commits that came since, not another one of its name, and never the
// default branch.
func TestABranchIsDeletedAsItWasObserved(t *testing.T) {
	r := newRepository(t)
	before := r.create("dev")
	r.push("dev", "origin/dev", "one")
	if err := r.p.Delete(t.Context(), provider.Request{Have: before}); provider.CauseOf(err) != provider.InUse ||
		!strings.Contains(r.heads(), "dev") {
		t.Errorf("with a commit that came since: %v, branches %q", err, r.heads())
	}
	r.Git("-C", r.Bare, "update-ref", "-d", "refs/heads/dev")
	r.push("dev", "origin/main", "other")
	if err := r.p.Delete(t.Context(), provider.Request{Have: before}); err != nil || !strings.Contains(r.heads(), "dev") {
		t.Errorf("another branch of its name: %v, branches %q", err, r.heads())
	}
	main, _ := r.find("main")
	if err := r.p.Delete(t.Context(), provider.Request{Have: main}); provider.CauseOf(err) != provider.Configuration ||
		!strings.Contains(r.heads(), "main") {
		t.Errorf("the default branch: %v, branches %q", err, r.heads())
	}
	now, _ := r.find("dev") // with its commit on record, an operator may delete it
	if err := r.p.Delete(t.Context(), provider.Request{Have: now}); err != nil || r.heads() != "main" {
		t.Errorf("as observed: %v, branches %q", err, r.heads())
	}
}

// TestABranchWithCommitsOfItsOwnIsKept by its kind: deleting it is a loss, which the plan says.
func TestABranchWithCommitsOfItsOwnIsKept(t *testing.T) {
	r := newRepository(t)
	r.create("dev")
	all := r.p.Kinds()
	kind := all[slices.IndexFunc(all, func(k resource.Kind) bool { return k.Name == "git_branch" })]
	lost := func() string { o, _ := r.find("dev"); return kind.DataLoss(o, nil) }
	if loss := lost(); loss != "" || !kind.Keeps {
		t.Errorf("a new branch: %q", loss)
	}
	r.push("dev", "origin/dev", "one")
	if loss := lost(); loss != "1 commit that no other branch has" {
		t.Errorf("with a commit: %q", loss)
	}
}

// TestARepositoryThatCannotBeReadIsNotEmpty: law 1 for branches; one without branches is.
func TestARepositoryThatCannotBeReadIsNotEmpty(t *testing.T) {
	r := newRepository(t)
	r.create("dev")
	if err := os.Rename(r.Bare, r.Bare+".away"); err != nil {
		t.Fatal(err)
	}
	_, err := r.p.Observe(t.Context(), provider.ObserveRequest{Scope: r.scope})
	if provider.CauseOf(err) != provider.Configuration {
		t.Errorf("without the repository: %v", err)
	}
	empty := gittest.New(t)
	s, err := r.p.Observe(t.Context(),
		provider.ObserveRequest{Scope: resource.Scope{Provider: cluster.Name, Location: "git:file://" + empty.Bare}})
	if err != nil || len(s.Resources) > 0 {
		t.Errorf("in an empty repository there is %+v, %v", s.Resources, err)
	}
	r.scope.Location = "git:file://" + empty.Bare
	if _, err := r.p.Create(t.Context(),
		provider.Request{Key: "k", Desired: r.desired("dev")}); provider.CauseOf(err) != provider.Configuration {
		t.Errorf("a branch of an empty repository: %v", err)
	}
}
