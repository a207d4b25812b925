package docker_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/cluster/docker"
)

// TestTheSubnetOfAnAddress is known where the address and its length are: a container that does not run has none.
func TestTheSubnetOfAnAddress(t *testing.T) {
	for want, a := range map[string]docker.Attachment{
		"10.101.0.0/16":  {IPAddress: "10.101.3.4", IPPrefixLen: 16},
		"10.250.3.64/26": {IPAddress: "10.250.3.70", IPPrefixLen: 26},
		"fd00::/64":      {IPAddress: "fd00::7", IPPrefixLen: 64},
	} {
		if got, known := a.Subnet(); !known || got.String() != want {
			t.Errorf("%+v is in %v, want %s", a, got, want)
		}
	}
	for _, a := range []docker.Attachment{
		{},
		{IPAddress: "10.1.2.3"},
		{IPPrefixLen: 16},
		{IPAddress: "10.1.2.3", IPPrefixLen: 33},
		{IPAddress: "ten", IPPrefixLen: 8},
	} {
		if got, known := a.Subnet(); known {
			t.Errorf("%+v is in %v", a, got)
		}
	}
}

// TestAnEngineSaysWhatItIs in the header of each answer.
func TestAnEngineSaysWhatItIs(t *testing.T) {
	for name, podman := range map[string]bool{"Libpod-Api-Version": true, "Docker-Experimental": false} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			w.Header().Set(name, "5.4.2")
			if q.URL.Path != "/v1.41/_ping" {
				http.NotFound(w, q)
			}
		}))
		defer s.Close()
		c, err := docker.Dial("tcp" + strings.TrimPrefix(s.URL, "http"))
		if err != nil {
			t.Fatal(err)
		}
		if is, err := c.Podman(t.Context()); err != nil || is != podman {
			t.Errorf("an engine whose answers have %s: is Podman: %v, %v, want %v", name, is, err, podman)
		}
	}
}
