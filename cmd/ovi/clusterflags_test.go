package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/clusters"
	"github.com/ovi-project/ovi/cmd/command"
)

// TestEachFlagOfAClusterCommandIsTriedInAShell: some script runs the command with the flag, and checks the exit
// code that the shell reads.
func TestEachFlagOfAClusterCommandIsTriedInAShell(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/cluster-*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	var all []byte
	for _, name := range scripts {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	p := &command.Process{Process: cli.Process{Env: os.LookupEnv}}
	for _, c := range clusters.ClusterCommand(p).Subcommands {
		names := []string{"quiet", "output|o", "help|h"}
		for _, f := range c.Flags {
			names = append(names, f.Names()[0])
		}
		for _, name := range names {
			tried := regexp.MustCompile(`(?m)^exec sh \S*rc [0-9]+ ovi cluster ` + c.Name + `\b.* --?(` + name + `)\b`)
			if !tried.Match(all) {
				t.Errorf("no script runs `ovi cluster %s --%s` in a shell", c.Name, name)
			}
		}
	}
}
