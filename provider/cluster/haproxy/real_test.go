package haproxy_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/haproxy/haproxytest"
)

// These tests run a real HAProxy.

// backend is a server that answers with its name.
func backend(t *testing.T, name string) netip.AddrPort {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(name))
	}))
	t.Cleanup(s.Close)
	return netip.MustParseAddrPort(s.Listener.Addr().String())
}

func route(name string, to netip.AddrPort) haproxy.Route {
	return haproxy.Route{Name: name, Address: to.Addr().String(), Port: int(to.Port()), Note: "{}"}
}

func put(t *testing.T, p *haproxytest.Proxy, routes ...haproxy.Route) {
	t.Helper()
	err := p.Folder.Change(t.Context(), func(all map[string]haproxy.Route) error {
		for _, r := range routes {
			all[r.Name] = r
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func answers(t *testing.T, p *haproxytest.Proxy, host, want string) {
	t.Helper()
	if status, body := p.Get(host); body != want && !(want == "" && status == http.StatusNotFound) {
		t.Errorf("%s: %d %q, want %q", host, status, body, want)
	}
}

func inStep(t *testing.T, p *haproxytest.Proxy) []haproxy.State {
	t.Helper()
	all, err := p.Folder.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Problem != "" {
			t.Errorf("%s: %s", s.Name, s.Problem)
		}
	}
	return all
}

// TestAChangedAddressIsFollowedWithoutAReload, and is still there after one.
func TestAChangedAddressIsFollowedWithoutAReload(t *testing.T) {
	p := haproxytest.Start(t)
	one, two := backend(t, "one"), backend(t, "two")
	answers(t, p, "whoami.dev.example.com", "")
	put(t, p, route("dev", one), route("dev-a", one))
	if n := p.Reloads(); n != 1 {
		t.Errorf("two new routes cost %d reloads", n)
	}
	answers(t, p, "whoami.dev.example.com", "one")
	answers(t, p, "WHOAMI.DEV-A.example.com:80", "one")

	put(t, p, route("dev", two))
	inStep(t, p)
	answers(t, p, "whoami.dev.example.com", "two")
	answers(t, p, "whoami.dev-a.example.com", "one")
	off := route("dev-a", one)
	off.Off = true
	put(t, p, off)
	answers(t, p, "whoami.dev-a.example.com", "")
	if n := p.Reloads(); n != 1 {
		t.Errorf("an address and a route that is switched off cost %d reloads", n-1)
	}

	err := p.Folder.Change(t.Context(), func(all map[string]haproxy.Route) error { delete(all, "dev-a"); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if all := inStep(t, p); len(all) != 1 || p.Reloads() != 2 {
		t.Errorf("after one of two routes was removed there are %v and %d reloads", all, p.Reloads())
	}
	answers(t, p, "whoami.dev.example.com", "two")
}

// TestWhatWasChangedByHandIsFoundAndPutRight, in the runtime and in the file, without a reload.
func TestWhatWasChangedByHandIsFoundAndPutRight(t *testing.T) {
	p := haproxytest.Start(t)
	one, two := backend(t, "one"), backend(t, "two")
	put(t, p, route("dev", one))
	file := filepath.Join(p.Folder.Path, "ovi.cfg")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(b), one.String(), two.String())), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := p.Folder.Read(t.Context())
	if err != nil || len(all) != 1 || all[0].Problem != "HAProxy uses the address "+one.String() {
		t.Errorf("%+v, %v", all, err)
	}
	put(t, p)
	inStep(t, p)
	answers(t, p, "whoami.dev.example.com", "two")
	if n := p.Reloads(); n != 1 {
		t.Errorf("%d reloads", n)
	}
}

// TestAConfigurationThatHAProxyRefusesComesBack: the old files, and the old routes.
func TestAConfigurationThatHAProxyRefusesComesBack(t *testing.T) {
	p := haproxytest.Start(t)
	one := backend(t, "one")
	put(t, p, route("dev", one))
	before, err := os.ReadFile(filepath.Join(p.Folder.Path, "ovi.cfg"))
	if err != nil {
		t.Fatal(err)
	}
	broken, err := os.OpenFile(p.User, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = broken.WriteString("nonsense\n")
	if err := errors.Join(err, broken.Close()); err != nil {
		t.Fatal(err)
	}
	err = p.Folder.Change(t.Context(),
		func(all map[string]haproxy.Route) error { all["uat"] = route("uat", one); return nil })
	if err == nil || !strings.Contains(err.Error(), "does not load the configuration") {
		t.Errorf("the error is %v", err)
	}
	after, err := os.ReadFile(filepath.Join(p.Folder.Path, "ovi.cfg"))
	if err != nil || string(after) != string(before) {
		t.Errorf("the file became %s, %v", after, err)
	}
	answers(t, p, "whoami.dev.example.com", "one")
}

// TestChangesAtATimeAllHappen: none overwrites another.
func TestChangesAtATimeAllHappen(t *testing.T) {
	p := haproxytest.Start(t)
	one := backend(t, "one")
	names := []string{"a", "b", "c", "d", "e", "f"}
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			if err := p.Folder.Change(t.Context(),
				func(all map[string]haproxy.Route) error { all[name] = route(name, one); return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := inStep(t, p); len(got) != len(names) {
		t.Errorf("routes: %v", got)
	}
}

// TestHAProxyThatCannotBeReachedIsNotEmpty: law 1 for routes.
func TestHAProxyThatCannotBeReachedIsNotEmpty(t *testing.T) {
	p := haproxytest.Start(t)
	put(t, p, route("dev", backend(t, "one")))
	p.Stop()
	if all, err := p.Folder.Read(t.Context()); err == nil {
		t.Errorf("the routes are %v", all)
	}
	err := p.Folder.Change(t.Context(), func(all map[string]haproxy.Route) error { clear(all); return nil })
	var unreachable *haproxy.ConnectError
	if !errors.As(err, &unreachable) {
		t.Errorf("the error is %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(p.Folder.Path, "routes.map")); err != nil || string(b) != "dev be_ovi_dev\n" {
		t.Errorf("the map is %q, %v", b, err)
	}
}

// TestAnOpenRequestDelaysNoReload: a route of which a request is open is removed and another one is added at once. The
// request is answered after that.
func TestAnOpenRequestDelaysNoReload(t *testing.T) {
	p := haproxytest.Start(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-answer
		_, _ = w.Write([]byte("late"))
	}))
	defer slow.Close()
	put(t, p, route("old", netip.MustParseAddrPort(slow.Listener.Addr().String())))
	got := make(chan string)
	go func() {
		_, body := p.Get("whoami.old.example.com")
		got <- body
	}()
	<-asked
	err := p.Folder.Change(t.Context(), func(all map[string]haproxy.Route) error {
		delete(all, "old")
		all["new"] = route("new", backend(t, "new"))
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	answers(t, p, "whoami.new.example.com", "new")
	answers(t, p, "whoami.old.example.com", "")
	inStep(t, p)
	select {
	case body := <-got:
		t.Errorf("the open request was cut: %q", body)
	default:
	}
	close(answer)
	if body := <-got; body != "late" {
		t.Errorf("the open request got %q", body)
	}
}
