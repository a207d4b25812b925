package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/edge/simulate/check"
	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
)

// daemon is a process of ovi and its supervisor, which starts it again when it ends by itself.
type daemon struct {
	name    string
	command func() *exec.Cmd
	file    string // of what it prints

	mu     sync.Mutex
	off    bool // it is not to run
	cmd    *exec.Cmd
	starts int
	ended  chan struct{} // the supervisor has
}

// restartAfter is the pause of the supervisor.
const restartAfter = time.Second

// start starts it, unless it runs.
func (d *daemon) start() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = false
	if d.ended == nil {
		d.ended = make(chan struct{})
		go d.supervise(d.ended)
	}
}

func (d *daemon) supervise(ended chan struct{}) {
	defer close(ended)
	for {
		out, err := os.OpenFile(d.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		d.mu.Lock()
		if d.off {
			d.ended = nil
			d.mu.Unlock()
			_ = out.Close()
			return
		}
		d.starts++
		d.cmd = d.command()
		d.cmd.Stdout, d.cmd.Stderr = out, out
		err = d.cmd.Start()
		cmd := d.cmd
		d.mu.Unlock()
		if err == nil {
			err = cmd.Wait()
		}
		fmt.Fprintf(out, "--- %s ended: %v\n", d.name, err)
		_ = out.Close()
		d.mu.Lock()
		off := d.off
		d.cmd = nil
		d.mu.Unlock()
		if !off {
			time.Sleep(restartAfter)
		}
	}
}

func (d *daemon) signal(s os.Signal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd != nil && d.cmd.Process != nil {
		_ = d.cmd.Process.Signal(s)
	}
}

// end ends it by a signal, and keeps it from starting again; false: it has not ended within a limit, and was killed.
func (d *daemon) end(s os.Signal, limit time.Duration) bool {
	d.mu.Lock()
	d.off = true
	ended := d.ended
	d.mu.Unlock()
	if ended == nil {
		return true
	}
	d.signal(syscall.SIGCONT)
	d.signal(s)
	select {
	case <-ended:
		return true
	case <-time.After(limit):
		d.signal(syscall.SIGKILL)
		<-ended
		return false
	}
}

// kill ends it at once.
func (d *daemon) kill() { d.end(syscall.SIGKILL, time.Minute) }

// faultySite is a site, its nodes and a central orchestrator: each is a process of its own with a data directory,
// enrolled, and speaks mTLS on loopback through a wire. Only the Podman of each node is one of the test.
type faultySite struct {
	t       *testing.T
	dir     string
	repo    *gittest.Repository
	lo, co  *daemon
	nodes   []*daemon
	hosts   []*podmanOf
	wires   []*wireOf // of the nodes
	uplink  *wireOf
	central string // the address
	site    string

	git        sync.Mutex        // of the repository, and of the file of the clock
	away       bool              // Git is
	commits    int               // so many
	configured map[string]string // versions, by deployment
	ids        map[string]string // of deployments that were renamed
	moved      map[string]string // the entries of `moved` for each of these
	list       string            // the nodes in site.yaml
	renames    int
	faults     int
}

func siteNode(i int) string { return fmt.Sprintf("n%02d", i+1) }

// newFaultySite starts all processes, and waits until every node is enrolled.
func newFaultySite(t *testing.T, nodes int, seed uint64) *faultySite {
	t.Helper()
	dir, err := os.MkdirTemp("", "ovi-site-") // the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	s := &faultySite{t: t, dir: dir, repo: gittest.New(t), configured: map[string]string{}, ids: map[string]string{}, moved: map[string]string{}}
	t.Cleanup(s.remove)
	s.central, s.site = fmt.Sprintf("127.0.0.1:%d", freePort(t)), fmt.Sprintf("127.0.0.1:%d", freePort(t))
	s.uplink = newWireOf(t, s.central)
	list := "nodes:\n"
	for i := range nodes {
		list += "  - {name: " + siteNode(i) + "}\n"
		host := s.folder(siteNode(i) + "-host")
		if err := os.Mkdir(host, 0o700); err != nil {
			t.Fatal(err)
		}
		s.hosts, s.wires = append(s.hosts, newPodmanOf(t, host, seed+uint64(i))), append(s.wires, newWireOf(t, s.site))
	}
	s.repo.Commit(map[string]string{"deployments/berlin/site.yaml": list + "deployments: none\n"})
	s.repo.Commit(map[string]string{"deployments/berlin/site.yaml": list, "deployments/berlin/web.yaml": deployment("web", "1")})
	s.configured["web"], s.list = "1", list
	s.startAll(nodes)
	return s
}

func (s *faultySite) folder(name string) string { return filepath.Join(s.dir, name) }

// remove ends what still runs, and its files unless the test failed.
func (s *faultySite) remove() {
	for _, d := range s.daemons() {
		d.kill()
	}
	if s.t.Failed() {
		s.t.Logf("what all printed and kept is in %s", s.dir)
		return
	}
	if err := os.RemoveAll(s.dir); err != nil {
		s.t.Error(err)
	}
}

func (s *faultySite) daemons() []*daemon {
	all := append([]*daemon{}, s.nodes...)
	for _, d := range []*daemon{s.lo, s.co} {
		if d != nil {
			all = append(all, d)
		}
	}
	return all
}

func (s *faultySite) daemon(name string, args ...string) *daemon {
	return &daemon{name: name, file: s.folder(name + ".log"), command: func() *exec.Cmd {
		cmd := ovi(s.t, s.dir, args...)
		cmd.Env = append(cmd.Env, "OVI_DATA_DIR="+s.folder(name), "OVI_TEST_CLOCK="+s.folder(name+".clock"))
		return cmd
	}}
}

// startAll starts the central orchestrator, that of the site and the nodes, each with a token of the one above.
func (s *faultySite) startAll(nodes int) {
	s.t.Helper()
	s.co = s.daemon("co", "edge", "co", "--listen", s.central)
	s.co.start()
	s.listens(s.central)
	s.lo = s.daemon("lo", "edge", "lo", "--interval", "1s", "--edge-listen", s.site, "--edge-co", s.uplink.address, "--co-token-file", s.token("co", "berlin"), s.repo.URL("deployments/berlin"))
	s.lo.start()
	s.listens(s.site)
	for i := range nodes {
		name := siteNode(i)
		s.nodes = append(s.nodes, s.daemon(name, "edge", "node", "--name", "berlin/"+name, "--lo", s.wires[i].address, "--beat", "2s",
			"--podman-host", "unix://"+s.hosts[i].socket(), "--token-file", s.token("lo", "berlin/"+name)))
		s.nodes[i].start()
	}
	for i := range nodes {
		eventually(s.t, siteNode(i)+" has enrolled", func() bool {
			_, err := os.Stat(filepath.Join(s.folder(siteNode(i)), "node.pem"))
			return err == nil
		})
	}
}

func (s *faultySite) listens(address string) {
	s.t.Helper()
	e := &edgeSite{t: s.t}
	e.listens(address)
}

// token makes a token, and gives the file in which it is.
func (s *faultySite) token(of, name string) string {
	s.t.Helper()
	cmd := ovi(s.t, s.dir, "edge", "token", name, "--data-dir", s.folder(of))
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	file := s.folder(strings.ReplaceAll(name, "/", "-") + ".token")
	if err == nil {
		err = os.WriteFile(file, out, 0o600)
	}
	if err != nil {
		s.t.Fatalf("a token for %s: %v\n%s", name, err, problem.String())
	}
	return file
}

func deployment(name, version string) string {
	return fmt.Sprintf("id: %s\nversion: %q\nimage: localhost/%s:%s\nnodes: all\n", name, version, name, version)
}

// push commits another version of a deployment; "" removes it. While Git is away nothing is committed.
func (s *faultySite) push(name, version string) {
	s.git.Lock()
	defer s.git.Unlock()
	if s.away || s.configured[name] == version {
		return
	}
	files := map[string]string{s.fileOf(name): s.text(name, version)}
	s.commits++
	if s.configured[name] = version; version == "" {
		delete(s.configured, name)
		delete(s.ids, name)
		delete(s.moved, name)
		files["deployments/berlin/site.yaml"] = s.siteText()
	}
	s.repo.Commit(files)
}

// rename commits another id of a deployment, with an entry for the name before, as an orchestrator may miss any commit.
func (s *faultySite) rename(name string) {
	s.git.Lock()
	defer s.git.Unlock()
	version := s.configured[name]
	if s.away || version == "" {
		return
	}
	was := cmp.Or(s.ids[name], name)
	files := map[string]string{s.fileOf(name): ""}
	s.renames++
	s.ids[name] = fmt.Sprint(name, "-", s.renames)
	s.moved[name] += fmt.Sprintf("  - {from: %s, to: %s}\n", was, s.ids[name])
	files[s.fileOf(name)], files["deployments/berlin/site.yaml"] = s.text(name, version), s.siteText()
	s.repo.Commit(files)
	s.commits++
}

func (s *faultySite) fileOf(name string) string {
	return "deployments/berlin/" + cmp.Or(s.ids[name], name) + ".yaml"
}

func (s *faultySite) text(name, version string) string {
	if version == "" {
		return ""
	}
	return strings.Replace(deployment(name, version), "id: "+name, "id: "+cmp.Or(s.ids[name], name), 1)
}

func (s *faultySite) siteText() string {
	moved := ""
	for _, name := range slices.Sorted(maps.Keys(s.moved)) {
		moved += s.moved[name]
	}
	if moved != "" {
		moved = "moved:\n" + moved
	}
	return s.list + moved
}

// gitAway renames the repository, or back.
func (s *faultySite) gitAway(away bool) {
	s.git.Lock()
	defer s.git.Unlock()
	if s.away == away {
		return
	}
	from, to := s.repo.Bare, s.repo.Bare+".away"
	if !away {
		from, to = to, from
	}
	if err := os.Rename(from, to); err != nil {
		s.t.Error(err)
	}
	s.away = away
}

// clock steps the clock of the orchestrator of the site.
func (s *faultySite) clock(step time.Duration) {
	s.git.Lock()
	defer s.git.Unlock()
	next := s.folder("lo.clock.next")
	err := os.WriteFile(next, []byte(step.String()), 0o600)
	if err == nil {
		err = os.Rename(next, s.folder("lo.clock"))
	}
	if err != nil {
		s.t.Error(err)
	}
}

// unrest is what is not as it was committed last, and what has not come to the central orchestrator yet.
func (s *faultySite) unrest() (found []string) {
	images := map[string]string{}
	for name, version := range s.configured {
		images["ovi-"+name] = "localhost/" + name + ":" + version
	}
	for i, h := range s.hosts {
		runs := h.containers()
		for k := range runs { // a node names a deployment by the first id that it hears of
			runs[k].Name, _, _ = strings.Cut(strings.TrimPrefix(runs[k].Name, "ovi-"), "-")
			runs[k].Name = "ovi-" + runs[k].Name
		}
		found = append(found, check.Rest(siteNode(i), runs, images)...)
	}
	events, err := s.came()
	if err != nil {
		return append(found, err.Error())
	}
	return append(found, s.notArrived(events)...)
}

// inProgress are the actions without a result, as the audit log has them while the orchestrator runs.
func (s *faultySite) inProgress() (found []string) {
	l, err := local.Open(s.t.Context(), ledger.Config{Dir: s.folder("lo"), User: "ada", Key: ownKey()})
	if err != nil {
		return []string{err.Error()}
	}
	defer func() { _ = l.Close() }()
	open, err := l.OpenActions(s.t.Context())
	if err != nil {
		return []string{err.Error()}
	}
	for _, o := range open {
		found = append(found, fmt.Sprintf("the %s of %s is in progress", o.Action, o.Ref))
	}
	return found
}

// eventsOf is the file of the events of a process.
func (s *faultySite) eventsOf(name string) string {
	if name == "lo" || name == "co" {
		return edge.EventsFile(filepath.Join(s.folder(name), "edge"))
	}
	return filepath.Join(s.folder(name), "events")
}

// came is all that came to the central orchestrator, in order.
func (s *faultySite) came() ([]link.Event, error) { return outbox.Read(s.eventsOf("co")) }

// notArrived compares the newest event of each node, as it is in its file, with what came.
func (s *faultySite) notArrived(events []link.Event) (found []string) {
	for i := range s.hosts {
		own, err := outbox.Read(s.eventsOf(siteNode(i)))
		if err != nil || len(own) == 0 {
			found = append(found, fmt.Sprintf("%s: it has %d events, %v", siteNode(i), len(own), err))
			continue
		}
		newest := own[len(own)-1]
		found = append(found, check.Made(events, newest.Origin(), newest.Seq)...)
	}
	return found
}

// check ends all processes, and checks what they have on record and what was done.
func (s *faultySite) check() (found []string) {
	for _, d := range s.daemons() {
		if !d.end(syscall.SIGTERM, time.Minute) {
			found = append(found, d.name+" did not end within a minute")
		}
		if out, err := os.ReadFile(d.file); err != nil || bytes.Contains(out, []byte("DATA RACE")) || bytes.Contains(out, []byte("panic:")) {
			found = append(found, fmt.Sprintf("%s ended in a panic or a race, %v", d.name, err))
		}
	}
	events, err := s.came()
	if err != nil {
		return append(found, err.Error())
	}
	found = append(append(found, check.Events(events)...), s.notArrived(events)...)
	l, err := local.Open(s.t.Context(), ledger.Config{Dir: s.folder("lo"), User: "ada", Key: ownKey()})
	if err != nil {
		return append(found, err.Error())
	}
	defer func() { _ = l.Close() }()
	started, wrong := check.Log(s.t.Context(), l)
	found = append(found, wrong...)
	did, late := 0, 0
	for i, h := range s.hosts {
		created, all, err := h.created()
		if err != nil {
			found = append(found, err.Error())
		}
		did, late = did+all, late+h.slowed()
		found = append(found, check.Created(siteNode(i), created, started)...)
	}
	starts := 0
	for _, d := range s.daemons() {
		starts += d.starts
	}
	s.t.Logf("%d faults, %d commits with %d renames, %d starts of %d processes, %d actions on record, %d changes of containers, %d requests to Podman slow or silent, %d events", s.faults, s.commits, s.renames, starts, len(s.daemons()), len(started), did, late, len(events))
	return found
}
