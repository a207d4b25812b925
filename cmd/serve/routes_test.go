package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// quiet is a loop that rests.
func quiet() *Loop {
	return &Loop{
		Stuck: func() []string { return nil }, Flights: func() (int, time.Time) { return 0, time.Time{} }, Now: time.Now,
	}
}

// TestHealthTellsALoopThatWaitsFromOneThatIsStuck.
func TestHealthTellsALoopThatWaitsFromOneThatIsStuck(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for name, x := range map[string]struct {
		stuck   []string
		running int
		code    int
		want    string
	}{
		"it rests": {nil, 0, http.StatusOK, "ok\n"},
		"it waits": {nil, 2, http.StatusOK, "ok: 2 actions in flight, the oldest for 12m\n"},
		"it makes no progress": {
			[]string{"stack web: loading its source for 17m"},
			2, http.StatusServiceUnavailable,
			"no progress: stack web: loading its source for 17m\n",
		},
	} {
		l := &Loop{
			Stuck: func() []string { return x.stuck }, Now: func() time.Time { return now },
			Flights: func() (int, time.Time) { return x.running, now.Add(-12 * time.Minute) },
		}
		w := httptest.NewRecorder()
		l.Routes().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		if w.Code != x.code || w.Body.String() != x.want {
			t.Errorf("%s: %d %q, want %d %q", name, w.Code, w.Body, x.code, x.want)
		}
	}
}

// TestReadinessNamesWhyTheRecordIsClosed: the reason is the error with which the data directory was closed, or could not
// be opened.
func TestReadinessNamesWhyTheRecordIsClosed(t *testing.T) {
	for why, want := range map[string]string{
		"":                   "the data directory is not open\n",
		"store: is a folder": "the data directory is not open: store: is a folder\n",
	} {
		l := &Loop{
			Failing: func() []string { return []string{"web: another reason"} }, Closed: func() string { return why },
			Record: func() (Record, bool) { return Record{}, false },
		}
		w := httptest.NewRecorder()
		l.Routes().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if w.Code != http.StatusServiceUnavailable || w.Body.String() != want {
			t.Errorf("%d %q, want %q", w.Code, w.Body, want)
		}
	}
}

// TestReadinessNamesTheReason: a load balancer and its operator read why the last cycle of a stack failed.
func TestReadinessNamesTheReason(t *testing.T) {
	for want, failing := range map[string][]string{
		"ready\n": nil,
		"the last cycle failed: web: compare: denied, db: no leader\n": {"web: compare: denied", "db: no leader"},
	} {
		l := &Loop{Failing: func() []string { return failing }, Record: func() (Record, bool) { return Record{}, true }}
		w := httptest.NewRecorder()
		l.Routes().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if code := map[bool]int{true: http.StatusServiceUnavailable, false: http.StatusOK}[len(failing) > 0]; w.Code != code || w.Body.String() != want {
			t.Errorf("%d %q, want %d %q", w.Code, w.Body, code, want)
		}
	}
}
