package container

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
	"github.com/ovi-project/ovi/resource"
)

// scripted is a Podman with one container that has one state after the other, each for one request; the last one stays.
// A number behind a state says how often Podman has started the container again.
type scripted struct {
	states []string
	asked  []string
}

func (s *scripted) RoundTrip(q *http.Request) (*http.Response, error) {
	state, restarts, _ := strings.Cut(s.states[0], ":")
	if len(s.states) > 1 {
		s.states = s.states[1:]
	}
	status, body := http.StatusNoContent, ""
	what := q.URL.Path[strings.LastIndex(q.URL.Path, "/")+1:]
	switch {
	case what == "json":
		status = http.StatusOK
		body = fmt.Sprintf(`{"RestartCount": %s, "Config": {}, "State": {"Status": %q, "Running": %t, "Paused": %t}}`,
			cmp.Or(restarts, "0"), state, state == "running", state == "paused")
	case what == "stop" && (state == "stopped" || state == "exited"):
		status = http.StatusNotModified
	case what == "stop" && state != "running":
		status = http.StatusInternalServerError
		body = `{"cause": "container state improper", "message": "can only stop created or running containers: container state improper", "response": 500}`
	}
	if what != "json" {
		s.asked = append(s.asked, fmt.Sprint(what, " ", status))
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: q,
	}, nil
}

// TestAContainerThatEndsMeanwhileIsStopped: a stop that comes between the end of a process and its restart is made again.
func TestAContainerThatEndsMeanwhileIsStopped(t *testing.T) {
	const soon = 100 * time.Millisecond
	for _, c := range []struct {
		states string // one after the other, each for one request
		asked  string // of how the first requests but inspections are answered
		atMost time.Duration
		fails  string
	}{
		{states: "running exited", asked: "stop 204"},
		{states: "running running running exited", asked: "stop 204, stop 204", atMost: soon},
		{states: "running stopped running exited", asked: "stop 204, stop 204", atMost: soon},
		{states: "running stopped exited", asked: "stop 204, stop 304", atMost: soon},
		{states: "running", asked: "stop 204", atMost: 21 * time.Second, fails: "it runs again"},
		{states: "exited", asked: "stop 304"},
		{states: "created", asked: "stop 500"},
		{states: "paused paused paused running exited", asked: "stop 500, unpause 204, stop 204", atMost: soon},
		{states: "stopped exited", asked: "stop 304"},
		{states: "stopped stopped running exited", asked: "stop 304, stop 204", atMost: soon},
		{states: "stopped running running exited", asked: "stop 304, stop 204", atMost: soon},
		{states: "stopped running stopped stopped running exited", asked: "stop 304, stop 304, stop 204", atMost: soon},
		{states: "ends running running exited", asked: "stop 500, stop 204", atMost: soon},
		{states: "ends exited", asked: "stop 500"},
		{states: "stopping stopping exited", asked: "stop 500, stop 304", atMost: soon},
		{states: "stopped", asked: "stop 304", atMost: 21 * time.Second},
		{states: "stopping", asked: "stop 500", atMost: 21 * time.Second, fails: "container state improper"},
		{states: strings.Repeat("stopped running ", 50), asked: "stop 304", atMost: 21 * time.Second, fails: "it runs again"},
	} {
		synctest.Test(t, func(t *testing.T) {
			api := &scripted{states: strings.Fields(c.states)}
			start := time.Now()
			err := Stop(t.Context(), &host.Host{Client: libpod.New(api), Clock: time.Now}, "web")
			if passed := time.Since(start); passed > c.atMost {
				t.Errorf("%s: it takes %s", c.states, passed)
			}
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v", c.states, err)
			}
			asked := strings.Join(api.asked, ", ")
			if asked != c.asked && (c.atMost <= soon || !strings.HasPrefix(asked, c.asked)) {
				t.Errorf("%s: it asks for %s, not for %s", c.states, asked, c.asked)
			}
		})
	}
}

// both is a Podman with the two containers of a swap. The old one runs on for a number of stops; meanwhile, the new one
// does not get its port.
type both struct {
	stops int
	asked []string
}

func (b *both) RoundTrip(q *http.Request) (*http.Response, error) {
	steps := strings.Split(q.URL.Path, "/")
	id, what := steps[len(steps)-2], steps[len(steps)-1]
	status, body := http.StatusNoContent, ""
	switch {
	case what == "json":
		running := id == "new" || b.stops > 0
		status = http.StatusOK
		body = fmt.Sprintf(`{"Config": {}, "State": {"Status": %q, "Running": %t}}`, map[bool]string{true: "running", false: "exited"}[running], running)
	case what == "stop" && b.stops > 0:
		b.stops--
	case what == "stop":
		status = http.StatusNotModified
	case what == "start" && b.stops > 0:
		status, body = http.StatusInternalServerError, `{"cause": "address already in use", "message": "bind: address already in use", "response": 500}`
	}
	if what != "json" {
		b.asked = append(b.asked, what+" "+id)
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: q,
	}, nil
}

// TestAnOldContainerThatRunsAgainIsStopped: it ends by itself while it is stopped for a swap, and its restart policy
// starts it. The new one is started right after the stop, and again once the old one is stopped for good.
func TestAnOldContainerThatRunsAgainIsStopped(t *testing.T) {
	for stops, want := range map[int]string{
		1: "stop old, start new, stop old", 2: "stop old, start new, stop old, start new", 0: "stop old, start new, stop old",
		3: "stop old, start new, stop old, stop old, start new",
	} {
		synctest.Test(t, func(t *testing.T) {
			api := &both{stops: stops}
			r := provider.Request{Have: resource.Observed{ID: "new"}, Beside: &resource.Observed{ID: "old"}}
			err := TakeOver(t.Context(), &host.Host{Client: libpod.New(api), Clock: time.Now}, r)
			if got := strings.Join(api.asked, ", "); err != nil || got != want {
				t.Errorf("%d stops: it asks for %s, not for %s: %v", stops, got, want, err)
			}
		})
	}
}

// TestOneProcessRunsForAWhile: a container without a check counts as started once one process of it has run for a time.
// One that Podman starts again meanwhile is another process, and after some of them it is clear that it does not start.
func TestOneProcessRunsForAWhile(t *testing.T) {
	for _, c := range []struct {
		states string
		after  time.Duration
	}{
		{"running", steady},
		{"initialized running", steady},
		{"running:0 running:1", 2 * steady},
		{"running:0 running:1 running:2 running:2", 3 * steady},
		{"running:0 running:1 running:2 running:3", 3 * steady},
		{"stopped:0 stopped:0 running:1", steady/2 + steady},
		{"running:0 stopped:0 running:1 stopped:1 running:2", 3*steady + steady/2},
		{"exited", 0},
		{"stopped exited", steady / 4},
		{"stopped", settleWait},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			h := &host.Host{Client: libpod.New(&scripted{states: strings.Fields(c.states)}), Clock: time.Now}
			if err := await(t.Context(), h, "web", nil); err != nil || time.Since(start) != c.after {
				t.Errorf("%s: after %s, not %s: %v", c.states, time.Since(start), c.after, err)
			}
		})
	}
}
