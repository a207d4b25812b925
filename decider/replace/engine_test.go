package replace_test

import (
	"errors"
	"fmt"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/resource"
)

// apply runs an engine over the replacement until it ends or crashes.
func (w *world) apply() error {
	if w.ended != "" && w.ended != replace.GiveUp {
		return nil
	}
	w.record.Deadline = w.now.Add(grace)
	for range 100 {
		if err := w.point(); err != nil {
			return err
		}
		s := w.observe()
		step := w.record.Next(s)
		if step.Ends() {
			w.ended = step
			return nil
		}
		err := w.do(step, s)
		switch {
		case errors.Is(err, errRefused) && w.record.Revertible(s):
			w.goBack()
		case errors.Is(err, errRefused):
			w.ended = replace.GiveUp
			return nil
		case err != nil:
			return err
		}
	}
	return fmt.Errorf("no end after 100 steps: %+v", w.observe())
}

func (w *world) goBack() {
	w.record.Reverting, w.record.Deadline = true, w.now.Add(grace)
}

// do does a step: each effect is followed by a point where the engine may crash.
func (w *world) do(step replace.Step, s replace.Stage) error {
	for _, effect := range w.effects(step, s) {
		if err := effect(); err != nil {
			return err
		}
		if err := w.point(); err != nil {
			return err
		}
	}
	return nil
}

type effects []func() error

func (w *world) effects(step replace.Step, s replace.Stage) effects {
	old, made := w.find("old"), w.created()
	switch step {
	case replace.SetAside:
		return effects{sure(func() { old.name = "web-old" })}
	case replace.Create:
		return effects{w.create}
	case replace.Switch:
		return w.switchOver(old, made)
	case replace.References:
		return effects{sure(func() { w.users[0] = s.New.ID }), sure(func() { w.users[1] = s.New.ID })}
	case replace.DeleteOld:
		return effects{sure(func() { w.stop(old) }), sure(func() { w.delete("old") })}
	case replace.Revert:
		return effects{sure(w.goBack)}
	case replace.DeleteNew:
		return effects{sure(func() { w.stop(made) }), sure(func() { w.delete(s.New.ID) })}
	case replace.Restore:
		return effects{sure(func() { old.name = "web" }), sure(func() { old.runs, old.polls = true, 1 })}
	default:
		return nil
	}
}

func sure(effect func()) func() error { return func() error { effect(); return nil } }

func (w *world) switchOver(old, made *item) effects {
	stop := sure(func() { w.stop(old) })
	run := sure(func() { made.runs, made.polls = true, 2 })
	if w.strategy == resource.StartFirst {
		return effects{run} // it is not healthy yet, so the old one still runs
	}
	return effects{stop, run}
}

func (w *world) stop(x *item) {
	if x != nil {
		x.runs = false
	}
}

// create knows no keys on purpose: created once is what Next makes of what exists.
func (w *world) create() error {
	if w.outcome == refused {
		return errRefused
	}
	if old := w.find("old"); old != nil && old.name == "web" && w.strategy.SetsAside() {
		return errors.New("the name is taken")
	}
	w.made++
	runs := !w.strategy.SetsAside() && w.outcome != stopped
	w.items = append(w.items, &item{id: fmt.Sprintf("new-%d", w.made), key: ours, name: "web", runs: runs, polls: 2})
	return nil
}
