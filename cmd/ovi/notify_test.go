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
	b := &book{tell: func(n notice, _ bool) { told = append(told, n.State+" "+n.Kind+" "+n.Scope+n.Ref) }}
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
	n.send(notice{Type: "concern", State: concernNew, Stack: "web", Kind: "vetoed", Text: "blessed"}, false)
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

// TestTheWebhookHearsOnceOfAConcern, whoever leads: another instance says it on its own
// output, the webhook hears of it again only after it was settled, or when the memory ended.
func TestTheWebhookHearsOnceOfAConcern(t *testing.T) {
	store := mem.New()
	defer store.Close()
	var heard []string
	instance := func(name string) *book {
		b := &book{memory: storeMemory{t.Context(), func() storage.Store { return store }}}
		b.tell = func(n notice, elsewhere bool) {
			if elsewhere {
				heard = append(heard, name+" says "+n.Kind)
				return
			}
			heard = append(heard, name+" tells "+n.State+" "+n.Kind)
		}
		return b
	}
	deliver := func(b *book) {
		for _, e := range b.open["web"] {
			b.delivered(e.notice)
		}
	}
	scope := resource.Scope{Provider: "aws", Place: "us-east-1"}
	blind := engine.Concern{Kind: engine.Blind, Scope: scope, Text: "not seen for 3 cycles"}
	vetoed := engine.Concern{Kind: engine.Vetoed, Ref: resource.Ref{Provider: "aws", Place: "us-east-1", Kind: "ec2", Name: "a"}, Text: "blessed"}
	led := func(concerns ...engine.Concern) engine.Cycle {
		return engine.Cycle{Stack: "web", Led: true, Concerns: concerns}
	}
	ann, bob, cid := instance("ann"), instance("bob"), instance("cid")
	ann.cycle(led(vetoed))
	bob.cycle(led(vetoed)) // ann died before the webhook took it
	deliver(bob)
	bob.cycle(led(vetoed, blind))
	deliver(bob)
	unseen := led(vetoed) // not yet for three cycles of cid's own
	unseen.Planned = &engine.Planned{Plan: decider.Plan{Blind: map[resource.Scope]string{scope: "denied"}}}
	cid.cycle(unseen)
	cid.cycle(led(vetoed))
	bob.cycle(led(vetoed))                                       // leads again: that is no news to it
	if err := bob.memory.drop("web", vetoed.Key()); err != nil { // as its lease would
		t.Fatal(err)
	}
	bob.cycle(led(vetoed))
	bob.cycle(engine.Cycle{Stack: "web"}) // a helper settles nothing
	other := engine.Concern{Kind: engine.OtherWishes, Text: "another version"}
	instance("dan").cycle(engine.Cycle{Stack: "web", Concerns: []engine.Concern{vetoed, other}})
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
