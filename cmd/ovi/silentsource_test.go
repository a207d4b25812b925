package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/gitclone/gittest"
)

// TestLaw12_ASilentSourceDelaysNoOtherStack: a loop of two stacks starts while the repository of one accepts connections
// and answers nothing. What broke in both is repaired at once: in the other one, and by the record in its own.
func TestLaw12_ASilentSourceDelaysNoOtherStack(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	t.Parallel()
	config := func(stack string) string {
		return "version: v1\nstack: " + stack + "\nprovider: aws\nregion: us-east-1\nresources:\n  - {type: vpc, name: net-of-" + stack + ", cidr: 10.0.0.0/16}\n"
	}
	repo := gittest.New(t)
	repo.Commit(map[string]string{"app/ovi.yaml": config("far")})
	s := &site{t: t, dir: t.TempDir()}
	writeConfig(t, s.dir, config("near"))
	address, ca := servedRepository(t, repo)
	wire := newWireOf(t, address)
	start := func() *instance {
		i := &instance{s: s, name: "one"}
		i.cmd = s.as("one", "run", "--sandbox", "--auto-approve", "--interval", "1s", "git+https://"+wire.address+"/fleet.git//app?ref=main", "ovi.yaml")
		i.cmd.Env = append(i.cmd.Env, "OVI_SANDBOX_SETTLE=0s", "NO_PROXY=*", "GIT_SSL_CAINFO="+ca, "GIT_CONFIG_GLOBAL="+os.DevNull)
		i.cmd.Stdout, i.cmd.Stderr = i, i
		if err := i.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = i.cmd.Process.Kill()
			_ = i.cmd.Wait()
			if t.Failed() {
				t.Logf("it said:\n%s", i.said())
			}
		})
		return i
	}
	exist := func() bool {
		out, _ := s.as("one", "sandbox", "list", "--output", "json").CombinedOutput()
		return strings.Contains(string(out), `"name":"net-of-far"`) && strings.Contains(string(out), `"name":"net-of-near"`)
	}
	one := start()
	eventually(t, "it has made both", func() bool { return exist() && one.cycles() > 2 })
	if err := one.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = one.cmd.Wait()
	for _, name := range []string{"net-of-far", "net-of-near"} {
		s.run("one", "0", "sandbox", "break", "delete", name)
	}
	wire.hold(true)
	two := start()
	took := eventually(t, "it starts", func() bool { return strings.Contains(two.said(), "reconciles stack ") })
	if took > 15*time.Second { // git gives up after 20
		t.Errorf("the loops started after %s", took)
	}
	eventually(t, "both are repaired", exist)
	eventually(t, "the source is named", func() bool { return strings.Contains(two.said(), "no answer since") })
}
