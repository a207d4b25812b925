package git_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/git"
	"github.com/ovi-project/ovi/source/sourcetest"
)

func openConfig(files fs.FS, path, stack string) (source.Source, error) {
	return config.New([]string{path}, config.Options{Options: sourcetest.Options(), Files: files, Stack: stack}), nil
}

// TestConformance holds configuration files in a repository to what every source promises.
func TestConformance(t *testing.T) {
	t.Parallel()
	repos := map[string]*gittest.Repository{}
	sourcetest.Run(t, sourcetest.Harness{
		Write: func(t *testing.T, dir string, specs []sourcetest.Spec) source.Source {
			repo := gittest.New(t)
			repos[dir] = repo
			repo.Commit(files(specs))
			return git.New(open(t, repo.URL("suite"), git.Options{}), openConfig)
		},
		Break: func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(repos[dir].Bare, "objects")); err != nil {
				t.Fatal(err)
			}
		},
	})
}

// files writes specs as configuration files.
func files(specs []sourcetest.Spec) map[string]string {
	out := map[string]string{}
	var b strings.Builder
	fmt.Fprintf(&b, "version: v1\nprovider: %s\nlocation: %s\nresources:\n", sourcetest.Provider, sourcetest.Location)
	for i, s := range specs {
		fmt.Fprintf(&b, "  - type: %s\n    name: %s\n", s.Kind, s.Name)
		if s.Count > 0 {
			fmt.Fprintf(&b, "    count: %d\n", s.Count)
		}
		if len(s.DependsOn) > 0 {
			fmt.Fprintf(&b, "    depends_on: [%s]\n", strings.Join(s.DependsOn, ", "))
		}
		for k, v := range s.Attrs {
			if _, is := v.(string); is {
				v = fmt.Sprintf("%q", v)
			}
			fmt.Fprintf(&b, "    %s: %v\n", k, v)
		}
		for k, v := range s.Secrets {
			name := fmt.Sprintf("%s-%d", k, i)
			out["suite/"+name] = v
			fmt.Fprintf(&b, "    %s: ${file:%s}\n", k, name)
		}
	}
	out["suite/all.yaml"] = b.String()
	return out
}

// TestEachFolderIsAStack: a repository of several folders is several stacks, and one that cannot be read costs
// no other.
func TestEachFolderIsAStack(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	one := "version: v1\nprovider: fake\nlocation: here\nresources: [{type: net, name: main, cidr: 10.0.0.0/16}]\n"
	commit := repo.Commit(map[string]string{
		"sites/a/x.yaml": one, "sites/b/x.yaml": one, "sites/c/readme.md": "none\n",
		"README.md": "none\n",
	})
	drafts, err := git.New(open(t, repo.URL("sites/*"), git.Options{}), openConfig).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range drafts {
		if d.Version != commit {
			t.Errorf("stack %s has version %s", d.Stack, d.Version)
		}
		got[d.Stack] = fmt.Sprint(d.Err != nil)
	}
	if diff := cmp.Diff(map[string]string{"a": "false", "b": "false", "c": "true"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestACommitIsNotTheWholeVersion reads one commit with other variables: what a commit does not have is part of the
// version too.
func TestACommitIsNotTheWholeVersion(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	head := fmt.Sprintf("version: v1\nprovider: %s\nlocation: %s\n", sourcetest.Provider, sourcetest.Location)
	commit := repo.Commit(map[string]string{
		"plain/x.yaml": head + "resources: [{type: app, name: a, size: 1, password: \"${file:pw}\"}]\n", "plain/pw": "pw",
		"env/x.yaml": head + "vars: {size: 1}\nresources: [{type: app, name: a, size: \"${vars.size}\", password: \"${env:PW}\"}]\n",
	})
	version := func(path, pw string, set ...string) string {
		inner := func(files fs.FS, path, stack string) (source.Source, error) {
			return config.New([]string{path}, config.Options{
				Options: sourcetest.Options(), Files: files, Stack: stack, Set: set,
				Env: func(string) (string, bool) { return pw, true },
			}), nil
		}
		intents, err := source.Load(t.Context(), git.New(open(t, repo.URL(path), git.Options{}), inner))
		if err != nil {
			t.Fatal(err)
		}
		return intents[0].Version
	}
	if v := version("plain", "a"); v != commit {
		t.Errorf("the version is %s, and the commit %s", v, commit)
	}
	one := version("env", "a")
	if !strings.HasPrefix(one, commit+"+") || one != version("env", "a") {
		t.Errorf("the version is %s, and the commit %s", one, commit)
	}
	if one == version("env", "b") || one == version("env", "a", "size=2") {
		t.Error("another variable or value is the same version")
	}
}
