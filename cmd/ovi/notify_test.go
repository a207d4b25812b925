package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
)

// TestAConcernIsToldOnce: when it comes up and when it is settled; a cycle that came to
// nothing settles nothing.
func TestAConcernIsToldOnce(t *testing.T) {
	var told []string
	b := &book{tell: func(n notice) { told = append(told, n.State+" "+n.Kind+" "+n.Scope+n.Ref) }}
	scope := resource.Scope{Provider: "aws", Place: "us-east-1"}
	blind := engine.Concern{Kind: engine.Blind, Scope: scope, Text: "not seen for 3 cycles"}
	vetoed := engine.Concern{Kind: engine.Vetoed, Ref: resource.Ref{Provider: "aws", Place: "us-east-1", Kind: "ec2", Name: "a"}, Text: "blessed"}
	for _, c := range []engine.Cycle{
		{Stack: "web", Led: true, Concerns: []engine.Concern{blind}},
		{Stack: "web", Led: true, Concerns: []engine.Concern{blind, vetoed}},
		{Stack: "db", Led: true, Concerns: []engine.Concern{blind}},
		{Stack: "web", Led: true, Err: errors.New("the store is away")},
		{Stack: "web"}, // helping tells nothing of what leading found
		{Stack: "web", Led: true, Concerns: []engine.Concern{vetoed}},
	} {
		b.cycle(c)
	}
	want := []string{"new blind aws/us-east-1", "new vetoed aws/us-east-1/ec2/a", "new blind aws/us-east-1", "settled blind aws/us-east-1"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestTheWebhookIsSignedAndTriedAgain: a server that is down gets the notice when it is up,
// and can tell by the signature who sent it.
func TestTheWebhookIsSignedAndTriedAgain(t *testing.T) {
	key := []byte("not-a-real-key-0123456789")
	var mu sync.Mutex
	var bodies [][]byte
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var seconds int64
		var mac string
		if _, err := fmt.Sscanf(strings.Replace(r.Header.Get("Ovi-Signature"), ",v1=", " ", 1), "t=%d %s", &seconds, &mac); err != nil {
			t.Errorf("signature %q: %v", r.Header.Get("Ovi-Signature"), err)
		}
		h := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(h, "%d.%s", seconds, body)
		if mac != hex.EncodeToString(h.Sum(nil)) || time.Since(time.Unix(seconds, 0)) > time.Minute {
			t.Errorf("signature %q does not fit", r.Header.Get("Ovi-Signature"))
		}
		bodies = append(bodies, body)
	}))
	defer server.Close()
	var out bytes.Buffer
	p := &process{hard: t.Context(), stdout: &out, stderr: &out, now: time.Now, env: func(string) (string, bool) { return "", false }}
	c := &call{process: p, Context: t.Context(), out: &output{w: &out, errW: &out}, log: hclog.NewNullLogger()}
	c.out.share()
	n := &notices{c: c, url: server.URL, key: key, client: server.Client(), queue: make(chan notice, 4), done: make(chan struct{}), pauses: []time.Duration{time.Millisecond, time.Millisecond}}
	go n.deliver()
	n.send(notice{Type: "concern", State: concernNew, Stack: "web", Kind: "vetoed", Text: "blessed"})
	n.Close()
	mu.Lock()
	defer mu.Unlock()
	var got notice
	if calls != 3 || len(bodies) != 1 || json.Unmarshal(bodies[0], &got) != nil || got.Text != "blessed" || got.State != concernNew {
		t.Errorf("%d calls, told %q", calls, bodies)
	}
	if !strings.Contains(out.String(), "stack web: vetoed") {
		t.Errorf("standard output: %q", out.String())
	}
}
