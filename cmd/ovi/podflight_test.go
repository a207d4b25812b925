package main

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// The containers of TestLaw12_NoContainerDelaysAnother, which all run the version that is given.
const (
	freeContainer = "\n  - {type: container, name: free, image: 'localhost/app:%s'}"
	// It serves for nine seconds after it got the signal to end.
	drainingContainer = "\n  - {type: container, name: drains, image: 'localhost/app:%s', env: {DRAIN: '9'}}"
	// Its check passes on the port 80 alone.
	illContainer = "\n  - {type: container, name: ill, image: 'localhost/app:1', " +
		"health: {http_get: {path: /version, port: %d}, interval_seconds: 1, retries: 500}}"
	pulledContainer = "\n  - {type: container, name: pulled, image: '%s'}"
)

// TestLaw12_NoContainerDelaysAnother: under `ovi run`, on a real Podman, a pull that never ends, a health check that never
// passes and a container that drains delay no commit and no repair of other containers, and a commit that fixes them is
// applied at once.
func TestLaw12_NoContainerDelaysAnother(t *testing.T) {
	s := newPod(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // a registry that accepts and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	commit := func(containers ...string) {
		writeConfig(t, s.dir, "version: v1\nprovider: podman\nstack: shop\nresources:"+strings.Join(containers, ""))
	}
	commit(fmt.Sprintf(freeContainer, "1"), fmt.Sprintf(drainingContainer, "1"))
	i := &instance{name: "ovi run", cmd: s.ovi("run", "--auto-approve", "--allow-destroy", "--interval", "2s")}
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
	runs := func(name, image string) func() bool {
		return func() bool {
			out, _ := s.host.Try("", "ps", "--format", "{{.Names}} {{.Image}}")
			return strings.Contains("\n"+out+"\n", "\n"+name+" "+image+"\n")
		}
	}
	eventually(t, "version 1 runs", runs("free", "localhost/app:1"))
	eventually(t, "version 1 of what drains runs", runs("drains", "localhost/app:1"))

	hanging := fmt.Sprintf(pulledContainer, silent.Addr().String()+"/app:1")
	commit(fmt.Sprintf(freeContainer, "2"), fmt.Sprintf(drainingContainer, "2"), fmt.Sprintf(illContainer, 81), hanging)
	took := eventually(t, "version 2 runs", runs("free", "localhost/app:2"))
	t.Logf("the commit was applied after %s", took)
	eventually(t, "the swap has ended", func() bool {
		return strings.Contains(unwrapped(i.said()), "container/free: replace (delete old) finished")
	})
	s.host.Podman(t, "rm", "-f", "-t", "0", "free")
	t.Logf("the repair took %s", eventually(t, "it runs again", runs("free", "localhost/app:2")))
	t.Logf("what drains took %s more", eventually(t, "version 2 of what drains runs", runs("drains", "localhost/app:2")))
	if status := s.run(0, "status"); !strings.Contains(status, "container/ill: creating for ") {
		t.Errorf("ill is not in flight any more:\n%s", status)
	}

	commit(fmt.Sprintf(freeContainer, "1"), fmt.Sprintf(illContainer, 80), fmt.Sprintf(pulledContainer, "localhost/app:1"))
	t.Logf("the next commit took %s", eventually(t, "version 1 runs again", runs("free", "localhost/app:1")))
	eventually(t, "what was ill is healthy", func() bool {
		return s.host.Podman(t, "ps", "-q", "--filter", "name=^ill$", "--filter", "health=healthy") != ""
	})
	t.Logf("what was pulled took %s", eventually(t, "it runs", runs("pulled", "localhost/app:1")))
}
