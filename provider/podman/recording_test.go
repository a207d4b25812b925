package podman_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/engineapi"
	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/resource"
)

var record = flag.Bool("record", false, "record testdata/life.json on a real Podman")

// exchange is one request of a recording, with the answer that Podman gave.
type exchange struct {
	Request string          `json:"request"` // "GET /v4.0.0/libpod/containers/json?all=true"
	Sent    json.RawMessage `json:"sent,omitempty"`
	Status  int             `json:"status"`
	Answer  string          `json:"answer"`
	At      time.Time       `json:"at"` // when it answered: the age of a health check depends on it
}

// recorder sends requests on and keeps what they answer; a player answers from what was kept.
type recorder struct {
	mu  sync.Mutex
	to  http.RoundTripper
	all []exchange
}

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	sent, err := bodyOf(q)
	if err != nil {
		return nil, err
	}
	answer, err := r.to.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(b))
	if strings.HasSuffix(q.URL.Path, "/info") {
		b = []byte(`{"host":{"hostname":"host"}}`) // the rest is of this machine, and not used
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all,
		exchange{q.Method + " " + q.URL.RequestURI(), sent, answer.StatusCode, string(b), time.Now().UTC()})
	return answer, nil
}

func bodyOf(q *http.Request) (json.RawMessage, error) {
	if q.Body == nil {
		return nil, nil
	}
	b, err := io.ReadAll(q.Body)
	q.Body = io.NopCloser(bytes.NewReader(b))
	if !json.Valid(b) { // a secret
		return json.RawMessage(`"…"`), err
	}
	return b, err
}

// player answers each request as it was answered when it was recorded, in that order; what is
// asked more often than then, as the last time. What was never asked is an error of the test.
type player struct {
	t    *testing.T
	mu   sync.Mutex
	left map[string][]exchange
	// repeats has the requests whose last answer was given.
	repeats map[string]bool
	now     time.Time // in the recording
}

func (p *player) RoundTrip(q *http.Request) (*http.Response, error) {
	sent, err := bodyOf(q)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := q.Method + " " + q.URL.RequestURI()
	all := p.left[key]
	if len(all) == 0 {
		p.t.Errorf("unexpected request %s %s", key, sent)
		return nil, fmt.Errorf("nothing was recorded for %s", key)
	}
	x := all[0]
	switch {
	case p.now.Before(x.At):
		p.now = x.At
	case p.repeats[key]:
		p.now = p.now.Add(100 * time.Millisecond)
	}
	if p.repeats[key] = len(all) == 1; !p.repeats[key] {
		p.left[key] = all[1:]
	}
	if q.Method == http.MethodPost && !bytes.Equal(compact(sent), compact(x.Sent)) {
		p.t.Errorf("%s sends\n%s\nwas recorded with\n%s", key, sent, x.Sent)
	}
	return &http.Response{
		StatusCode: x.Status, Status: http.StatusText(x.Status), Header: http.Header{"Libpod-Api-Version": {"4.3.1"}},
		Body: io.NopCloser(strings.NewReader(x.Answer)), Request: q,
	}, nil
}

// clock is the time of the recording: that of the last answer, and a little more with each that
// is repeated, so that what waits for a time gets there.
func (p *player) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func compact(b json.RawMessage) []byte {
	var out bytes.Buffer
	if len(b) == 0 || json.Compact(&out, b) != nil {
		return b
	}
	return out.Bytes()
}

const recording = "testdata/life.json"

func play(t *testing.T) *player {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(recording))
	if err != nil {
		t.Fatal(err)
	}
	var all []exchange
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return playOf(t, all)
}

func playOf(t *testing.T, all []exchange) *player {
	p := &player{t: t, left: map[string][]exchange{}, repeats: map[string]bool{}}
	for _, x := range all {
		p.left[x.Request] = append(p.left[x.Request], x)
	}
	return p
}

