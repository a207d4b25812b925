package node

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/edge/outbox"
	"github.com/ovi-project/ovi/resource"
)

// TestANodeKeepsWholeErrorsOfDeploymentsWithSecrets for its own operator. Its events and its report have none of it.
func TestANodeKeepsWholeErrorsOfDeploymentsWithSecrets(t *testing.T) {
	t.Parallel()
	const canary = "canary-7f3k"
	kept := map[resource.Ref]string{}
	events, err := outbox.Open(t.TempDir()+"/events", outbox.Options{Keep: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Close() }()
	a := &agent{
		Options: Options{Site: "berlin", Node: "n1", Log: hclog.NewNullLogger(), Loud: func(r resource.Ref, text string) { kept[r] = text }},
		outbox:  events, last: map[string]resource.Request{},
	}
	failed := provider.WithOutput(errors.New("it is unhealthy"), "the password "+canary+" is wrong")
	web := resource.Ref{Stack: "berlin", Provider: "edge", Location: "berlin/n1", Kind: "deployment", Name: "web"}
	end := func(name, ref string, secrets map[string]string, err error) {
		q := task{Request: link.Request{ID: name, Name: name, Verb: link.Update}, done: make(chan struct{})}
		q.to = link.Deployment{Name: name, Marks: link.Marks{Ref: ref}, Spec: link.Spec{Version: "1", Secrets: secrets}}
		a.ended(q, link.Item{}, err)
		a.keepLoud(q, err)
		a.finished(q, err)
	}
	end("web", web.String(), map[string]string{"db": "/run/db"}, failed)
	end("other", "no ref", nil, failed)
	end("plain", web.String(), nil, errors.New("no such image"))
	unnamed := resource.Ref{Location: "berlin/n1", Name: "other"}
	if len(kept) != 2 || !strings.Contains(kept[web], canary) || !strings.Contains(kept[unnamed], canary) {
		t.Errorf("kept: %v", kept)
	}
	for _, e := range events.After(0, 10) {
		if strings.Contains(e.Event.Message, canary) {
			t.Errorf("an event has it: %+v", e)
		}
	}
	for _, q := range a.last {
		if strings.Contains(q.Text, canary) {
			t.Errorf("a report has it: %+v", q)
		}
	}
}

// TestANodeSendsWhoReadAnError, once, and as an event that changes the status of no deployment.
func TestANodeSendsWhoReadAnError(t *testing.T) {
	t.Parallel()
	events, err := outbox.Open(t.TempDir()+"/events", outbox.Options{Keep: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Close() }()
	notes := []string{"ann read the whole error of web"}
	a := &agent{Options: Options{Site: "berlin", Node: "n1", Log: hclog.NewNullLogger(), Shown: func(record func(time.Time, string) error) error {
		for _, text := range notes {
			if err := record(time.Unix(1, 0), text); err != nil {
				return err
			}
		}
		notes = nil
		return nil
	}}, outbox: events}
	a.noteShown()
	a.noteShown()
	all := events.After(0, 10)
	if len(all) != 1 || all[0].Event.Class != classShown || all[0].Event.Message != "ann read the whole error of web" || all[0].Event.To != "" || all[0].Event.OfOrchestrator() {
		t.Errorf("events: %+v", all)
	}
}
