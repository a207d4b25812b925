package serve

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
	"github.com/ovi-project/ovi/storage/mem"
)

// TestAnAlertIsReportedOnce: when it is raised and when it is resolved; a failed cycle
// resolves nothing.
func TestAConcernIsToldOnce(t *testing.T) {
	var told []string
	b := &Alerts{send: func(n Notice, _ bool) { told = append(told, n.State+" "+word(n.Kind)+" "+n.Scope+n.Ref) }}
	scope := resource.Scope{Provider: "aws", Location: "us-east-1"}
	unreachable := loop.Alert{Type: loop.UnreachableAlert, Scope: scope, Text: "not observed for 3 cycles"}
	blocked := loop.Alert{Type: loop.BlockedAlert, Ref: resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: "a"}, Text: "blessed"}
	for _, c := range []loop.Cycle{
		{Stack: "web", Led: true, Alerts: []loop.Alert{unreachable}},
		{Stack: "web", Led: true, Alerts: []loop.Alert{unreachable, blocked}},
		{Stack: "db", Led: true, Alerts: []loop.Alert{unreachable}},
		{Stack: "web", Led: true, Err: errors.New("the store is away")},
		{Stack: "web"}, // helping tells nothing of what leading found
		{Stack: "web", Led: true, Alerts: []loop.Alert{blocked}},
	} {
		b.Cycle(c)
	}
	want := []string{"new unreachable aws/us-east-1", "new blocked web:aws/us-east-1/ec2/a", "new unreachable aws/us-east-1", "resolved unreachable aws/us-east-1"}
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
	show := &cli.Output{W: &out, ErrW: &out}
	show.Share()
	n := &Notices{
		ctx: t.Context(), out: show, now: time.Now, url: server.URL, key: key, client: server.Client(),
		queue: make(chan Notice, 4), done: make(chan struct{}), pauses: []time.Duration{time.Millisecond, time.Millisecond},
	}
	go n.deliver()
	n.Send(Notice{Type: "alert", State: alertNew, Stack: "web", Kind: "blocked", Text: "blessed"}, false)
	n.Close()
	mu.Lock()
	defer mu.Unlock()
	var got Notice
	if calls != 3 || len(bodies) != 1 || json.Unmarshal(bodies[0], &got) != nil || got.Text != "blessed" || got.State != alertNew {
		t.Errorf("%d calls, told %q", calls, bodies)
	}
	if !strings.Contains(out.String(), "stack web: alert: blocked") {
		t.Errorf("standard output: %q", out.String())
	}
}

// TestTheWebhookHearsOnceOfAConcern, whoever leads: another instance says it on its own
// output, the webhook receives it again only after it was resolved, or when the memory ended.
func TestTheWebhookHearsOnceOfAConcern(t *testing.T) {
	store := mem.New()
	defer store.Close()
	var heard []string
	instance := func(name string) *Alerts {
		b := &Alerts{memory: StoreMemory{t.Context(), func() storage.Store { return store }}}
		b.send = func(n Notice, elsewhere bool) {
			if elsewhere {
				heard = append(heard, name+" says "+word(n.Kind))
				return
			}
			heard = append(heard, name+" tells "+n.State+" "+word(n.Kind))
		}
		return b
	}
	deliver := func(b *Alerts) {
		for _, e := range b.open["web"] {
			b.delivered(e.Notice)
		}
	}
	scope := resource.Scope{Provider: "aws", Location: "us-east-1"}
	unreachable := loop.Alert{Type: loop.UnreachableAlert, Scope: scope, Text: "not observed for 3 cycles"}
	blocked := loop.Alert{Type: loop.BlockedAlert, Ref: resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: "a"}, Text: "blessed"}
	led := func(alerts ...loop.Alert) loop.Cycle {
		return loop.Cycle{Stack: "web", Led: true, Alerts: alerts}
	}
	ann, bob, cid := instance("ann"), instance("bob"), instance("cid")
	ann.Cycle(led(blocked))
	bob.Cycle(led(blocked)) // ann died before the webhook took it
	deliver(bob)
	bob.Cycle(led(blocked, unreachable))
	deliver(bob)
	unread := led(blocked) // not yet for three cycles of cid's own
	unread.Planned = &engine.Planned{Plan: decider.Plan{Unreachable: map[resource.Scope]string{scope: "denied"}}}
	cid.Cycle(unread)
	cid.Cycle(led(blocked))
	bob.Cycle(led(blocked))                                       // leads again: that is no news to it
	if err := bob.memory.drop("web", blocked.Key()); err != nil { // as its lease would
		t.Fatal(err)
	}
	bob.Cycle(led(blocked))
	bob.Cycle(loop.Cycle{Stack: "web"}) // a helper resolves nothing
	other := loop.Alert{Type: loop.ConfigurationMismatch, Text: "another version"}
	instance("dan").Cycle(loop.Cycle{Stack: "web", Alerts: []loop.Alert{blocked, other}})
	bob.Cycle(led())
	cid.Cycle(led())
	want := []string{
		"ann tells new blocked", "bob tells new blocked", "bob tells new unreachable",
		"cid says blocked", "cid tells resolved unreachable", "bob tells new blocked",
		"dan says blocked", "dan tells new mismatch", "bob tells resolved blocked",
	}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// word names a type of alert.
