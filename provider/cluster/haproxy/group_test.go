package haproxy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/haproxy/haproxytest"
)

// together makes a change for each name at a time, and returns their errors.
func together(t *testing.T, p *haproxytest.Proxy, names []string,
	do func(name string, routes map[string]haproxy.Route) error,
) []error {
	t.Helper()
	var g haproxy.Group
	var all sync.WaitGroup
	out := make([]error, len(names))
	for i, name := range names {
		all.Go(func() {
			out[i] = g.Change(t.Context(), p.Folder, func(routes map[string]haproxy.Route) error { return do(name, routes) })
		})
	}
	all.Wait()
	return out
}

// TestRoutesThatChangeTogetherCostOneReload, and changed addresses none.
func TestRoutesThatChangeTogetherCostOneReload(t *testing.T) {
	p := haproxytest.Start(t)
	one, two := backend(t, "one"), backend(t, "two")
	names := []string{"a", "b", "c", "d", "e", "f"}
	all := func(want int, body string, do func(name string, routes map[string]haproxy.Route) error) {
		t.Helper()
		before := p.Reloads()
		if err := errors.Join(together(t, p, names, do)...); err != nil {
			t.Fatal(err)
		}
		if n := p.Reloads() - before; n != want {
			t.Errorf("%d reloads, want %d", n, want)
		}
		inStep(t, p)
		for _, name := range names {
			answers(t, p, "whoami."+name+".example.com", body)
		}
	}
	all(1, "one", func(name string, routes map[string]haproxy.Route) error { routes[name] = route(name, one); return nil })
	all(0, "two", func(name string, routes map[string]haproxy.Route) error { routes[name] = route(name, two); return nil })
	all(1, "", func(name string, routes map[string]haproxy.Route) error { delete(routes, name); return nil })
}

// TestAChangeThatFailsCostsNoOther of those that are made at the time.
func TestAChangeThatFailsCostsNoOther(t *testing.T) {
	p := haproxytest.Start(t)
	one, theirs := backend(t, "one"), errors.New("not this one")
	errs := together(t, p, []string{"a", "b", "c"}, func(name string, routes map[string]haproxy.Route) error {
		routes[name] = route(name, one)
		switch name {
		case "b":
			return theirs
		case "c":
			routes[name] = haproxy.Route{Name: name, Address: "nowhere", Port: 1}
		}
		return nil
	})
	if errs[0] != nil || !errors.Is(errs[1], theirs) || errs[2] == nil ||
		!strings.Contains(errs[2].Error(), "no IPv4 address") {
		t.Errorf("errors: %v", errs)
	}
	if all := inStep(t, p); len(all) != 1 || all[0].Name != "a" {
		t.Errorf("routes: %v", all)
	}
	answers(t, p, "whoami.a.example.com", "one")
}

// TestWhatHAProxyRefusesTogetherIsMadeOneByOne: the one that it refuses, for a name that no backend may have, fails
// alone.
func TestWhatHAProxyRefusesTogetherIsMadeOneByOne(t *testing.T) {
	p := haproxytest.Start(t)
	one := backend(t, "one")
	errs := together(t, p, []string{"a", "b/b", "c"},
		func(name string, routes map[string]haproxy.Route) error { routes[name] = route(name, one); return nil })
	if errs[0] != nil || errs[1] == nil || errs[2] != nil ||
		!strings.Contains(errs[1].Error(), "does not load the configuration") {
		t.Errorf("errors: %v", errs)
	}
	inStep(t, p)
	for _, name := range []string{"a", "c"} {
		answers(t, p, "whoami."+name+".example.com", "one")
	}
	if b, err := os.ReadFile(filepath.Join(p.Folder.Path, "ovi.cfg")); err != nil ||
		strings.Contains(string(b), "be_ovi_b/b") {
		t.Errorf("the file has the refused route: %v\n%s", err, b)
	}
}
