package main

import (
	"os"
	"strings"
	"testing"
)

const besides = `  - type: log_group
    name: audit
    retention_days: 7
`

// TestTwentyFlightsSurviveAKill: kill -9 ends a loop while it creates twenty instances, before the cloud has made them
// or after. The next start knows each of the twenty by its record, makes none twice, and does everything else.
func TestTwentyFlightsSurviveAKill(t *testing.T) {
	for name, c := range map[string]struct {
		env  string
		made int
	}{
		"before they exist": {`OVI_SANDBOX_FAULTS=[{"kind":"slow","action":"RunInstances","delay_ms":3600000}]`, 0},
		"after":             {"OVI_SANDBOX_SETTLE=1h", 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killTwenty(t, c.env, c.made)
		})
	}
}

func killTwenty(t *testing.T, env string, made int) {
	dir := t.TempDir()
	writeConfig(t, dir, fleet(20))
	loop := ovi(t, dir, "run", "--sandbox", "--auto-approve", "--interval", "2s", "--parallelism", "20", "--claim-ttl", "3s")
	loop.Env = append(loop.Env, env)
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = loop.Process.Kill() })
	eventually(t, "twenty instances are being created", func() bool {
		out, err := ovi(t, dir, "status", "--output", "json").Output()
		return err == nil && strings.Count(string(out), `"running":true`) == 20 &&
			(made == 0 || len(instances(t, dir)) == made)
	})
	_ = loop.Process.Kill()
	_ = loop.Wait()
	if n := len(instances(t, dir)); n != made {
		t.Fatalf("%d instances were there, want %d", n, made)
	}

	writeConfig(t, dir, fleet(20)+besides)
	next := ovi(t, dir, "run", "--sandbox", "--auto-approve", "--interval", "2s", "--claim-ttl", "3s")
	if err := next.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = next.Process.Kill() })
	eventually(t, "all is done", func() bool {
		out, err := ovi(t, dir, "status", "--output", "json").Output()
		return err == nil && !strings.Contains(string(out), `"type":"open"`) && strings.Contains(string(out), "log_group/audit") &&
			strings.Count(string(out), `/ec2/web-`) >= 20
	})
	_ = next.Process.Signal(os.Interrupt)
	_ = next.Wait()

	there := instances(t, dir)
	for name, n := range there {
		if n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
	if len(there) != 20 {
		t.Errorf("%d instances, want 20", len(there))
	}
	log := must(t, dir, "audit", "log", "--output", "json")
	known := strings.Count(log, `"event":"recovered"`)
	again := strings.Count(log, `"event":"started"`) - 20 - 1 // the twenty, and the log group
	if known != 20 || again != 20-made {
		t.Errorf("%d of the 20 are recovered, and %d are created again, of %d that were not made", known, again, 20-made)
	}
	must(t, dir, "audit", "verify")
	if out := must(t, dir, "plan", "--sandbox", "--detailed-exitcode"); !strings.Contains(out, "No changes") {
		t.Errorf("something is left to do:\n%s", out)
	}
}
