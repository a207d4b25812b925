package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

const (
	perRun  = 12             // events of a run without changes: the source, ten observations, a plan
	sitting = 2000           // runs between two openings of the data directory
	flapper = 77             // a script resizes it, all year
	blessed = 42             // no longer configured, and blessed
	broken  = 99             // its update fails each time
	weekly  = 7 * 24         // hours between two deployments
	renewed = resources / 50 // resources created and deleted by a deployment
)

// author writes a year of runs.
type author struct {
	dir    string
	l      *ledger.Ledger
	rng    *rand.Rand
	now    time.Time
	events int

	first, next int // resources from first to next are configured, without the blessed one
	off         map[int]string
	fails       int
	deployed    int
	whole       bool // the next run creates everything
}

// write writes a log of that many events.
func write(ctx context.Context, dir string, events int) (err error) {
	a := &author{
		dir: dir, rng: rand.New(rand.NewPCG(7, 11)), off: map[int]string{}, now: started(), next: resources,
		whole: true,
	}
	runs := (events - 3*resources) / perRun
	step := year / time.Duration(runs)
	for i := 0; a.events < events; i++ {
		if i%sitting == 0 {
			if err := a.open(ctx, i/sitting); err != nil {
				return err
			}
		}
		a.now = started().Add(time.Duration(i) * step)
		if err := a.oneRun(ctx, a.mode(i, runs)); err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
	}
	return a.l.Close()
}

// mode is the purpose of a run: an apply twenty-four times a day, else drift or a plan.
func (a *author) mode(i, runs int) event.Mode {
	every := max(1, runs/(365*24))
	switch {
	case a.whole || i%every == 0:
		return event.ForApply
	case i%3 == 0:
		return event.ForPlan
	}
	return event.ForDrift
}

func (a *author) open(ctx context.Context, n int) (err error) {
	if a.l != nil {
		if err := a.l.Close(); err != nil {
			return err
		}
	}
	var seed [16]byte
	seed[15], seed[14] = byte(n), byte(n>>8)
	run := ulid.ULID(seed)
	if err := run.SetTime(ulid.Timestamp(a.now)); err != nil {
		return err
	}
	a.l, err = local.Open(ctx, ledger.Config{
		Dir: filepath.Join(a.dir, ".ovi"), User: []string{"ada", "grace", "joan"}[n%3], Run: run.String(),
		Clock: func() time.Time { return a.now },
	})
	return err
}

func (a *author) record(ctx context.Context, events ...event.Event) error {
	a.events += len(events)
	_, err := a.l.Record(ctx, events...)
	return err
}

// oneRun reads, observes, plans, and executes if it is an apply.
func (a *author) oneRun(ctx context.Context, mode event.Mode) error {
	events := []event.Event{event.Loaded{
		Stack: stack, Source: "ovi.yaml",
		Version: fmt.Sprintf("sha256:%064x", a.deployed), Resources: resources,
	}}
	changed, gone := a.drift()
	for _, region := range regions() {
		events = append(events, look(region, a.now, resources/len(regions()), changed[region], gone[region]))
	}
	if err := a.record(ctx, events...); err != nil {
		return err
	}
	decisions, doing := a.decide(mode)
	hash, err := event.HashDecisions(decisions)
	if err != nil {
		return err
	}
	plan := ulid.MustNew(ulid.Timestamp(a.now), &entropy{a.rng}).String()
	a.events++
	_, err = a.l.RecordPlan(ctx, event.Planned{
		Plan: plan, Stacks: []string{stack}, Mode: mode, Hash: hash, Decisions: decisions, At: a.now,
		Owned:  map[string]int{stack: resources},
		Counts: event.Counts{Unchanged: resources - len(decisions)}, Digest: hash[:32],
	})
	if err != nil || mode != event.ForApply || len(doing) == 0 {
		return err
	}
	if err := a.record(ctx, event.Approved{Plan: plan, Hash: hash, Who: a.l.User(), How: "auto-approve"}); err != nil {
		return err
	}
	return a.do(ctx, plan, doing)
}

// entropy makes the ids of plans reproducible.
type entropy struct{ rng *rand.Rand }

func (e *entropy) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(e.rng.Uint32())
	}
	return len(b), nil
}

