package main

import (
	"bufio"
	"encoding/pem"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/internal/gitclone/gittest"
)

// TestACutOfTheNetworkHealsWithoutAHand runs a loop whose store, provider and source are behind a network each. One
// after the other is cut for a second. With OVI_CUT it is cut for this long, and then lets nothing through for as long.
// Meanwhile a resource is deleted and a commit is pushed. Afterwards both are done, by the same process.
func TestACutOfTheNetworkHealsWithoutAHand(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 s")
	}
	t.Parallel()
	lasts, ways := time.Second, []string{"cut"}
	if text := os.Getenv("OVI_CUT"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		ways = append(ways, "silent")
	}
	repo := gittest.New(t)
	network := func(name string) string { return "  - {type: vpc, name: " + name + ", cidr: 10.0.0.0/16}\n" }
	head := "version: v1\nstack: cut\nprovider: aws\nregion: us-east-1\nresources:\n" + network("main")
	commit := func(more ...string) {
		text := head
		for _, name := range more {
			text += network(name)
		}
		repo.Commit(map[string]string{"app/ovi.yaml": text})
	}
	commit()
	server := etcdtest.Start(t)
	s := siteOn(t, server, head)
	git, ca := servedRepository(t, repo)
	wires := map[string]*wireOf{
		"store": newWireOf(t, server.Endpoint), "provider": newWireOf(t, servedSandbox(t, s.dir)), "source": newWireOf(t, git),
	}
	s.store = "etcd://" + wires["store"].address + "/cut"
	i := &instance{s: s, name: "one"}
	i.cmd = s.as("one", "run", "--auto-approve", "--interval", "1s", "--claim-ttl", runTTL.String(),
		"git+https://"+wires["source"].address+"/fleet.git//app?ref=main")
	i.cmd.Env = append(i.cmd.Env, "AWS_ENDPOINT_URL=http://"+wires["provider"].address, "AWS_ACCESS_KEY_ID=EXAMPLE",
		"AWS_SECRET_ACCESS_KEY=not-a-secret", "AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE="+os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE="+os.DevNull, "NO_PROXY=*", "GIT_SSL_CAINFO="+ca, "GIT_CONFIG_GLOBAL="+os.DevNull)
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
	exists := func(name string) bool {
		out, _ := ovi(t, s.dir, "sandbox", "list", "--data-dir", "served", "--output", "json").CombinedOutput()
		return strings.Contains(string(out), `"name":"`+name+`"`)
	}
	rests := func(name string) { // no action is in flight: its result would be unknown, and the next attempt would wait
		t.Helper()
		eventually(t, "it has made "+name+" and main", func() bool { return exists("main") && exists(name) })
		n := i.cycles()
		eventually(t, "it rests", func() bool { return i.cycles() > n+1 })
	}
	rests("main")
	var all []string
	for _, name := range []string{"store", "provider", "source"} {
		for _, how := range ways {
			cut := map[string]func(bool){"cut": wires[name].cut, "silent": wires[name].hold}[how]
			t.Logf("the network to the %s is %s", name, how)
			cut(true)
			if out, err := ovi(t, s.dir, "sandbox", "break", "delete", "main", "--data-dir", "served").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			all = append(all, name+"-"+how)
			commit(all...)
			if time.Sleep(lasts); name == "source" {
				eventually(t, "it heals without its source", func() bool { return exists("main") })
			}
			cut(false)
			rests(all[len(all)-1])
		}
	}
	if err := i.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := i.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// servedSandbox serves the sandbox in the folder served, and returns its address.
func servedSandbox(t *testing.T, dir string) string {
	t.Helper()
	server := ovi(t, dir, "sandbox", "serve", "--listen", "127.0.0.1:0", "--data-dir", "served")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("no address in %q: %v", line, err)
	}
	return address
}

// servedRepository serves a repository over HTTPS, and returns the address of the server and the file of its authority.
func servedRepository(t *testing.T, repo *gittest.Repository) (address, ca string) {
	t.Helper()
	core, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"), Dir: repo.Bare,
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(repo.Bare), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null"},
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := backend
		c.Env = append([]string{"GIT_PROTOCOL=" + r.Header.Get("Git-Protocol")}, c.Env...)
		c.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}
	if err := os.WriteFile(ca, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return server.Listener.Addr().String(), ca
}
