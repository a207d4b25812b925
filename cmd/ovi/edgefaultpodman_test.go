package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/edge/simulate/check"
	"github.com/ovi-project/ovi/provider/podman/libpod"
)

// podmanOf is the Podman of one node, as far as a node uses it: an API on a socket, and containers without programs.
// Each change takes a while, is done also when the caller is killed meanwhile, and is a line of the file actions once it
// is done. Changes can take much longer, and all requests can hang, until it is healed.
type podmanOf struct {
	dir string

	mu      sync.Mutex
	chance  *rand.Rand
	actions *os.File
	made    int
	all     map[string]*libpod.Container // by ID
	volumes map[string]libpod.Volume
	broken  map[string]int // how often each failed, or was removed, outside ovi
	long    time.Duration  // half of the changes take up to so much longer
	hangs   bool           // nothing is answered
	heals   chan struct{}  // closed when it is healed
	ended   chan struct{}  // closed when its test has ended
	late    int            // requests that took longer, or hung
}

// done is a line of the file: what was done to a container.
type done struct {
	Verb string `json:"verb"`
	ID   string `json:"id"`
	Name string `json:"name"`
	Key  string `json:"key"` // of the action that created it
}

// slowest is how long a change takes at most, before its effect and after it.
const slowest = 300 * time.Millisecond

func newPodmanOf(t *testing.T, dir string, seed uint64) *podmanOf {
	t.Helper()
	p := &podmanOf{dir: dir, chance: rand.New(rand.NewPCG(seed, 3)), all: map[string]*libpod.Container{}, volumes: map[string]libpod.Volume{}, broken: map[string]int{}, heals: make(chan struct{}), ended: make(chan struct{})}
	var err error
	if p.actions, err = os.OpenFile(filepath.Join(dir, "actions"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", p.socket())
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: p.handler()}}
	server.Start()
	t.Cleanup(func() { close(p.ended); server.CloseClientConnections(); server.Close(); _ = p.actions.Close() })
	return p
}

func (p *podmanOf) socket() string { return filepath.Join(p.dir, "podman.sock") }

func (p *podmanOf) handler() http.Handler {
	m := http.NewServeMux()
	const api = "/v4.0.0/libpod"
	m.HandleFunc("GET "+api+"/info", func(w http.ResponseWriter, _ *http.Request) { answer(w, libpod.Info{}) })
	for _, none := range []string{"networks", "volumes", "secrets", "pods"} {
		m.HandleFunc("GET "+api+"/"+none+"/json", func(w http.ResponseWriter, _ *http.Request) { answer(w, []string{}) })
	}
	m.HandleFunc("GET "+api+"/volumes/{name}/json", p.volume)
	m.HandleFunc("POST "+api+"/volumes/create", p.createVolume)
	m.HandleFunc("GET "+api+"/images/{rest...}", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimSuffix(r.PathValue("rest"), "/json")
		answer(w, libpod.Image{ID: imageID(name), RepoTags: []string{name}, OS: "linux", Architecture: "amd64"})
	})
	m.HandleFunc("GET "+api+"/containers/json", p.list)
	m.HandleFunc("GET "+api+"/containers/{id}/json", p.inspect)
	m.HandleFunc("GET "+api+"/containers/{id}/logs", func(http.ResponseWriter, *http.Request) {})
	m.HandleFunc("POST "+api+"/containers/create", p.create)
	m.HandleFunc("POST "+api+"/containers/{id}/start", p.change("start", func(c *libpod.Container, _ *http.Request) { runs(c, true) }))
	m.HandleFunc("POST "+api+"/containers/{id}/stop", p.change("stop", func(c *libpod.Container, _ *http.Request) { runs(c, false) }))
	m.HandleFunc("POST "+api+"/containers/{id}/rename", p.change("rename", func(c *libpod.Container, r *http.Request) { c.Name = r.URL.Query().Get("name") }))
	m.HandleFunc("DELETE "+api+"/containers/{id}", p.change("remove", func(c *libpod.Container, _ *http.Request) { delete(p.all, c.ID) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			p.hang(r)
		}
		m.ServeHTTP(w, r)
	})
}

// hang waits until a Podman that hangs is healed, or its caller is gone.
func (p *podmanOf) hang(r *http.Request) {
	p.mu.Lock()
	hangs, heals := p.hangs, p.heals
	if hangs {
		p.late++
	}
	p.mu.Unlock()
	if hangs {
		select {
		case <-heals:
		case <-r.Context().Done():
		case <-p.ended:
		}
	}
}

// slow lets half of the changes take up to so much longer.
func (p *podmanOf) slow(long time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.long = long
}

// silent lets no request have an answer: of a change, the effect or the answer waits.
func (p *podmanOf) silent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangs = true
}

// heal answers everything that is slow or hangs, and whatever comes, at once.
func (p *podmanOf) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.long, p.hangs = 0, false
	close(p.heals)
	p.heals = make(chan struct{})
}

// imageID is the ID of an image: each name is another image.
func imageID(name string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(name))) }

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Libpod-Api-Version", "4.3.1")
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, status int, cause string) {
	w.WriteHeader(status)
	answer(w, map[string]any{"cause": cause, "message": cause, "response": status})
}

// takes lets time pass before an effect and after it.
func (p *podmanOf) takes(effect func()) {
	before, after, heals := p.luck()
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-heals:
		case <-p.ended:
		}
	}
	wait(before)
	p.mu.Lock()
	effect()
	p.mu.Unlock()
	wait(after)
}