// drift is what changed outside ovi since the last run: one run in twenty finds a resource resized,
// one in two thousand a deleted one.
func (a *author) drift() (changed map[string][]resource.Observed, gone map[string][]resource.Ref) {
	changed, gone = map[string][]resource.Observed{}, map[string][]resource.Ref{}
	if a.whole {
		return changed, gone
	}
	resize := func(n int, size string) {
		if a.off[n] != "" {
			return
		}
		a.off[n] = size
		region := regionOf(n)
		changed[region] = append(changed[region], there(n, size))
	}
	if a.rng.IntN(20) == 0 {
		resize(a.some(), "t3.large")
	}
	if a.rng.IntN(40) == 0 {
		resize(flapper, []string{"t3.small", "t3.medium"}[a.rng.IntN(2)])
	}
	if a.off[broken] == "" && a.deployed == 20 {
		resize(broken, "t3.nano")
	}
	if n := a.some(); a.rng.IntN(2000) == 0 && a.off[n] == "" {
		a.off[n] = "gone"
		gone[regionOf(n)] = append(gone[regionOf(n)], refOf(n))
	}
	for region := range changed {
		slices.SortFunc(changed[region], func(x, y resource.Observed) int { return x.Ref.Compare(y.Ref) })
	}
	return changed, gone
}

// some is any configured resource without a special role.
func (a *author) some() int {
	for {
		if n := a.first + a.rng.IntN(a.next-a.first); n != blessed && n != flapper && n != broken {
			return n
		}
	}
}

func regionOf(n int) string { all := regions(); return all[n%len(all)] }

// decide lists the actions, as the rules would, and their resources.
func (a *author) decide(mode event.Mode) (out []event.Decision, doing map[int]event.Decision) {
	doing = map[int]event.Decision{}
	add := func(n int, d event.Decision) {
		d.Ref = refOf(n)
		if len(d.Blockers) == 0 {
			d.Action = d.Proposed
		}
		out, doing[n] = append(out, d), d
	}
	if a.whole {
		for n := range a.next {
			add(n, a.making(n))
		}
	}
	for n, size := range a.off {
		switch {
		case size == "gone":
			add(n, a.making(n))
		default:
			add(n, event.Decision{
				Difference: comparator.Drifted, Proposed: decider.Update, Reason: decider.ReasonChanged, Message: "size differs",
				Changes: []resource.Change{{Path: "size", From: resource.String(size), To: resource.String(sizeWas)}},
				Desired: &event.Desired{Attrs: desired(0), At: position.Position{File: "ovi.yaml", Line: 6, Column: 5}},
			})
		}
	}
	if mode == event.ForDrift {
		return sorted(out), doing
	}
	if deploy := int(a.now.Sub(started()).Hours()) / weekly; deploy > a.deployed && mode == event.ForApply {
		a.deployed = deploy
		for range renewed / 2 {
			if a.first != blessed && a.first != flapper && a.first != broken && a.off[a.first] == "" {
				add(a.first, event.Decision{
					Difference: comparator.Unwanted, Proposed: decider.Delete,
					Reason: decider.ReasonUnwanted, Message: "it belongs to stack shop and is no longer configured",
				})
			}
			add(a.next, a.making(a.next))
			a.first, a.next = a.first+1, a.next+1
		}
	}
	if !a.whole {
		add(blessed, event.Decision{
			Difference: comparator.Unwanted, Proposed: decider.Delete, Action: decider.Notify, Reason: decider.ReasonUnwanted,
			Message:  "it belongs to stack shop and is no longer configured",
			Blockers: []decider.Blocker{{Policy: "blessed", Reason: "it is blessed: ovi unbless ec2/" + refOf(blessed).Name}},
		})
	}
	return sorted(out), doing
}

func (a *author) making(n int) event.Decision {
	d := event.Decision{
		Difference: comparator.Missing, Proposed: decider.Create, Reason: decider.ReasonMissing,
		Message: "it is configured and missing",
	}
	for _, x := range desired(n) {
		d.Changes = append(d.Changes, resource.Change{Path: x.Name, To: x.Value})
	}
	d.Desired = &event.Desired{FromChanges: true, At: position.Position{File: "ovi.yaml", Line: 6, Column: 5}}
	return d
}

func sorted(all []event.Decision) []event.Decision {
	slices.SortFunc(all, func(x, y event.Decision) int { return x.Ref.Compare(y.Ref) })
	return all
}