func word(kind string) string {
	switch loop.AlertType(kind) {
	case loop.UnreachableAlert:
		return "unreachable"
	case loop.BlockedAlert:
		return "blocked"
	case loop.ConfigurationMismatch:
		return "mismatch"
	}
	return kind
}

// TestTheWebhookFollowsNoRedirect: what was signed for one receiver reaches no other.
func TestTheWebhookFollowsNoRedirect(t *testing.T) {
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			t.Errorf("%d: %s reached another host, from %q", status, r.Method, r.Referer())
		}))
		defer elsewhere.Close()
		hook := httptest.NewServer(http.RedirectHandler(elsewhere.URL, status))
		defer hook.Close()
		said := notified(t, Webhook{URL: hook.URL + "/secret-of-the-url", KeyFile: keyFile(t)})
		if !strings.Contains(said, "alerts follow no redirect") || strings.Contains(said, "secret-of-the-url") {
			t.Errorf("%d: reported %q", status, said)
		}
	}
}

// TestTheURLOfAWebhookFromAFile: others cannot read it with ps.
func TestTheURLOfAWebhookFromAFile(t *testing.T) {
	reached := make(chan string, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	defer hook.Close()
	file := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(file, []byte(hook.URL+"/token\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := notified(t, Webhook{URLFile: file, KeyFile: keyFile(t)}); strings.Contains(said, "not notified") {
		t.Error(said)
	}
	if path := <-reached; path != "/token" {
		t.Errorf("reached %s", path)
	}
	for name, bad := range map[string]Webhook{
		"both":  {URL: hook.URL, URLFile: file},
		"none":  {URLFile: file + ".none"},
		"empty": {URLFile: os.DevNull},
	} {
		if _, err := OpenNotices(t.Context(), &cli.Output{W: io.Discard, ErrW: io.Discard}, time.Now, bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestAWebhookWithoutTLS is warned of, unless it is on this host.
func TestAWebhookWithoutTLS(t *testing.T) {
	for url, warned := range map[string]bool{
		"http://hooks.example/x": true, "https://hooks.example/x": false, "http://127.0.0.1:1/x": false, "http://[::1]:1/x": false,
	} {
		var said bytes.Buffer
		n, err := OpenNotices(t.Context(), &cli.Output{W: &said, ErrW: &said}, time.Now, Webhook{URL: url, KeyFile: keyFile(t)})
		if err != nil {
			t.Fatal(err)
		}
		n.Close()
		if got := strings.Contains(said.String(), "without TLS"); got != warned {
			t.Errorf("%s: warned %v: %q", url, got, said.String())
		}
	}
}

// notified sends one alert, and returns what is reported.
func notified(t *testing.T, to Webhook) string {
	t.Helper()
	var said bytes.Buffer
	out := &cli.Output{W: &said, ErrW: &said}
	out.Share()
	n, err := OpenNotices(t.Context(), out, time.Now, to)
	if err != nil {
		t.Fatal(err)
	}
	n.Send(Notice{Type: "alert", State: alertNew, Stack: "web", Kind: "blocked", Text: "blessed"}, false)
	n.Close()
	return strings.Join(strings.Fields(said.String()), " ")
}

func keyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("not-a-real-key-0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTheReceiverOfAlertsPrintsNothing: the phrase of its status, and an answer that is not HTTP, may quote the URL,
// which can have a secret, and may have control codes.
func TestTheReceiverOfAlertsPrintsNothing(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP/1.1 404 no /hook/canary here \x1b[31m\r\nContent-Length: 0\r\n\r\n": "it answered 404 Not Found",
		"HTTP/1.1 302 see canary\r\nContent-Length: 0\r\n\r\n":                    "it answered 302 Found;",
		"HTTP/1.1 abc canary\r\n\r\n":                                             "the answer is not HTTP",
		"canary\x1b[31m\r\n\r\n":                                                  "the answer is not HTTP",
		"HTTP/1.1 200 OK\r\ncanary\r\n\r\n":                                       "the answer is not HTTP",
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = io.WriteString(c, answer)
			_ = c.Close()
		}()
		n := &Notices{ctx: t.Context(), now: time.Now, url: "http://" + listener.Addr().String() + "/hook/canary", client: &http.Client{CheckRedirect: noRedirects}}
		_, err = n.once([]byte("{}"))
		_ = listener.Close()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v, want %q", answer, err, want)
		}
	}
}
