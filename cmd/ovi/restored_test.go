package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestARestoredCacheOfARunner: a fresh runner with the key of its jobs goes on with a restored data directory, without a
// terminal. One that another key signed stops it.
func TestARestoredCacheOfARunner(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	keys := map[string]string{}
	for _, name := range []string{"own", "foreign"} {
		keys[name] = filepath.Join(base, name+".key")
		if out, err := exec.Command("openssl", "genpkey", "-algorithm", "ed25519", "-out", keys[name]).CombinedOutput(); err != nil {
			t.Skipf("openssl: %v\n%s", err, out)
		}
	}
	job := func(dir, key string, args ...string) *exec.Cmd {
		cmd := ovi(t, dir, args...)
		cmd.Env = append(cmd.Env, "OVI_LOG_KEY_FILE="+keys[key], "XDG_STATE_HOME="+filepath.Join(t.TempDir(), "state"))
		return cmd
	}
	for _, cache := range []string{"own", "foreign"} {
		first, second := filepath.Join(base, cache), filepath.Join(base, cache+"-restored")
		if err := os.Mkdir(first, 0o755); err != nil {
			t.Fatal(err)
		}
		writeConfig(t, first, machines("web"))
		exits(t, job(first, cache, "apply", "--sandbox", "--auto-approve"), "0")
		copyTo(t, second, first)
		writeConfig(t, second, machines())
		if cache == "own" {
			exits(t, job(second, "own", "plan"), "0")
			if out := exits(t, job(second, "own", "apply", "--auto-approve"), "0"); !strings.Contains(out, "1 deleted") {
				t.Errorf("the instance of the first job is not deleted:\n%s", out)
			}
			continue
		}
		for _, args := range [][]string{{"plan"}, {"status"}, {"apply", "--auto-approve"}, {"destroy", "--auto-approve"}} {
			if out := exits(t, job(second, "own", args...), "1"); !strings.Contains(out, "ovi store trust --directory") {
				t.Errorf("ovi %s names no way out:\n%s", args[0], out)
			}
		}
		if got := instances(t, second); got["web"] != 1 {
			t.Errorf("the instances of the stranger are %v", got)
		}
	}
}
