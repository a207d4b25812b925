package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/cutepod"
	"github.com/ovi-project/ovi/resource"
)

// TestNothingHappenedInTheFuture: after the clock was set back, what was just recorded is 0 seconds old.
func TestNothingHappenedInTheFuture(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	later := now.Add(time.Hour)
	c := &call{process: &process{Process: cli.Process{Now: func() time.Time { return now }}}}
	if got := c.ago(later); got != "0s ago" {
		t.Errorf("an age is %q", got)
	}
	if got := c.elapsed(later); got != 0 {
		t.Errorf("%s elapsed", got)
	}
	p := &engine.Planned{Past: true, Observations: []engine.Observation{{Scope: resource.Scope{Provider: "fake", Location: "here"}, At: later}}}
	if got := freshness(c, p); len(got) != 2 || !strings.HasSuffix(got[1], ", 0s ago") {
		t.Errorf("an observation is as fresh as %q", got)
	}
	for _, r := range lookRecords(c, p, render.NewNames()) {
		if x, ok := r.(render.Look); !ok || x.AgeSeconds != 0 {
			t.Errorf("an observation for programs is %+v", r)
		}
	}
}

// TestAReplacementTakesNoNegativeTime: its duration is that between two records.
func TestAReplacementTakesNoNegativeTime(t *testing.T) {
	t.Parallel()
	ref := resource.Ref{Stack: "web", Provider: "podman", Location: "here", Kind: "container", Name: "web"}
	start := time.Unix(1e9, 0)
	var out bytes.Buffer
	w := &watcher{
		installation: &installation{chart: &chartView{}, screen: &cutepod.Table{W: &out}},
		plan:         map[resource.Ref]*decider.Decision{ref: {Ref: ref, Action: decider.Replace}},
		steps:        map[resource.Ref]*steps{ref: {started: start}},
	}
	w.record(event.Record{At: start.Add(-time.Hour), Event: event.ReplaceFinished{Ref: ref, ID: "web"}})
	if d := w.steps[ref].done; d == nil || d.Seconds != 0 {
		t.Errorf("the replacement is %+v", d)
	}
}
