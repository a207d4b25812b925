package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/credentials"

	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// The attack of TestTheLoopGoesOnUnderAttack. Each connection takes two files of the host, of which this process may
// have 20,000. The frames are as large as a server reads, and as many as take less than a second of CPU.
const (
	idleConnections = 5_000 // on each listener
	floodFrames     = 30
	floodEvents     = 36 // in a frame
	floodMessage    = 100_000
)

// TestTheLoopGoesOnUnderAttack: one process that has 256 files reconciles four stacks. A chart becomes one that uses up
// its budget in each cycle, a database one whose query never ends, an enrolled node floods its site with events, and
// 5,000 connections are idle on each listener. Meanwhile the drift of a good stack is reverted within its interval, each
// time, and the health check answers.
func TestTheLoopGoesOnUnderAttack(t *testing.T) {
	t.Parallel()
	const interval = 2 * time.Second
	dir := t.TempDir()
	site := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	writeAttacked(t, dir)
	i := &instance{name: "ovi run"}
	env := []string{
		"AWS_ENDPOINT_URL=http://" + servedSandbox(t, dir), "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		"AWS_CONFIG_FILE=" + os.DevNull, "AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull,
		"CONTAINER_HOST=unix://" + filepath.Join(dir, "none.sock"),
	}
	run := ovi(t, dir, "run", "--auto-approve", "--interval", interval.String(), "--data-dir", ".ovi", "--listen", "127.0.0.1:0",
		"--edge-listen", site, "--edge-identity", "site", "good.yaml", "bomb", "never.db", "berlin")
	i.cmd = exec.Command("sh", append([]string{"-c", `ulimit -n 256; exec "$0" "$@"`, run.Path}, run.Args[1:]...)...)
	i.cmd.Dir, i.cmd.Env = dir, append(run.Env, env...)
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
	health := i.address(t)
	tags := func() string {
		out, _ := ovi(t, dir, "sandbox", "list", "--data-dir", "served", "--output", "json").CombinedOutput()
		return string(out)
	}
	eventually(t, "the good stack exists", func() bool { return strings.Contains(tags(), `"acme-good"`) })
	// it is the node's turn first: strangers of its address take the places of those that have not said who they are
	node := enrolledNode(t, dir, site)

	answered, changed := strings.Count(i.said(), " never (interval, "), time.Now()
	chartIn(t, dir, "bomb", bombText)
	sqlitetest.Exec(t, filepath.Join(dir, "never.db"), "ALTER TABLE clusters RENAME TO c2", "CREATE VIEW clusters AS SELECT * FROM c2 "+
		"WHERE (WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM r WHERE x<10000000000) SELECT count(*) FROM r)>0")
	idle := append(idleOn(t, health, "GET /healthz HT"), idleOn(t, site, "\x16\x03\x01")...)
	flooded := make(chan error, 1)
	go func() { flooded <- flood(node) }()

	// A cycle that finds its update in flight starts none.
	cycles := func() int {
		return strings.Count(i.said(), " good (interval, ") - strings.Count(i.said(), "No changes. 1 in flight.")
	}
	updates := func() int { return strings.Count(i.said(), "): 1 updated") }
	for n := range 3 {
		if out, err := ovi(t, dir, "sandbox", "break", "tag", "s3/acme-good", fmt.Sprint("team=stranger", n), "--data-dir", "served").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		before := cycles()
		took := eventually(t, "the drift is reverted", func() bool { return !strings.Contains(tags(), fmt.Sprint("stranger", n)) })
		// One cycle may have read the bucket before. A stack that waits for a bad source waits for 10 s.
		if needed := cycles() - before; needed > 2 || took >= 10*time.Second {
			t.Errorf("drift %d was reverted after %s and %d cycles; the interval is %s", n, took, needed, interval)
		}
		eventually(t, "its cycle has ended", func() bool { return updates() > n })
		answer, err := http.Get("http://" + health + "/healthz")
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("the health check answers %v, %v", answer, err)
			continue
		}
		_ = answer.Body.Close()
	}
	if err := <-flooded; err != nil {
		t.Errorf("the flood ended early: %v", err)
	}
	for _, c := range idle {
		_ = c.Close()
	}
	eventually(t, "the chart has used up its budget", func() bool { return strings.Contains(unwrapped(i.said()), "more than its budget") })
	// Each of its cycles takes the 10 s of a reading, but for one that had read the table before, or found it locked.
	took := time.Since(changed)
	if read := strings.Count(i.said(), " never (interval, ") - answered; read > 1+int(took/(10*time.Second)) {
		t.Errorf("the database that never answers was read %d times in %s", read, took)
	}
	if strings.Contains(i.said(), "too many open files") {
		t.Error("there were too many open files")
	}
	if err := i.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := i.cmd.Wait(); err != nil || !strings.Contains(i.said(), "Stopped.") {
		t.Errorf("after an interrupt: %v", err)
	}
}

// writeAttacked writes the sources of a good stack, and of those that are about to become bad.
func writeAttacked(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "berlin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"good.yaml":        "version: v1\nstack: good\nprovider: aws\nregion: us-east-1\nresources:\n  - {type: s3, name: acme-good, tags: {team: a}}\n",
		"berlin/site.yaml": "nodes: [{name: n1}]\n",
		"berlin/app1.yaml": "id: app1\nversion: \"1\"\nimage: localhost/app:1\nnodes: all\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	chartIn(t, dir, "bomb", "apiVersion: cutepod/v1alpha0\nkind: CuteNetwork\nmetadata: {name: b}\nspec: {}\n")
	sqlitetest.Exec(t, filepath.Join(dir, "never.db"), sqlitetest.Schema(), sqlitetest.Shipped())
}

// enrolledNode enrolls a node of the site, and opens its stream.
func enrolledNode(t *testing.T, dir, site string) *link.Conn {
	t.Helper()
	token := must(t, dir, "edge", "token", "berlin/n1", "--data-dir", ".ovi", "--edge-identity", "site")
	id := identity.Node{Dir: filepath.Join(dir, "node"), Clock: time.Now}
	err := id.Enroll(t.Context(), strings.TrimSpace(token), edge.Sign(site))
	if err != nil {
		t.Fatal(err)
	}
	config, _, err := id.Config()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := link.Dial(context.Background(), site, credentials.NewTLS(config))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Send(link.FromNode{Hello: &link.Hello{Site: "berlin", Node: "n1", Incarnation: "i"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Recv(); err != nil {
		t.Fatal(err)
	}
	return conn
}

// flood sends frames of large events, and returns when all of them were accepted.
func flood(c *link.Conn) error {
	events := slices.Repeat([]link.Event{{
		Site: "berlin", Node: "n1", Incarnation: "i", Deployment: "app1", To: link.StatusFailed, Message: strings.Repeat("x", floodMessage),
	}}, floodEvents)
	for n := range floodFrames {
		for i := range events {
			events[i].Seq = uint64(n*floodEvents + i + 1)
		}
		if err := c.Send(link.FromNode{Events: events}); err != nil {
			return err
		}
	}
	for {
		f, err := c.Recv()
		if err != nil || f.Ack != nil && *f.Ack == floodFrames*floodEvents {
			return err
		}
	}
}

// idleOn opens connections that stay silent, or begin something and do not end it.
func idleOn(t *testing.T, address, begins string) (all []net.Conn) {
	t.Helper()
	for i := range idleConnections {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("connection %d to %s: %v", i, address, err)
		}
		if i%2 > 0 {
			_, _ = c.Write([]byte(begins)) // it may be closed already
		}
		all = append(all, c)
	}
	return all
}