// over is a provider that sends its requests through a transport.
func over(t *testing.T, transport http.RoundTripper, clock func() time.Time) *real {
	t.Helper()
	r := &real{t: t, ids: map[resource.Ref]string{}}
	r.p = podman.New(podman.Options{
		Transport: func(string) (http.RoundTripper, error) { return transport, nil },
		Clock:     clock,
		Digest:    func(plain string) string { return "fixed" },
	})
	location, err := r.p.Locate(r.context(), "local")
	if err != nil {
		t.Fatal(err)
	}
	r.scope = resource.Scope{Provider: podman.Name, Location: location}
	return r
}

// TestALifeOnARecording: every manager creates, observes, updates, swaps and deletes with the
// requests that a real Podman answered when they were recorded. `go test -record` records them.
func TestALifeOnARecording(t *testing.T) {
	if !*record {
		p := play(t)
		life(over(t, p, p.clock))
		return
	}
	host := podmantest.Start(t)
	rec := &recorder{to: engineapi.Unix(host.Socket)}
	life(over(t, rec, time.Now))
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(rec.all); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(out.String(), host.Dir, "/var/lib/containers")
	if err := os.WriteFile(filepath.FromSlash(recording), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// life is the life of one resource of each kind.
func life(r *real) {
	t := r.t
	r.create("network", "back", values{"labels": object(values{"team": text("shop")})})
	r.create("volume", "data", values{})
	r.create("secret", "pair",
		values{"data": object(values{"USER": secretOf("fake-user"), "TOKEN": secretOf("fake-token")})})
	r.create("pod", "together", values{"networks": resource.List{r.of("network", "back")}})
	web, first := r.create("container", "web", values{
		"image": text(podmantest.Image), "networks": resource.List{r.of("network", "back")},
		"env":     object(values{"A": text("1")}),
		"volumes": resource.List{object(values{"name": r.of("volume", "data"), "mount_path": text("/data")})},
		"secrets": resource.List{object(values{"name": r.of("secret", "pair"), "env": resource.Bool(true)})},
		"health":  object(values{"command": texts("true"), "interval_seconds": resource.Int(60)}),
	})
	all := r.observe().Resources
	for _, o := range all {
		if o.Marks.Ref.IsZero() {
			continue
		}
		if o.Health != resource.Healthy {
			t.Errorf("%s is %s: %s", o.Ref, o.Health, o.Message)
		}
	}
	if o, ok := r.byRef(web.Ref); !ok || len(r.changes(web, o)) > 0 {
		t.Errorf("the container has %q", show(r.changes(web, o)))
	}
	q := r.request(web)
	q.Have, q.Changes = first, []resource.Change{
		{
			On: resource.OnState, Path: resource.StatePath, To: resource.String(resource.StateRunning),
			Effect: resource.Restart,
		},
	}
	if _, err := r.p.Update(r.context(), q); err != nil {
		t.Error(err)
	}
	q = r.request(web)
	q.Have = first
	aside, err := r.p.SetAside(r.context(), q)
	if err != nil {
		t.Fatal(err)
	}
	q = r.request(web)
	q.Beside = &aside
	if q.Have, err = r.p.Create(r.context(), q); err != nil {
		t.Fatal(err)
	}
	if _, err = r.p.Switch(r.context(), q); err != nil {
		t.Error(err)
	}
	for _, o := range append([]resource.Observed{aside, q.Have}, all...) {
		if o.Marks.Ref.IsZero() || o.Ref.Kind == "network" {
			continue
		}
		if err := r.p.Delete(r.context(), provider.Request{Key: "delete", Owner: "ovi", Have: o}); err != nil {
			t.Errorf("delete %s: %v", o.Ref, err)
		}
	}
	network, _ := r.byRef(r.ref("network", "back"))
	if err := r.p.Delete(r.context(), provider.Request{Key: "delete", Owner: "ovi", Have: network}); err != nil {
		t.Error(err)
	}
}
