package replace_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

// A model of a system, of an engine that may crash at any point, and of what outlives a crash.

var (
	errCrash   = errors.New("crashed")
	errRefused = errors.New("the system refuses the create")
	start      = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
)

const (
	grace = 10 * time.Minute
	ours  = "key-1"
)

// outcome is what becomes of the new resource.
type outcome string

const (
	good      outcome = "good"         // healthy after a while
	stopped   outcome = "stopped"      // configured not to run
	unhealthy outcome = "unhealthy"    // failing once it runs
	hangs     outcome = "hangs"        // never leaves Pending
	refused   outcome = "create fails" // the system refuses it
)

// item is one resource of the model.
type item struct {
	id, key string // key "" is not created by this replacement
	name    string
	runs    bool
	polls   int // observations until it is healthy
}

// world is the system and the record: both outlive a crash of the engine.
type world struct {
	strategy resource.Strategy
	outcome  outcome
	items    []*item
	users    []string // ids that other resources refer to
	now      time.Time
	made     int

	record replace.Replacement
	ended  replace.Step // "" while open

	points  int   // points passed where the engine may crash
	crashes []int // at which it does
	broken  []string
}

func newWorld(s resource.Strategy, o outcome, crashes ...int) *world {
	w := &world{strategy: s, outcome: o, now: start, crashes: crashes}
	w.items = []*item{
		{id: "old", name: "web", runs: true},
		{id: "stranger", name: "other", runs: true},
	}
	w.users = []string{"old", "old"}
	w.record = replace.Replacement{Strategy: s, Old: "old", Key: ours, Stopped: o == stopped}
	return w
}

// point is a moment at which the engine may crash. What must always hold is judged here.
func (w *world) point() error {
	w.points++
	if w.find("stranger") == nil {
		w.breaks("deleted a resource that it did not create")
	}
	if w.strategy == resource.CreateFirst && w.outcome != stopped && !w.serves() {
		w.breaks("nothing serves")
	}
	if w.strategy == resource.StartFirst && w.outcome != stopped && !w.oneServes() {
		w.breaks("neither serves")
	}
	if slices.Contains(w.crashes, w.points) {
		return errCrash
	}
	return nil
}

func (w *world) breaks(text string) {
	if len(w.broken) < 5 {
		w.broken = append(w.broken, fmt.Sprintf("point %d: %s", w.points, text))
	}
}

// serves says that every user refers to a resource that runs.
func (w *world) serves() bool {
	return !slices.ContainsFunc(w.users, func(id string) bool { x := w.find(id); return x == nil || !x.runs })
}

// oneServes says that the old or the new resource serves.
func (w *world) oneServes() bool {
	old, made := w.find("old"), w.created()
	return old != nil && old.runs || made != nil && made.runs && made.polls == 0 && w.outcome == good
}

func (w *world) find(id string) *item {
	if i := slices.IndexFunc(w.items, func(x *item) bool { return x.id == id }); i >= 0 {
		return w.items[i]
	}
	return nil
}

func (w *world) created() *item {
	if i := slices.IndexFunc(w.items, func(x *item) bool { return x.key == ours }); i >= 0 {
		return w.items[i]
	}
	return nil
}

func (w *world) delete(id string) {
	w.items = slices.DeleteFunc(w.items, func(x *item) bool { return x.id == id })
}

// health is how a resource is, and lets it come one observation nearer to healthy.
func (w *world) health(x *item) resource.Health {
	switch {
	case !x.runs:
		return resource.Stopped
	case x.key != "" && w.outcome == hangs:
		return resource.Pending
	case x.polls > 0:
		x.polls--
		return resource.Pending
	case x.key != "" && w.outcome == unhealthy:
		return resource.Failing
	default:
		return resource.Healthy
	}
}

// observe gives the stage, from the system alone.
func (w *world) observe() replace.Stage {
	w.now = w.now.Add(time.Minute)
	s := replace.Stage{Now: w.now, Moved: !slices.Contains(w.users, "old")}
	if x := w.find("old"); x != nil {
		s.Old, s.Aside = &resource.Observed{ID: x.id, Health: w.health(x)}, x.name != "web"
	}
	if x := w.created(); x != nil {
		s.New, s.Used = &resource.Observed{ID: x.id, Health: w.health(x)}, slices.Contains(w.users, x.id)
	}
	return s
}
