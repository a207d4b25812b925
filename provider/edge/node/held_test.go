package node

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider/edge/identity"
	"github.com/ovi-project/ovi/provider/edge/link"
)

// told is a desired state of a node, signed by an authority.
func told(t *testing.T, a *identity.Authority, node string, generation uint64, names ...string) *link.Signed {
	t.Helper()
	d := link.Desired{Node: node, Epoch: a.Hash(), Generation: generation}
	for _, n := range names {
		d.Deployments = append(d.Deployments, link.Deployment{Name: n})
	}
	s, err := link.Sign(&d, a.Sign)
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

func authority(t *testing.T) *identity.Authority {
	t.Helper()
	a, err := identity.Open(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestWhatANodeAcceptsOfItsOrchestrator: a newer desired state of its site, for itself, over a restart; nothing
// older, nothing else of the same generation, nothing that others signed. What it refuses changes nothing.
func TestWhatANodeAcceptsOfItsOrchestrator(t *testing.T) {
	t.Parallel()
	site, foreign := authority(t), authority(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "authority.pem"), site.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Site: "berlin", Node: "n1", Dir: dir, Verify: identity.Node{Dir: dir}.Verify}
	open := func() *holder {
		t.Helper()
		h, err := openHolder(o)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	forged := *told(t, site, "berlin/n1", 9, "web")
	forged.Body = []byte(`{"node":"berlin/n1","epoch":"` + site.Hash() + `","generation":9,"deployments":[{"name":"miner"}]}`)
	for _, x := range []struct {
		name string
		s    *link.Signed
		ok   bool
	}{
		{"the first", told(t, site, "berlin/n1", 5, "web"), true},
		{"the same again", told(t, site, "berlin/n1", 5, "web"), true},
		{"another one of that generation", told(t, site, "berlin/n1", 5, "db"), false},
		{"an older one", told(t, site, "berlin/n1", 4, "web"), false},
		{"one that another site signed", told(t, foreign, "berlin/n1", 9, "web"), false},
		{"one without a signature", &link.Signed{Body: told(t, site, "berlin/n1", 9).Body}, false},
		{"one that was changed", &forged, false},
		{"that of another node", told(t, site, "berlin/n2", 9, "web"), false},
		{"a newer one", told(t, site, "berlin/n1", 7, "db", "web"), true},
		{"the first one again", told(t, site, "berlin/n1", 5, "web"), false},
	} {
		h := open() // as after a power cut
		_, before, _ := h.current()
		err := h.accept(x.s)
		if (err == nil) != x.ok || err != nil && !errors.Is(err, link.ErrRefused) {
			t.Errorf("%s: %v", x.name, err)
		}
		if _, after, _ := open().current(); err != nil && after != before {
			t.Errorf("%s is refused, and the node holds %+v; it held %+v", x.name, after, before)
		}
	}
	d, held, is := open().current()
	if !is || held.Generation != 7 || len(d.Deployments) != 2 {
		t.Errorf("the node holds %+v", d)
	}

	h := open()
	for _, x := range []struct {
		name string
		q    link.Request
		ok   bool
	}{
		{"a request of what it holds", link.Request{Verb: link.Update, Name: "web", Generation: 7}, true},
		{"one of an older generation", link.Request{Verb: link.Update, Name: "web", Generation: 5}, false},
		{"an install of what is not to run", link.Request{Verb: link.Install, Name: "miner", Generation: 7}, false},
		{"a delete of what is to run", link.Request{Verb: link.Delete, Name: "web", Generation: 7}, false},
		{"a delete of what is not", link.Request{Verb: link.Delete, Name: "old", Generation: 7}, true},
	} {
		if got, err := h.task(x.q); (err == nil) != x.ok {
			t.Errorf("%s: %+v, %v", x.name, got, err)
		}
	}

	if err := os.WriteFile(filepath.Join(dir, "authority.pem"), foreign.PEM(), 0o600); err != nil { // it enrolled elsewhere
		t.Fatal(err)
	}
	if h, err := openHolder(o); err == nil {
		t.Error("a node holds what the site before told it, and says nothing")
	} else if err := h.accept(told(t, foreign, "berlin/n1", 1, "web")); err != nil {
		t.Errorf("the first of another site: %v", err)
	}
}
