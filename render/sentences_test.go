package render_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
)

// recorded has events of every type, as their own test writes them.
func recorded(t *testing.T) []event.Record {
	t.Helper()
	text, err := os.ReadFile("../ledger/event/testdata/records.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []event.Record
	for line := range bytes.Lines(text) {
		r, err := event.DecodeRecord(bytes.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		r.User = "root"
		out = append(out, r)
	}
	return out
}

// TestEveryEventHasASentence reads the sentence of each type of event: it is more than the name, it
// has the id, the other name, the instance, the error and the reason of the event, and it names one
// user, once.
func TestEveryEventHasASentence(t *testing.T) {
	missing := event.Types()
	var all strings.Builder
	for _, r := range recorded(t) {
		name := r.Event.Type()
		missing = slices.DeleteFunc(missing, func(s string) bool { return s == name })
		text := render.RecordLine(r)
		fmt.Fprintf(&all, "%-17s %s\n", name, text)
		if words := strings.ReplaceAll(name, "_", " "); text == words || render.Line(r.Event) == words || render.Line(r.Event) == "" {
			t.Errorf("%s has no sentence: %q", name, text)
		}
		if n := strings.Count(text, "root") + strings.Count(text, "ann"); n != 1 {
			t.Errorf("%s names %d users: %q", name, n, text)
		}
		b, err := json.Marshal(r.Event)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"who", "reason", "instance", "error", "why", "old", "evidence", "step"} {
			value, ok := fields[key].(string)
			if shown := strings.ReplaceAll(value, "_", " "); ok && !strings.Contains(text, shown) && !(key == "reason" && fields["message"] != nil) && name != event.TypeNotStarted {
				t.Errorf("%s does not say %s %q: %q", name, key, shown, text)
			}
		}
		if from, ok := fields["from"].(string); ok && !strings.Contains(text, from[strings.LastIndex(from, "/")+1:]) {
			t.Errorf("%s does not say from where: %q", name, text)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no event of type %s", strings.Join(missing, ", "))
	}
	golden(t, "sentences.txt", []byte(all.String()))
}
