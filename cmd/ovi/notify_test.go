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

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestAConcernIsToldOnce: when it comes up and when it is settled; a cycle that came to
// nothing settles nothing.
func TestAConcernIsToldOnce(t *testing.T) {
	var told []string
	b := &alertBook{tell: func(n notice, _ bool) { told = append(told, n.State+" "+n.Kind+" "+n.Scope+n.Ref) }}
	scope := resource.Scope{Provider: "aws", Location: "us-east-1"}
	unreachable := engine.Alert{Type: engine.UnreachableAlert, Scope: scope, Text: "not seen for 3 cycles"}
	blocked := engine.Alert{Type: engine.BlockedAlert, Ref: resource.Ref{Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: "a"}, Text: "blessed"}
	for _, c := range []engine.Cycle{
		{Stack: "web", Led: true, Alerts: []engine.Alert{unreachable}},
		{Stack: "web", Led: true, Alerts: []engine.Alert{unreachable, blocked}},
		{Stack: "db", Led: true, Alerts: []engine.Alert{unreachable}},
		{Stack: "web", Led: true, Err: errors.New("the store is away")},
		{Stack: "web"}, // helping tells nothing of what leading found
		{Stack: "web", Led: true, Alerts: []engine.Alert{blocked}},
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
	n.send(notice{Type: "concern", State: alertNew, Stack: "web", Kind: "vetoed", Text: "blessed"}, false)
	n.Close()
	mu.Lock()
	defer mu.Unlock()
	var got notice
	if calls != 3 || len(bodies) != 1 || json.Unmarshal(bodies[0], &got) != nil || got.Text != "blessed" || got.State != alertNew {
		t.Errorf("%d calls, told %q", calls, bodies)
	}
	if !strings.Contains(out.String(), "stack web: vetoed") {
		t.Errorf("standard output: %q", out.String())
	}
}

// TestTheWebhookHearsOnceOfAConcern, whoever leads: another instance says it on its own
// output, the webhook hears of it again only after it was settled, or when the memory ended.
func TestTheWebhookHearsOnceOfAConcern(t *testing.T) {
	store := mem.New()
	defer store.Close()
	var heard []string
	instance := func(name string) *alertBook {
		b := &alertBook{memory: storeMemory{t.Context(), func() storage.Store { return store }}}
		b.tell = func(n notice, elsewhere bool) {
			if elsewhere {
				heard = append(heard, name+" says "+n.Kind)
				return
			}
			heard = append(heard, name+" tells "+n.State+" "+n.Kind)
		}
		return b
	}
	deliver := func(b *alertBook) {
		for _, e := range b.open["web"] {
			b.delivered(e.notice)
		}
	}
	scope := resource.Scope{Provider: "aws", Location: "us-east-1"}
	unreachable := engine.Alert{Type: engine.UnreachableAlert, Scope: scope, Text: "not seen for 3 cycles"}
	blocked := engine.Alert{Type: engine.BlockedAlert, Ref: resource.Ref{Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: "a"}, Text: "blessed"}
	led := func(alerts ...engine.Alert) engine.Cycle {
		return engine.Cycle{Stack: "web", Led: true, Alerts: alerts}
	}
	ann, bob, cid := instance("ann"), instance("bob"), instance("cid")
	ann.cycle(led(blocked))
	bob.cycle(led(blocked)) // ann died before the webhook took it
	deliver(bob)
	bob.cycle(led(blocked, unreachable))
	deliver(bob)
	unread := led(blocked) // not yet for three cycles of cid's own
	unread.Planned = &engine.Planned{Plan: decider.Plan{Unreachable: map[resource.Scope]string{scope: "denied"}}}
	cid.cycle(unread)
	cid.cycle(led(blocked))
	bob.cycle(led(blocked))                                       // leads again: that is no news to it
	if err := bob.memory.drop("web", blocked.Key()); err != nil { // as its lease would
		t.Fatal(err)
	}
	bob.cycle(led(blocked))
	bob.cycle(engine.Cycle{Stack: "web"}) // a helper settles nothing
	other := engine.Alert{Type: engine.ConfigurationMismatch, Text: "another version"}
	instance("dan").cycle(engine.Cycle{Stack: "web", Alerts: []engine.Alert{blocked, other}})
	bob.cycle(led())
	cid.cycle(led())
	want := []string{
		"ann tells new vetoed", "bob tells new vetoed", "bob tells new blind",
		"cid says vetoed", "cid tells settled blind", "bob tells new vetoed",
		"dan says vetoed", "dan tells new other_wishes", "bob tells settled vetoed",
	}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
