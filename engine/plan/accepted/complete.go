package accepted

import (
	"context"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/unread"
)

// Complete makes the dependencies of restored resources complete, once locations are resolved. Another part, which was
// read, may have renamed or removed a resource that a restored one depends on. A renamed one is found under its new
// name. A removed one is restored too, as a resource of the part that could not be read. If it cannot be restored, the
// resource that depends on it is not either, but stays a resource of its part, so that it is not deleted.
func Complete(ctx context.Context, r *ledger.Reader, intents []resource.Intent, reveal Reveal) error {
	for i := range intents {
		x := completing{all: intents, restoring: restoring{in: &intents[i], reveal: reveal}}
		if len(unread.All(x.in)) == 0 || !x.lacking() {
			continue
		}
		if err := x.load(ctx, r); err != nil {
			return fmt.Errorf("read the last accepted configuration of stack %s: %w", x.in.Stack, err)
		}
		x.in.Resources, x.in.Lookups = slices.Clone(x.in.Resources), slices.Clone(x.in.Lookups)
		x.in.Parts = slices.Clone(x.in.Parts)
		x.rename()
		x.bringBack()
		x.omit()
	}
	return nil
}

// completing completes one configuration.
type completing struct {
	restoring
	all   []resource.Intent
	now   map[resource.Ref]bool // what is configured or looked up
	names Names
}

// load reads the record. Only a configuration with a missing dependency needs it.
func (x *completing) load(ctx context.Context, r *ledger.Reader) (err error) {
	if x.recorded, err = r.Sources().Resources(ctx, x.in.Stack); err != nil {
		return err
	}
	names, err := r.Names(ctx, 0)
	if err != nil {
		return err
	}
	x.names = NamesOf(x.in, names.Moves)
	return nil
}

// lacks reports whether a restored resource depends on one that is not configured.
func (x *completing) lacks(d *resource.Desired) bool {
	_, restored := unread.Of(x.in, d.Ref, false)
	return restored && slices.ContainsFunc(d.Refs(), x.missing)
}

// missing reports whether a resource of the stack is neither configured nor looked up. Resources of other stacks are
// not judged here.
func (x *completing) missing(ref resource.Ref) bool { return ref.Stack == x.in.Stack && !x.now[ref] }

// lacking reports whether a restored resource has a missing dependency.
func (x *completing) lacking() bool {
	x.now = map[resource.Ref]bool{} // everything that resources can depend on
	for i := range x.all {
		for k := range x.all[i].Resources {
			x.now[x.all[i].Resources[k].Ref] = true
		}
		for k := range x.all[i].Lookups {
			x.now[x.all[i].Lookups[k].Ref] = true
		}
	}
	for i := range x.in.Resources {
		if x.lacks(&x.in.Resources[i]) {
			return true
		}
	}
	return false
}

// rename replaces former names in restored resources.
func (x *completing) rename() {
	for i := range x.in.Resources {
		d := &x.in.Resources[i]
		if !x.lacks(d) {
			continue
		}
		d.Attrs, d.DependsOn = withRefs(d.Attrs, x.newName), slices.Clone(d.DependsOn)
		for k := range d.DependsOn {
			d.DependsOn[k] = x.newName(d.DependsOn[k])
		}
	}
}

// newName returns the later name that is configured, or else the later name that is recorded.
func (x *completing) newName(ref resource.Ref) resource.Ref {
	if now := x.names.Now(ref, func(r resource.Ref) bool { return !x.missing(r) }); !x.missing(now) {
		return now
	}
	return x.names.Now(ref, func(r resource.Ref) bool { return x.record(r) >= 0 })
}

// record returns the index of a recorded resource; -1 if there is none.
func (x *completing) record(ref resource.Ref) int {
	return slices.IndexFunc(x.recorded, func(a event.AcceptedResource) bool { return a.Ref == ref })
}

// bringBack adds the recorded resources that restored ones depend on.
func (x *completing) bringBack() {
	// An added resource may have missing dependencies of its own.
	for added := true; added; {
		added = false
		for i := range x.in.Resources {
			d := &x.in.Resources[i]
			part, restored := unread.Of(x.in, d.Ref, false)
			if !restored {
				continue
			}
			for _, ref := range d.Refs() {
				if k := x.record(ref); k >= 0 && x.missing(ref) {
					x.add(x.desired(&x.recorded[k]), part.Name)
					added = true
				}
			}
		}
	}
}

// add adds a recorded resource to the part that could not be read, so that no plan deletes it. A lookup has no part.
func (x *completing) add(d resource.Desired, part string) {
	x.now[d.Ref] = true
	if d.Lookup != nil {
		x.lookup(d)
		return
	}
	d.Part = part
	x.in.Resources = append(x.in.Resources, d)
	for i := range x.in.Parts {
		if p := &x.in.Parts[i]; p.Name == part {
			p.Refs, p.Dependents = append(slices.Clone(p.Refs), d.Ref), append(slices.Clone(p.Dependents), d.Ref)
		}
	}
}

// omit removes the restored resources whose dependencies cannot be restored.
func (x *completing) omit() {
	// Another restored resource may depend on a removed one, so the rounds go on until none is removed.
	for n := -1; n != len(x.in.Resources); {
		n = len(x.in.Resources)
		x.in.Resources = slices.DeleteFunc(x.in.Resources, func(d resource.Desired) bool {
			if !x.lacks(&d) {
				return false
			}
			delete(x.now, d.Ref)
			return true
		})
	}
	slices.SortStableFunc(x.in.Resources, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
}
