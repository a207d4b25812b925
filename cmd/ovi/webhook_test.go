package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/cmd/serve"
	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine/loop"
)

// TestTheWebhookHearsOnce: an alert that two instances find is sent once, also after the instance
// that sent it was killed, and once more when it is resolved.
func TestTheWebhookHearsOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var heard []string
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n serve.Notice
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil || !strings.HasPrefix(r.Header.Get("Ovi-Signature"), "t=") {
			t.Errorf("%v: %q", err, r.Header)
		}
		switch loop.AlertType(n.Kind) {
		case loop.ConfigurationMismatch, loop.KeyPinned:
			return // for a moment, as eve applied another version; and once for each instance
		}
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, n.State+" "+n.Kind+" "+n.Ref[strings.LastIndex(n.Ref, "/")+1:])
	}))
	defer hook.Close()
	sent := func() string { mu.Lock(); defer mu.Unlock(); return strings.Join(heard, ", ") }
	s := newSite(t, fleet(3))
	key := s.write("hook.key", "not-a-real-key-0123456789\n")
	s.run("eve", "0", "apply", "--sandbox", "--auto-approve")
	writeConfig(t, s.dir, fleet(2)) // web-2 would be deleted, without --allow-destroy
	byName := map[string]*instance{}
	for _, who := range []string{"ann", "bob"} {
		byName[who] = s.keep(who, "--webhook", hook.URL, "--webhook-key-file", key)
	}
	notes := coordinator.NotesOn(s.openStore(), "alerts-fleet")
	eventually(t, "the webhook has the alert, and the store remembers it", func() bool {
		kept, err := notes.All(t.Context())
		return err == nil && sent() != "" && slices.ContainsFunc(slices.Collect(maps.Values(kept)), func(b []byte) bool {
			return strings.Contains(string(b), "web-2")
		})
	})
	first := s.leader()
	other := map[string]string{"ann": "bob", "bob": "ann"}[first]
	if other == "" {
		t.Fatalf("%q leads", first)
	}
	if err := byName[first].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other leads", func() bool { return s.leader() == other })
	cycles := byName[other].cycles()
	eventually(t, "it led two cycles and shows the alert", func() bool {
		return byName[other].cycles() >= cycles+2 && strings.Contains(byName[other].said(), "delete blocked by")
	})
	if got := sent(); got != "new blocked web-2" {
		t.Errorf("the webhook received %q", got)
	}
	writeConfig(t, s.dir, fleet(3)) // configured again
	eventually(t, "the webhook has the end", func() bool { return sent() == "new blocked web-2, resolved blocked web-2" })
}