// luck draws how long a change takes before its effect and after it, unless Podman is healed before.
func (p *podmanOf) luck() (before, after time.Duration, heals <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	draw := func(most time.Duration) time.Duration { return time.Duration(p.chance.Int64N(int64(most))) }
	before, after = draw(slowest), draw(slowest)
	longer := time.Duration(0)
	switch {
	case p.hangs:
		longer = time.Hour
	case p.long > 0 && p.chance.IntN(2) == 0:
		longer = draw(p.long)
	}
	if longer > 0 {
		p.late++
	}
	if p.chance.IntN(2) == 0 {
		return before + longer, after, p.heals
	}
	return before, after + longer, p.heals
}

func (p *podmanOf) record(verb string, c *libpod.Container) {
	line, err := json.Marshal(done{verb, c.ID, c.Name, c.Config.Labels["ovi/key"]})
	if err == nil {
		_, err = p.actions.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err) // what is done and not on record would make every check worthless
	}
}

func (p *podmanOf) volume(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v, ok := p.volumes[r.PathValue("name")]; ok {
		answer(w, v)
		return
	}
	refuse(w, http.StatusNotFound, "no such volume")
}

func (p *podmanOf) createVolume(w http.ResponseWriter, r *http.Request) {
	var v libpod.Volume
	if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, exists := p.volumes[v.Name]; exists {
		refuse(w, http.StatusConflict, "volume already exists")
		return
	}
	p.volumes[v.Name] = v
	answer(w, v)
}

func (p *podmanOf) list(w http.ResponseWriter, r *http.Request) {
	filters := libpod.Filters{}
	if text := r.URL.Query().Get("filters"); text != "" {
		if err := json.Unmarshal([]byte(text), &filters); err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	out := []libpod.ListedContainer{}
	for _, c := range p.all {
		has := func(want string) bool {
			key, value, valued := strings.Cut(want, "=")
			have, is := c.Config.Labels[key]
			return is && (!valued || have == value)
		}
		if !slices.ContainsFunc(filters["label"], func(l string) bool { return !has(l) }) {
			out = append(out, libpod.ListedContainer{ID: c.ID, Names: []string{c.Name}, Image: c.ImageName, ImageID: c.Image, Labels: c.Config.Labels, State: c.State.Status, Created: c.Created})
		}
	}
	answer(w, out)
}

func (p *podmanOf) inspect(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.find(r.PathValue("id")); c != nil {
		answer(w, c)
		return
	}
	refuse(w, http.StatusNotFound, "no such container")
}

// find gives a container by its ID or name.
func (p *podmanOf) find(id string) *libpod.Container {
	if c := p.all[id]; c != nil {
		return c
	}
	for _, c := range p.all {
		if c.Name == id {
			return c
		}
	}
	return nil
}

func (p *podmanOf) create(w http.ResponseWriter, r *http.Request) {
	var s libpod.ContainerSpec
	if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	var c *libpod.Container
	p.takes(func() {
		if p.find(s.Name) != nil {
			return
		}
		p.made++
		c = &libpod.Container{
			ID: fmt.Sprintf("%064x", p.made), Name: s.Name, Created: time.Now(), Image: imageID(s.Image), ImageName: s.Image,
			State: libpod.State{Status: "created"}, Config: libpod.Config{Labels: s.Labels},
		}
		c.HostConfig.RestartPolicy.Name = s.RestartPolicy
		p.all[c.ID] = c
		p.record("create", c)
	})
	if c == nil {
		refuse(w, http.StatusInternalServerError, "that name is already in use")
		return
	}
	w.WriteHeader(http.StatusCreated)
	answer(w, map[string]any{"Id": c.ID, "Warnings": []string{}})
}

// change answers a request that changes a container.
func (p *podmanOf) change(verb string, do func(*libpod.Container, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var c *libpod.Container
		p.takes(func() {
			if c = p.find(r.PathValue("id")); c != nil {
				do(c, r)
				p.record(verb, c)
			}
		})
		if c == nil {
			refuse(w, http.StatusNotFound, "no such container")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// runs starts the program of a container, or lets it end when it was asked to.
func runs(c *libpod.Container, is bool) {
	switch {
	case is && !c.State.Running:
		c.State = libpod.State{Status: "running", Running: true, StartedAt: time.Now()}
	case !is && c.State.Running:
		c.State = libpod.State{Status: "exited", ExitCode: 143}
	}
}

// breakMost is how often a container of one name fails or is removed: less than the restarts that it gets.
const breakMost = 2

// breaks lets a container fail, or removes it, as what happens outside ovi.
func (p *podmanOf) breaks(gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.all {
		if p.broken[c.Name] == breakMost || !c.State.Running {
			continue
		}
		p.broken[c.Name]++
		if gone {
			delete(p.all, c.ID)
		} else {
			c.State = libpod.State{Status: "exited", ExitCode: 1}
		}
		return
	}
}

// containers are those of the node.
func (p *podmanOf) containers() (out []check.Container) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.all {
		out = append(out, check.Container{Name: c.Name, Image: c.ImageName, Healthy: c.State.Running})
	}
	return out
}

// slowed is how many requests took longer, or hung.
func (p *podmanOf) slowed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.late
}

// created counts what was created, by the key of its action, and all that was done, as the file has it.
func (p *podmanOf) created() (keys map[string]int, all int, err error) {
	f, err := os.Open(p.actions.Name())
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	keys = map[string]int{}
	lines := bufio.NewScanner(f)
	for ; lines.Scan(); all++ {
		var d done
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return nil, 0, err
		}
		if d.Verb == "create" {
			keys[d.Key]++
		}
	}
	return keys, all, lines.Err()
}
