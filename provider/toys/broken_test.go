package toys_test

import (
	"context"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/resource"
)

// Boxes that break one promise each.

type checksByCreating struct{ *box.Provider }

func (b checksByCreating) Check(ctx context.Context, r provider.Request) error {
	_, err := b.Create(ctx, r)
	return err
}

type refusesAll struct{ *box.Provider }

func (refusesAll) Check(context.Context, provider.Request) error { return context.DeadlineExceeded }

type stopsWhenSetAside struct{ *box.Provider }

func (b stopsWhenSetAside) SetAside(ctx context.Context, r provider.Request) (resource.Observed, error) {
	o, err := b.Provider.SetAside(ctx, r)
	o.Health = resource.Stopped
	_ = b.Shelf.Do(ctx, func() error { b.Shelf.Put(o); return nil })
	return o, err
}

type startsAtOnce struct{ *box.Provider }

func (b startsAtOnce) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	r.Beside = nil
	return b.Provider.Create(ctx, r)
}

type leavesBothRunning struct{ *box.Provider }

func (b leavesBothRunning) Switch(ctx context.Context, r provider.Request) (resource.Observed, error) {
	r.Beside = nil
	return b.Provider.Switch(ctx, r)
}

type asideTwice struct{ *box.Provider }

func (b asideTwice) SetAside(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if r.Have.Ref.Name != r.Desired.Ref.Name {
		return resource.Observed{}, context.Canceled
	}
	for _, o := range b.Shelf.List(r.Have.Ref.Scope()) {
		if o.ID == r.Have.ID && o.Ref.Name != r.Desired.Ref.Name {
			return resource.Observed{}, context.Canceled
		}
	}
	return b.Provider.SetAside(ctx, r)
}

type keepsTheOldName struct{ *box.Provider }

func (b keepsTheOldName) Restore(ctx context.Context, r provider.Request) (resource.Observed, error) {
	r.Desired.Ref.Name = r.Have.Ref.Name
	return b.Provider.Restore(ctx, r)
}

type forgetsUIDs struct{ *box.Provider }

func (b forgetsUIDs) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	o, err := b.Provider.Create(ctx, r)
	o.UID = ""
	return o, err
}

type startsAlways struct{ *box.Provider }

func (b startsAlways) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	r.Desired.State = ""
	return b.Provider.Create(ctx, r)
}

type neverStops struct{ *box.Provider }

func (b neverStops) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	for i := range r.Changes {
		if r.Changes[i].On == resource.OnState {
			r.Changes[i].To = resource.String(resource.StateRunning)
		}
	}
	return b.Provider.Update(ctx, r)
}

// slashes is a box that names by paths what it has twice.
type slashes struct{ *box.Provider }

func (b slashes) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	snap, err := b.Provider.Observe(ctx, r)
	for i := range snap.Resources {
		if i > 0 && snap.Resources[i].Ref == snap.Resources[i-1].Ref {
			snap.Resources[i].Ref.Name += "/" + snap.Resources[i].ID
		}
	}
	return snap, err
}

type refusesSuccessors struct{ *box.Provider }

func (b refusesSuccessors) Check(ctx context.Context, r provider.Request) error {
	if r.Replaces != nil {
		return &provider.Error{Cause: provider.InUse, Err: provider.Errorf("the name is taken")}
	}
	return b.Provider.Check(ctx, r)
}

// declares is a box whose kinds were changed.
type declares struct {
	*box.Provider
	change func(*resource.Kind)
}

func (b declares) Kinds() []resource.Kind {
	all := b.Provider.Kinds()
	for i := range all {
		b.change(&all[i])
	}
	return all
}

type goesByName struct{ *box.Provider }

func (b goesByName) Delete(ctx context.Context, r provider.Request) error {
	if r.Have.Ref.Name != r.Have.NaturalRef().Name {
		return nil // there is none of that name
	}
	return b.Provider.Delete(ctx, r)
}

func TestBrokenBoxesAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		finds string
		wrap  func(*box.Provider) provider.Provider
	}{
		"a kind that declares no hold": {"HoldsAreDeclared", func(b *box.Provider) provider.Provider {
			return declares{b, func(k *resource.Kind) { k.Holds = nil }}
		}},
		"a hold that users are not told": {"HoldsAreDeclared", func(b *box.Provider) provider.Provider {
			return declares{b, func(k *resource.Kind) { k.HoldsDoc = "" }}
		}},
		"a clash that is not declared": {"WhatClashesIsDeclared", func(b *box.Provider) provider.Provider {
			return declares{b, func(k *resource.Kind) { k.Holds = resource.HoldsNothing }}
		}},
		"a hold that excludes nothing": {"WhatClashesIsDeclared", func(b *box.Provider) provider.Provider {
			return declares{b, func(k *resource.Kind) {
				k.Holds = func(ref resource.Ref, _ resource.Attrs, _ resource.State) []resource.Hold {
					return []resource.Hold{{What: ref.Kind}}
				}
			}}
		}},
		"a provider that goes by the name":     {"ARenameChangesMarksAlone", func(b *box.Provider) provider.Provider { return goesByName{b} }},
		"a check that creates":                 {"ACheckWritesNothing", func(b *box.Provider) provider.Provider { return checksByCreating{b} }},
		"a check that refuses all":             {"ACheckWritesNothing", func(b *box.Provider) provider.Provider { return refusesAll{b} }},
		"two resources of one path":            {"WhatIsReplacedIsNoObstacle", func(b *box.Provider) provider.Provider { return slashes{b} }},
		"a check that refuses successors":      {"WhatIsReplacedIsNoObstacle", func(b *box.Provider) provider.Provider { return refusesSuccessors{b} }},
		"setting aside that stops":             {"ASwapCanBeRepeated", func(b *box.Provider) provider.Provider { return stopsWhenSetAside{b} }},
		"setting aside that works once":        {"ASwapCanBeRepeated", func(b *box.Provider) provider.Provider { return asideTwice{b} }},
		"a successor that starts at once":      {"ASwapCanBeRepeated", func(b *box.Provider) provider.Provider { return startsAtOnce{b} }},
		"a switch that stops nothing":          {"ASwapCanBeRepeated", func(b *box.Provider) provider.Provider { return leavesBothRunning{b} }},
		"a restore that does not name back":    {"ASwapGoesBack", func(b *box.Provider) provider.Provider { return keepsTheOldName{b} }},
		"a box that is created running":        {"StatesFollowTheConfiguration", func(b *box.Provider) provider.Provider { return startsAlways{b} }},
		"an update that never stops":           {"StatesFollowTheConfiguration", func(b *box.Provider) provider.Provider { return neverStops{b} }},
		"an id that is used again with no UID": {"WhatIsCreatedAgainHasAnotherUID", func(b *box.Provider) provider.Provider { return forgetsUIDs{b} }},
	} {
		whole := func(wrap func(*box.Provider) provider.Provider) func(*testing.T) providertest.Harness {
			return func(*testing.T) providertest.Harness {
				b := box.New()
				return boxes(b, wrap(b))
			}
		}
		if found, ok := providertest.Find(t, c.finds, whole(func(b *box.Provider) provider.Provider { return b })); !ok || len(found) > 0 {
			t.Errorf("%s: a box that keeps its promises: ran %v, found %q", c.finds, ok, found)
		}
		if found, ok := providertest.Find(t, c.finds, whole(c.wrap)); !ok || len(found) == 0 {
			t.Errorf("%s does not find %s (ran %v)", c.finds, name, ok)
		}
	}
}
