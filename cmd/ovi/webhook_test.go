package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovi-project/ovi/serve"
)

// TestTheWebhookHearsOnce of what two instances find, over the death of the one that told it;
// and hears when it is settled.
func TestTheWebhookHearsOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var heard []string
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n serve.Notice
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil || !strings.HasPrefix(r.Header.Get("Ovi-Signature"), "t=") {
			t.Errorf("%v: %q", err, r.Header)
		}
		if n.Kind == "configuration_mismatch" {
			return // for a moment: eve applied another version
		}
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, n.State+" "+n.Kind+" "+n.Ref[strings.LastIndex(n.Ref, "/")+1:])
	}))
	defer hook.Close()
	told := func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(heard, ", ") }
	s := newSite(t, fleet(3))
	key := s.write("hook.key", "not-a-real-key-0123456789\n")
	s.run("eve", "0", "apply", "--sandbox", "--auto-approve")
	writeConfig(t, s.dir, fleet(2)) // web-2 is to go, and nobody said --allow-destroy
	byName := map[string]*instance{}
	for _, who := range []string{"ann", "bob"} {
		byName[who] = s.keep(who, "--webhook", hook.URL, "--webhook-key-file", key)
	}
	eventually(t, "the webhook heard", patience, func() bool { return told() != "" })
	first := s.leader()
	other := map[string]string{"ann": "bob", "bob": "ann"}[first]
	if other == "" {
		t.Fatalf("%q leads", first)
	}
	time.Sleep(5 * time.Second) // it is remembered behind the answer
	if err := byName[first].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the next leader says it here", patience, func() bool { return strings.Contains(byName[other].said(), "delete blocked by") })
	time.Sleep(2 * time.Second)
	if got := told(); got != "new blocked web-2" {
		t.Errorf("the webhook heard %q", got)
	}
	writeConfig(t, s.dir, fleet(3)) // wanted again
	eventually(t, "it heard the end", patience, func() bool { return told() == "new blocked web-2, resolved blocked web-2" })
}
