package podman_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// calls keeps the requests, and answers those that change something itself.
type calls struct {
	mu  sync.Mutex
	to  http.RoundTripper
	all []string
}

func (c *calls) RoundTrip(q *http.Request) (*http.Response, error) {
	what := q.URL.Path[strings.LastIndexByte(q.URL.Path, '/')+1:]
	c.mu.Lock()
	c.all = append(c.all, q.Method+" "+what)
	c.mu.Unlock()
	if q.Method == http.MethodPost {
		return &http.Response{StatusCode: http.StatusNoContent, Body: io.NopCloser(strings.NewReader("")), Request: q}, nil
	}
	return c.to.RoundTrip(q)
}

// TestNothingIsAskedBetweenStopAndStart: what is between them is the outage of a swap.
func TestNothingIsAskedBetweenStopAndStart(t *testing.T) {
	p := play(t)
	c := &calls{to: p}
	r := over(t, c, p.clock)
	all := r.observe().Resources
	i := slices.IndexFunc(all, func(o resource.Observed) bool { return o.Ref.Kind == "container" })
	if i < 0 {
		t.Fatal("no container in the first observation of the recording")
	}
	q := provider.Request{Desired: resource.Desired{Ref: r.ref("container", "web")}, Have: all[i], Beside: &all[i]}
	_, _ = r.p.Switch(r.context(), q)
	stop := slices.Index(c.all, "POST stop")
	if stop < 0 || stop+1 >= len(c.all) || c.all[stop+1] != "POST start" {
		t.Errorf("the requests are %q; want start right after stop", c.all)
	}
}
