package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/internal/etcdtest"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// site is what instances with separate data directories share: an etcd, a sandbox
// and a configuration.
type site struct {
	t      *testing.T
	dir    string
	server *etcdtest.Server // nil: all are on one host and share a data directory
	store  string           // "": the server, by its endpoint
}

func newSite(t *testing.T, config string) *site {
	t.Helper()
	return siteOn(t, etcdtest.Shared(t), config)
}

func siteOn(t *testing.T, server *etcdtest.Server, config string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), server: server}
	writeConfig(t, s.dir, config)
	return s
}

// as is a command of one of the instances.
func (s *site) as(instance string, args ...string) *exec.Cmd {
	store, dir := s.store, instance
	switch {
	case s.server == nil:
		store, dir = "", "all"
	case store == "":
		store = "etcd://" + s.server.Endpoint + "/" + s.server.Room + "site"
	}
	cmd := ovi(s.t, s.dir, args...)
	cmd.Env = append(cmd.Env,
		"OVI_STORE="+store, "OVI_SANDBOX_FILE="+filepath.Join(s.dir, "cloud", "aws.json"),
		"OVI_DATA_DIR="+filepath.Join(s.dir, dir), "USER="+instance)
	return cmd
}

// run runs a command of an instance, which must exit with one of the codes.
func (s *site) run(instance string, codes string, args ...string) string {
	s.t.Helper()
	out, err := s.as(instance, args...).CombinedOutput()
	code := "0"
	if err != nil {
		code = exitText(err)
	}
	if !strings.Contains(" "+codes+" ", " "+code+" ") {
		s.t.Fatalf("%s: ovi %s: exit code %s, want %s\n%s", instance, strings.Join(args, " "), code, codes, out)
	}
	return string(out)
}

// instanceIn reads which instance `store status` was asked by.
func instanceIn(t *testing.T, status string) string {
	t.Helper()
	for line := range strings.Lines(status) {
		if strings.Contains(line, "this one") {
			return strings.Fields(line)[0]
		}
	}
	t.Fatalf("no instance in\n%s", status)
	return ""
}

// unwrapped is a text in one line, so that it does not matter where the screen wraps it.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// withoutRevisions removes the numbers of revisions, which each store counts for itself.
func withoutRevisions(text string) string {
	return regexp.MustCompile(`(?m)^ *\d+ +`).ReplaceAllString(text, "")
}

// made counts the resources in the sandbox; one that exists twice is an error.
func (s *site) made() int {
	s.t.Helper()
	cloud, err := sandbox.Open(filepath.Join(s.dir, "cloud", "aws.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer cloud.Close()
	all, err := cloud.Resources()
	if err != nil {
		s.t.Fatal(err)
	}
	names := map[string]int{}
	for _, x := range all {
		if x.Kind == "ec2" && x.State != "terminated" && x.State != "shutting-down" {
			names[x.Name]++
		}
	}
	for name, n := range names {
		if n != 1 {
			s.t.Errorf("%s is there %d times", name, n)
		}
	}
	return len(names)
}

func fleet(n int) string {
	return strings.Replace(fifty, "count: 50", fmt.Sprintf("count: %d", n), 1)
}

// TestTwoHostsApplyAtOnce is the first promise of a shared store: two data directories, one
// etcd, one stack applied from both at once. Each thing is made once, each says what the other
// did, and each can tell the whole story.
func TestTwoHostsApplyAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, fleet(20))
	type end struct {
		who, out, code string
	}
	ends := make(chan end, 2)
	for _, who := range []string{"ann", "bob"} {
		cmd := s.as(who, "apply", "--sandbox", "--auto-approve", "--lock-timeout", "2m")
		go func() {
			out, err := cmd.CombinedOutput()
			code := "0"
			if err != nil {
				code = exitText(err)
			}
			ends <- end{who, string(out), code}
		}()
	}
	var outs []string
	for range 2 {
		e := <-ends
		if outs = append(outs, e.out); e.code != "0" && e.code != fmt.Sprint(cli.ExitClaimed) {
			t.Errorf("%s ended with %s:\n%s", e.who, e.code, e.out)
		}
	}
	if n := s.made(); n != 20 {
		t.Errorf("%d instances, want 20", n)
	}
	for _, who := range []string{"ann", "bob"} {
		s.run(who, "0", "plan", "--sandbox", "--detailed-exitcode")
		s.run(who, "0", "audit", "verify")
	}
	if all := strings.Join(outs, ""); !strings.Contains(all, "done meanwhile by another run") && !strings.Contains(all, "claimed by") && !strings.Contains(all, "No changes") {
		t.Errorf("neither says what the other did")
	}
	for _, who := range []string{"ann", "bob"} {
		if out := s.run(who, "0", "why", "web-3"); !strings.Contains(out, "Created ") {
			t.Errorf("%s cannot tell why:\n%s", who, out)
		}
	}
	ann, bob := s.run("ann", "0", "history", "web-3"), s.run("bob", "0", "history", "web-3")
	if ann != bob || !strings.Contains(ann, "create finished") {
		t.Errorf("the story is another from the other side:\n%s\n%s", ann, bob)
	}
}

