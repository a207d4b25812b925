package podmantest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// thing is what is listed and removed of a host.
type thing struct{ list, remove string }

// listed is what the lists have in common: an ID, or a name where there is none. A secret's is "ID",
// and a network's "name", which package json takes for the same.
type listed struct{ ID, Name string }

// Reset removes every container, pod, volume, secret and network, images without a name, and those
// of a registry, which is another one next time. It asks the service, because each program of
// Podman's takes a tenth of a second of work.
func (h *Host) Reset(t testing.TB) {
	t.Helper()
	if h.cmd == nil {
		h.Serve(t)
	}
	things := []thing{
		{"pods/json", "pods/%s?force=true"}, // first, with their containers
		{"containers/json?all=true", "containers/%s?force=true&timeout=0&v=true&ignore=true"},
		{"volumes/json", "volumes/%s?force=true"},
		{"secrets/json", "secrets/%s"},
		{"networks/json", "networks/%s"},
	}
	for _, x := range things {
		var all []listed
		if err := h.call(http.MethodGet, x.list, &all); err != nil {
			t.Fatal(err)
		}
		for _, one := range all {
			id := one.ID
			if strings.HasPrefix(x.list, "volumes/") || strings.HasPrefix(x.list, "networks/") {
				id = one.Name
			}
			if id == h.network() {
				continue
			}
			var err error
			for range 5 {
				err = h.call(http.MethodDelete, fmt.Sprintf(x.remove, url.PathEscape(id)), nil)
				if err == nil || !strings.Contains(err.Error(), improper) {
					break
				}
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	h.resetImages(t)
}

func (h *Host) resetImages(t testing.TB) {
	t.Helper()
	var images []struct {
		ID       string `json:"Id"`
		RepoTags []string
	}
	if err := h.call(http.MethodGet, "images/json", &images); err != nil {
		t.Fatal(err)
	}
	for _, image := range images {
		names := image.RepoTags
		if len(names) == 0 {
			names = []string{image.ID}
		}
		for _, name := range names {
			if len(image.RepoTags) > 0 && !strings.HasPrefix(name, "127.0.0.1:") {
				continue
			}
			if err := h.call(http.MethodDelete, "images/"+name+"?force=true", nil); err != nil {
				t.Error(err)
			}
		}
	}
}

// call asks the service, and decodes its answer.
func (h *Host) call(method, path string, answer any) error {
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, method, "http://d/v4.0.0/libpod/"+path, nil)
	if err != nil {
		return err
	}
	c := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", h.Socket) },
	}}
	r, err := c.Do(q)
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		return err
	case r.StatusCode >= 300:
		return fmt.Errorf("%s %s: %s: %s", method, path, r.Status, b)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(b, answer)
}
