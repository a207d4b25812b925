package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnExchangeOfPortsEndsWhileItsChartIsGone: on a real Podman, kill -9 ends a loop that exchanges the host ports of two
// containers, after it has deleted one and before it creates it again. Then the folder of the chart is gone. A loop that
// starts without it ends the exchange from the record beside the folder, and has nothing to do once the chart is back.
func TestAnExchangeOfPortsEndsWhileItsChartIsGone(t *testing.T) {
	s := newPod(t)
	killer := newKiller(t, s)
	folder := filepath.Join(s.dir, "shop")
	if err := os.MkdirAll(filepath.Join(folder, "templates"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(a, b int) {
		text := ""
		for name, port := range map[string]int{"web-a": s.port + a, "web-b": s.port + b} {
			text += fmt.Sprintf("---\napiVersion: cutepod/v1alpha0\nkind: CuteContainer\nmetadata: {name: %s}\nspec:\n"+
				"  image: localhost/app:1\n  ports: [{containerPort: 80, hostPort: %d}]\n", name, port)
		}
		for file, text := range map[string]string{
			"Chart.yaml": "name: store\nversion: 1.0.0\n", "values.yaml": "{}\n", "templates/all.yaml": text,
		} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	running := func() int { return strings.Count(s.host.Podman(t, "ps", "--format", "{{.Names}}"), "web-") }
	write(0, 1)
	s.run(0, "apply", "--auto-approve", "shop")
	loop := func() (ends func(os.Signal)) {
		t.Helper()
		cmd := s.ovi("run", "--auto-approve", "--allow-destroy", "--interval", "1s", "--claim-ttl", "3s", "shop")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killer.arm(cmd.Process, killAt{call: "POST containers/create", when: "before"})
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return func(signal os.Signal) {
			if signal != nil {
				_ = cmd.Process.Signal(signal)
			}
			_ = cmd.Wait()
		}
	}
	write(1, 0)
	ends := loop()
	ends(nil) // killed before the create
	if n := running(); n != 1 {
		t.Fatalf("%d containers run after the kill", n)
	}
	if err := os.Rename(folder, folder+"-away"); err != nil {
		t.Fatal(err)
	}
	ends = loop()
	killer.arm(nil, killAt{})
	eventually(t, "both run", func() bool { return running() == 2 })
	ends(os.Interrupt)
	if out := s.run(4, "status", "--data-dir", ".ovi-store"); !strings.Contains(out, "no such file") {
		t.Errorf("it does not say that the chart is gone:\n%s", out)
	}
	if err := os.Rename(folder+"-away", folder); err != nil {
		t.Fatal(err)
	}
	if out := s.run(0, "plan", "shop"); !strings.Contains(out, "No changes. 2 unchanged.") {
		t.Errorf("something is left:\n%s", out)
	}
}
