package main

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestAStoppedRunTellsWhatItLeaves: after SIGTERM the exit code and the last line of `ovi run` tell whether all running
// actions have ended or which have not after --grace. The next start knows those, and makes nothing twice.
func TestAStoppedRunTellsWhatItLeaves(t *testing.T) {
	for name, x := range map[string]struct {
		settle, grace string
		code          int
		last          string
	}{
		"all have ended": {"1s", "1m", 0, "Stopped. All running actions have ended; no other was started."},
		"one is left": {
			"1h", "300ms", 130,
			"stopped before these actions ended, and their results are unknown: ec2/web-0 (creating)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeConfig(t, dir, fleet(1))
			run := &instance{name: "run", cmd: ovi(t, dir, "run", "--sandbox", "--auto-approve", "--grace", x.grace)}
			run.cmd.Env = append(run.cmd.Env, "OVI_SANDBOX_SETTLE="+x.settle)
			run.cmd.Stdout, run.cmd.Stderr = run, run
			if err := run.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = run.cmd.Process.Kill() })
			eventually(t, "the instance is being created", func() bool { return len(instances(t, dir)) == 1 })
			if err := run.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			err := run.cmd.Wait()
			code, exit := 0, (*exec.ExitError)(nil)
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			if said := strings.Join(strings.Fields(run.said()), " "); code != x.code || !strings.Contains(said, x.last) {
				t.Errorf("exit code %d, want %d:\n%s", code, x.code, run.said())
			}
			must(t, dir, "apply", "--sandbox", "--auto-approve")
			if n := len(instances(t, dir)); n != 1 {
				t.Errorf("%d instances", n)
			}
			recovered := strings.Count(must(t, dir, "audit", "log", "--output", "json"), `"event":"recovered"`)
			if want := map[int]int{130: 1}[x.code]; recovered != want {
				t.Errorf("%d actions were recovered, want %d", recovered, want)
			}
		})
	}
}
