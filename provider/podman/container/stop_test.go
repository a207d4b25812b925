package container

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/provider/podman/host"
	"github.com/ovi-project/ovi/provider/podman/libpod"
)

// scripted is a Podman with one container that has one state after the other, each for one reading; the last one stays.
type scripted struct {
	states   []string
	refusals int // of stops, from the first on
	asked    []string
}

func (s *scripted) RoundTrip(q *http.Request) (*http.Response, error) {
	status, body := http.StatusNoContent, ""
	switch what := q.URL.Path[strings.LastIndex(q.URL.Path, "/")+1:]; {
	case what == "json":
		state := s.states[0]
		if len(s.states) > 1 {
			s.states = s.states[1:]
		}
		status = http.StatusOK
		body = fmt.Sprintf(`{"State": {"Status": %q, "Running": %t, "Paused": %t}}`, state, state == "running", state == "paused")
	case what == "stop" && s.refusals > 0:
		s.refusals--
		s.asked = append(s.asked, "refused")
		status, body = http.StatusInternalServerError, `{"cause": "container state improper", "message": "sending SIGKILL: container state improper: stopped", "response": 500}`
	default:
		s.asked = append(s.asked, what)
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: q,
	}, nil
}

// TestAContainerThatEndsMeanwhileIsStopped: a stop that comes between the end of a process and its restart is made again.
func TestAContainerThatEndsMeanwhileIsStopped(t *testing.T) {
	for _, c := range []struct {
		states   string // one after the other
		refusals int
		asked    string
		atMost   time.Duration
		fails    string
	}{
		{states: "running exited", asked: "stop"},
		{states: "exited"},
		{states: "created"},
		{states: "paused running exited", asked: "unpause stop"},
		{states: "running stopped exited", asked: "stop", atMost: time.Second},
		{states: "stopped running exited", asked: "stop", atMost: time.Second},
		{states: "stopped stopped running stopped running exited", asked: "stop stop", atMost: time.Second},
		{states: "running stopped running exited", refusals: 1, asked: "refused stop", atMost: time.Second},
		{states: "stopping exited", asked: "stop"},
		{states: "stopped", atMost: 21 * time.Second},
		{states: "running", refusals: 1000, asked: "refused", atMost: 21 * time.Second, fails: "container state improper"},
	} {
		synctest.Test(t, func(t *testing.T) {
			api := &scripted{states: strings.Fields(c.states), refusals: c.refusals}
			start := time.Now()
			err := Stop(t.Context(), &host.Host{Client: libpod.New(api), Clock: time.Now}, "web")
			if passed := time.Since(start); passed > c.atMost {
				t.Errorf("%s: it takes %s", c.states, passed)
			}
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v", c.states, err)
			}
			if asked := strings.Join(api.asked, " "); asked != c.asked && (c.refusals < 1000 || !strings.HasPrefix(asked, c.asked)) {
				t.Errorf("%s: it asks for %s, not for %s", c.states, asked, c.asked)
			}
		})
	}
}
