package gitclone_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitclone/gittest"
)

// TestAPlantedConfigurationRunsNothing: the clone came with a repository, whose author wrote its configuration.
func TestAPlantedConfigurationRunsNothing(t *testing.T) {
	const program = "[remote \"origin\"]\n\tuploadpack = \"touch PWNED; git-upload-pack\"\n"
	for name, plant := range map[string]map[string]string{
		"the program of the server":     {"config": program},
		"an included file":              {"config": "[include]\n\tpath = other\n", "other": program},
		"the folder of another clone":   {"commondir": "elsewhere\n", "elsewhere/config": program},
		"a configuration of a worktree": {"config": "[extensions]\n\tworktreeConfig = true\n", "config.worktree": program},
		"a helper for credentials":      {"config": "[credential]\n\thelper = \"!touch PWNED\"\n" + program},
		"a pager and an alias":          {"config": "[core]\n\tpager = touch PWNED\n[alias]\n\tfetch = !touch PWNED\n" + program},
	} {
		t.Run(name, func(t *testing.T) {
			repo := gittest.New(t)
			commit := repo.Commit(map[string]string{"x": "one\n"})
			c := gitclone.Clone{Dir: filepath.Join(t.TempDir(), "a"), Remote: "file://" + repo.Bare, Env: os.LookupEnv}
			if err := c.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
			pwned := filepath.Join(c.Dir, "PWNED")
			for file, text := range plant {
				path := filepath.Join(c.Dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				old, err := os.ReadFile(path)
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				text = string(old) + strings.ReplaceAll(text, "PWNED", pwned)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Fetch(t.Context(), []string{"main:refs/ovi/fetched"}); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(pwned); err == nil {
				t.Error("a program of the repository's author ran")
			}
			if got, err := c.Resolve(t.Context(), "refs/ovi/fetched"); err != nil || got != commit {
				t.Errorf("fetched %q: %v", got, err)
			}
		})
	}
}
