package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestALoopReportsASyntaxError: a file that cannot be read cannot name its stack. Its error is reported, and not that
// the stack has gone because its folder has another name. The same holds for a folder of a repository.
func TestALoopReportsASyntaxError(t *testing.T) {
	t.Parallel()
	for _, repository := range []bool{false, true} {
		s := siteOn(t, nil, stackOf("q", "t3.micro"))
		source, at := "ovi.yaml", "ovi.yaml:7:"
		git := func(args ...string) {
			t.Helper()
			cmd := exec.Command("git", append([]string{"-C", s.dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		if repository {
			if err := os.MkdirAll(filepath.Join(s.dir, "many", "folder"), 0o755); err != nil {
				t.Fatal(err)
			}
			writeConfig(t, filepath.Join(s.dir, "many", "folder"), stackOf("q", "t3.micro"))
			git("init", "--quiet", "--initial-branch", "main")
			git("add", "many")
			git("commit", "--quiet", "-m", "one")
			source, at = "git+file://"+s.dir+"//many/*?ref=main", "many/folder/ovi.yaml:7:"
		}
		i := s.keep("all", source)
		eventually(t, "it has created all", func() bool { return i.cycles() > 1 })
		if repository {
			writeConfig(t, filepath.Join(s.dir, "many", "folder"), stackOf("q", "t3.micro")+"resources: [\n")
			git("commit", "--quiet", "-am", "two")
		} else {
			writeConfig(t, s.dir, stackOf("q", "t3.micro")+"resources: [\n")
		}
		eventually(t, "it reports an error", func() bool {
			return strings.Contains(i.said(), at) || strings.Contains(i.said(), "no longer has stack")
		})
		if strings.Contains(i.said(), "no longer has stack") {
			t.Errorf("%s: the error of the file is hidden\n%s", source, i.said())
		}
		if err := i.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = i.cmd.Wait()
	}
}
