package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/cmd/charts"
	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
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
	c := &command.Call{Process: &command.Process{Process: cli.Process{Now: func() time.Time { return now }}}}
	if got := c.Ago(later); got != "0s ago" {
		t.Errorf("an age is %q", got)
	}
	if got := c.Elapsed(later); got != 0 {
		t.Errorf("%s elapsed", got)
	}
	p := &engine.Planned{Past: true, Observations: []engine.Observation{{Scope: resource.Scope{Provider: "fake", Location: "here"}, At: later}}}
	if got := session.Freshness(c, p, 0); len(got) != 2 || !strings.HasSuffix(got[1], ", 0s ago") {
		t.Errorf("an observation is as fresh as %q", got)
	}
	for _, r := range session.LookRecords(c, p, render.NewNames()) {
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
	w := &charts.Watcher{
		Installation: &charts.Installation{Chart: &charts.ChartView{}, Screen: &cutepod.Table{W: &out}},
		Plan:         map[resource.Ref]*decider.Decision{ref: {Ref: ref, Action: decider.Replace}},
		Steps:        map[resource.Ref]*charts.Steps{ref: {Started: start}},
	}
	w.Record(event.Record{At: start.Add(-time.Hour), Event: event.ReplaceFinished{Ref: ref, ID: "web"}})
	if d := w.Steps[ref].Done; d == nil || d.Seconds != 0 {
		t.Errorf("the replacement is %+v", d)
	}
}
