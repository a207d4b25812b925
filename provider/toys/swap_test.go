package toys_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ovi-project/ovi/decider/replace"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/resource"
)

var errCrash = errors.New("crashed")

// swapper drives a replacement of a box by its steps, as an engine does, and crashes at the
// effects that the test sets: before or after them, and between those of one step.
type swapper struct {
	*box.Provider
	replace.Replacement
	want    resource.Desired
	ended   replace.Step
	effects int
	crashes []int
}

func newSwapper(t *testing.T, s resource.Strategy, image string, crashes ...int) *swapper {
	t.Helper()
	w := &swapper{Provider: box.New(), crashes: crashes}
	w.want.Ref = resource.Ref{Provider: "box", Location: "here", Kind: "box", Name: "web"}
	w.want.Attrs, w.want.Replace = attrs("image", text("web:1")), s
	old, err := w.Create(t.Context(), provider.Request{Key: "k1", Desired: w.want})
	if err != nil {
		t.Fatal(err)
	}
	w.want.Attrs = attrs("image", text(image))
	w.Replacement = replace.Replacement{Ref: w.want.Ref, Strategy: s, Old: old.ID, Key: "k2"}
	w.Fault = func(string) error {
		w.effects++
		for _, c := range w.crashes {
			if c == w.effects {
				return errCrash
			}
		}
		return nil
	}
	return w
}

func (w *swapper) stage(t *testing.T) replace.Stage {
	t.Helper()
	snap, err := w.Observe(t.Context(), provider.ObserveRequest{Scope: w.want.Ref.Scope()})
	if err != nil {
		t.Fatal(err)
	}
	s := replace.Stage{Now: time.Now(), Moved: true}
	for i := range snap.Resources {
		switch o := &snap.Resources[i]; {
		case o.ID == w.Old:
			s.Old, s.Aside = o, o.Ref.Name != w.Ref.Name
		case o.Marks.Key == w.Key:
			s.New = o
		}
	}
	return s
}

// apply does the steps until the replacement ends or crashes.
func (w *swapper) apply(t *testing.T) error {
	for range 30 {
		s := w.stage(t)
		step := w.Next(s)
		if step.Ends() {
			w.ended = step
			return nil
		}
		err := w.do(t, step, s)
		if provider.CauseOf(err) == provider.Configuration && w.Revertible(s) {
			w.Reverting, err = true, nil
		}
		if err != nil {
			return err
		}
	}
	return errors.New("no end")
}

func (w *swapper) do(t *testing.T, step replace.Step, s replace.Stage) (err error) {
	r := provider.Request{Key: w.Key, Desired: w.want, Beside: s.Old}
	if s.Old != nil {
		r.Have = *s.Old
	}
	switch step {
	case replace.SetAside:
		_, err = w.SetAside(t.Context(), r)
	case replace.Create:
		_, err = w.Create(t.Context(), r)
	case replace.Switch:
		r.Have = *s.New
		_, err = w.Switch(t.Context(), r)
	case replace.Restore:
		_, err = w.Restore(t.Context(), r)
	case replace.DeleteOld:
		err = w.Delete(t.Context(), r)
	case replace.DeleteNew:
		r.Have = *s.New
		err = w.Delete(t.Context(), r)
	case replace.Revert:
		w.Reverting = true
	}
	return err
}

// TestSwapsOfBoxesSurvivePairsOfCrashes: after at most two crashes one more apply leaves one
// box, of the right image, running, under its name.
func TestSwapsOfBoxesSurvivePairsOfCrashes(t *testing.T) {
	t.Parallel()
	runs := 0
	for _, strategy := range []resource.Strategy{resource.Swap, resource.StartFirst} {
		for image, left := range map[string]string{"web:2": "web:2", "crash": "web:1", "typo": "web:1"} {
			last := 1
			for first := 1; first <= last; first++ {
				for second := first; second <= last; second++ {
					w := newSwapper(t, strategy, image, first, second)
					err := errCrash
					for i := 0; i < 3 && errors.Is(err, errCrash); i++ {
						err = w.apply(t)
					}
					last, runs = max(last, w.effects), runs+1
					snap, _ := w.Observe(t.Context(), provider.ObserveRequest{Scope: w.want.Ref.Scope()})
					all := snap.Resources
					if err != nil || len(all) != 1 || shelf.Text(all[0].Attrs, "image") != left || all[0].Health != resource.Healthy || all[0].Ref != w.Ref {
						t.Fatalf("%s of %s, crashes at %d and %d: %s, %v, left %+v", strategy, image, first, second, w.ended, err, all)
					}
				}
			}
		}
	}
	if runs < 200 {
		t.Errorf("only %d runs: the boxes have lost effects to crash at", runs)
	}
}