// TestWhyFromTheOtherHost: what one instance did the other tells whole, from the store, and
// says whose record it is and where the rest of it stands.
func TestWhyFromTheOtherHost(t *testing.T) {
	t.Parallel()
	s := newSite(t, fleet(2))
	s.run("ann", "0", "apply", "--sandbox", "--auto-approve")
	writeConfig(t, s.dir, strings.Replace(fleet(2), "t3.micro", "t3.small", 1))
	s.run("bob", "0", "apply", "--sandbox", "--auto-approve")
	s.run("bob", "0", "bless", "--sandbox", "web-0", "--reason", "it holds the data")
	mine := unwrapped(s.run("ann", "0", "why", "--all", "web-0"))
	for _, word := range []string{
		"by bob", "because ovi.yaml changed", "size t3.micro -> t3.small", "configuration ovi.yaml, stack fleet", "approved by bob (--auto-approve)",
		"recorded by instance", "its own audit log has the complete records", "blessed by bob: it holds the data", "created by ann",
	} {
		if !strings.Contains(mine, word) {
			t.Errorf("ann does not tell %q:\n%s", word, mine)
		}
	}
	if bob := instanceIn(t, s.run("bob", "0", "store", "status")); !strings.Contains(mine, " of instance "+bob) {
		t.Errorf("it does not say that the records are of instance %s:\n%s", bob, mine)
	}
	if before, after := strings.Index(mine, "blessed by bob"), strings.Index(mine, "created by ann"); before > after {
		t.Errorf("the newest is not first:\n%s", mine)
	}
	theirs := unwrapped(s.run("bob", "0", "why", "--all", "web-0"))
	if strings.Count(mine, "recorded by") == 0 || strings.Count(theirs, "approved ") != strings.Count(mine, "approved ") {
		t.Errorf("bob tells another story:\n%s", theirs)
	}
	writeConfig(t, s.dir, fleet(1))
	ann := instanceIn(t, s.run("ann", "0", "store", "status"))
	if out := unwrapped(s.run("bob", "0", "plan", "--sandbox")); !strings.Contains(out, " of instance "+ann+".") {
		t.Errorf("bob's plan does not say whose record proves what it deletes:\n%s", out)
	}
	if out := unwrapped(s.run("ann", "0", "plan", "--sandbox")); regexp.MustCompile(`by record \d+ of instance`).MatchString(out) {
		t.Errorf("ann's plan names an instance for her own record:\n%s", out)
	}
}

// TestTheStoreOfADirectoryIsRemembered: a store in etcd is not replaced by a new one in a
// file because an option was forgotten, and no password shows.
func TestTheStoreOfADirectoryIsRemembered(t *testing.T) {
	t.Parallel()
	s := newSite(t, fleet(1))
	s.run("ann", "0", "plan", "--sandbox")
	cmd := s.as("ann", "status")
	cmd.Env = append(cmd.Env, "OVI_STORE=")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the store of this data directory is etcd://"+s.server.Endpoint+"/"+s.server.Room+"site") {
		t.Errorf("without a store: %v\n%s", err, out)
	}
	cmd = s.as("eve", "plan", "--sandbox", "--store", "etcd://eve:not-a-real-password@127.0.0.1:1/site")
	out, err = cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "not-a-real-password") {
		t.Errorf("an unreachable store: %v\n%s", err, out)
	}
	if note, err := os.ReadFile(filepath.Join(s.dir, "ann", command.StoreNote)); err != nil || strings.Contains(string(note), "@") {
		t.Errorf("the note: %s, %v", note, err)
	}
}
