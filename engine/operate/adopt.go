package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"
	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/engine/plan/locate"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// Adoption is a resource to adopt.
type Adoption struct {
	OperatorAction
	Ref   resource.Ref // without a stack, the stack that configures the name is used
	ID    string       // "" means the only resource that has the ref as its natural name
	Force bool         // adopt it even if another system manages it
}

// Adopt binds an existing resource to a ref, by ID, and writes its marks. It changes nothing else;
// the next plan shows how the resource differs from its configuration. The resource must exist, be
// unmanaged, and be the only one that the name or ID means. With Sign the act is signed. An error
// after the marks were written leaves them; a second Adopt succeeds.
func (e *Operator) Adopt(ctx context.Context, intents []resource.Intent, a Adoption) (resource.Observed, error) {
	fail := func(err error) (resource.Observed, error) {
		return resource.Observed{}, fmt.Errorf("adopt %s: %w", a.Ref.Short(), err)
	}
	located, err := e.plan.Resolve(ctx, intents)
	if err != nil {
		return fail(err)
	}
	ref := a.Ref
	// The configured ref counts: it has its stack and its resolved location.
	for _, in := range located {
		for i := range in.Resources {
			if d := &in.Resources[i]; same(d.Ref, a.Ref.In(cmp.Or(a.Ref.Stack, in.Stack))) {
				ref = d.Ref
			}
		}
	}
	if ref.Stack == "" && len(intents) == 1 {
		ref.Stack = intents[0].Stack
	}
	if ref.Stack == "" {
		return fail(resource.Advise(errors.New("no stack configures it"), "add it to a configuration first"))
	}
	if at, err := e.plan.Located(ctx, ref.Scope()); err == nil {
		ref.Location = at.Location
	}
	p, err := e.plan.ObserveScope(ctx, located, ref.Scope(), true)
	if err != nil {
		return fail(err)
	}
	have, err := candidate(p, ref, a.ID)
	// Only a name can be a tag that another resource has too.
	if err == nil && a.ID == "" {
		err = e.alone(p, have)
	}
	if err == nil {
		err = adoptable(p, ref, have, a.Force)
	}
	if err != nil {
		return fail(err)
	}
	o, err := e.adopt(ctx, p, ref, have, a.OperatorAction)
	if err != nil {
		return fail(err)
	}
	return o, nil
}

// adopt writes the marks, then records the adoption: marks alone prove nothing. In this order a crash between
// them leaves a resource with marks and without proof, which no run changes and which can be adopted again.
func (e *Operator) adopt(
	ctx context.Context, p *plan.Planned, ref resource.Ref, have *resource.Observed, a OperatorAction,
) (resource.Observed, error) {
	// A resource that has a key keeps it: the key tells which create made it.
	key := have.Marks.Key
	if key == "" {
		key = ulid.Make().String()
	}
	adopted := event.Adopted{
		Ref: ref, ID: have.ID, UID: have.UID, Key: key, Reason: a.Reason, Applied: e.baseline(ctx, p, ref, have),
	}
	by, who, err := e.signed(ctx, a, true, func(who string) []byte {
		adopted.Who = who
		return adopted.Statement(e.plan.Ledger.Instance())
	})
	if err != nil {
		return *have, err
	}
	adopted.Who, adopted.SignedBy = who, by
	// The marks get the key of this binding, which the record does not have yet.
	p.Bindings = append(p.Bindings, resource.Binding{Ref: ref, ID: have.ID, Key: key})
	o, err := e.mark(ctx, p, ref, have, a, resource.Change{
		On: resource.OnMark, Path: "ref", To: resource.String(ref.Bare().String()),
	})
	if err != nil {
		return o, err
	}
	events := []event.Event{adopted}
	if have.Marks.Blessed {
		events = append(events, event.Blessed{
			Ref: ref, On: true, Who: who, Reason: "it had the blessed mark when it was adopted",
		})
	}
	// The marks are written, so an interrupt must not leave them without the record.
	_, err = e.plan.Ledger.Record(context.WithoutCancel(ctx), events...)
	return o, err
}

// candidate finds the resource to adopt: by ID, or the only one with the ref as its natural name. A
// kind that could not be read in full is an error, and never "does not exist".
func candidate(p *plan.Planned, ref resource.Ref, id string) (*resource.Observed, error) {
	s := p.Live.Scopes[ref.Scope()]
	var found []*resource.Observed
	for i := range s.Resources {
		o := &s.Resources[i]
		if o.Ref.Kind == ref.Kind && (id != "" && o.ID == id || id == "" && (o.Ref == ref || o.Ref == ref.Bare())) {
			found = append(found, o)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, several(found)
	}
	// Nothing is concluded from an incomplete list.
	if err := s.Covers(ref.Kind); err != nil {
		return nil, err
	}
	if id != "" {
		return nil, resource.Advise(fmt.Errorf("%s %s does not exist in %s", ref.Kind, id, ref.Scope()),
			"run `ovi inventory` to list the IDs of unmanaged resources")
	}
	return nil, resource.Advise(fmt.Errorf("no resource of that name exists in %s", ref.Scope()),
		"choose one of `ovi inventory` with --id, or run `ovi apply` to create it")
}

// several refuses a name that several resources have.
func several(found []*resource.Observed) error {
	ids := make([]string, len(found))
	for i, o := range found {
		ids[i] = o.ID
	}
	return resource.Advise(fmt.Errorf("%d resources have that name", len(ids)),
		"choose one with --id: "+strings.Join(ids, " or --id "))
}

// alone refuses a resource whose name is a tag that another one has too: only one of them can have it as its natural
// name, and nothing tells that it is the one that is meant.
func (e *Operator) alone(p *plan.Planned, have *resource.Observed) error {
	k := e.plan.Kind(have.Ref)
	name, tagged := have.Tags.Get(k.NameTag)
	if !tagged {
		return nil
	}
	found := []*resource.Observed{have}
	s := p.Live.Scopes[have.Ref.Scope()]
	for i := range s.Resources {
		o := &s.Resources[i]
		if also, _ := o.Tags.Get(k.NameTag); also == name && o.Ref.Kind == have.Ref.Kind && o.ID != have.ID && !o.Managed() {
			found = append(found, o)
		}
	}
	if len(found) == 1 {
		return nil
	}
	return several(found)
}

// adoptable returns the reason why a resource cannot be adopted under a ref. Force concerns only
// the ownership by another system: what ovi itself records is never taken over.
func adoptable(p *plan.Planned, ref resource.Ref, have *resource.Observed, force bool) error {
	if have.Managed() {
		if have.Ref == ref {
			return resource.Advise(fmt.Errorf("%s is owned by stack %s already", have.ID, have.Ref.Stack),
				"none needed: run `ovi plan` to compare it with its configuration")
		}
		return resource.Advise(fmt.Errorf("%s is recorded as %s of stack %s", have.ID, have.Ref.Short(), have.Ref.Stack),
			"run `ovi move` to rename it")
	}
	// A ref has one resource: the binding of the other one must end first.
	if o, ok := p.ResourceAt(ref); ok {
		return resource.Advise(fmt.Errorf("%s is recorded under that name", o.ID),
			"use another name, or run `ovi forget "+ref.ShortInStack()+"` first")
	}
	// Two systems that manage one resource revert each other's changes.
	if have.OwnedBy != "" && !force {
		return owned(have)
	}
	// The open action may have made this very resource. Its recovery tells.
	if _, open := p.Open[ref]; open {
		return noResult()
	}
	return nil
}

// owned refuses what another system manages.
func owned(o *resource.Observed) error {
	return resource.Advise(fmt.Errorf("%s is managed by %s, which would revert ovi's changes", o.ID, o.OwnedBy),
		"use --force to adopt it anyway")
}

// Marked lists the resources that `ovi adopt --marked` adopts: those that have the marks of these
// stacks and are not recorded. With unproven, it includes resources whose marks may be forged.
// Marks alone can be written by anyone who may tag, so the default lists only resources with a
// proof from their system.
func (e *Operator) Marked(ctx context.Context, intents []resource.Intent, unproven bool) ([]resource.Observed, error) {
	p, _, err := e.plan.ObserveAll(ctx, intents)
	if err != nil {
		return nil, err
	}
	stacks := locate.StacksOf(p.Intents)
	var out []resource.Observed
	for _, s := range p.Live.Scopes {
		for i := range s.Resources {
			o := &s.Resources[i]
			// The marks of another stack are left to a call with the configuration of that stack.
			is := o.Ownership == resource.Attested || unproven && o.Ownership == resource.Unproven
			if is && slices.Contains(stacks, o.Marks.Ref.Stack) {
				out = append(out, *o)
			}
		}
	}
	slices.SortFunc(out, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

// AdoptAll adopts resources that Marked, Existing, ByID or Called listed, under the refs that they
// have there. It stops at the first failure; the earlier ones stay adopted. force must be the same
// as for the list. adopted is the number of recorded adoptions, even if there is an error.
func (e *Operator) AdoptAll(
	ctx context.Context, intents []resource.Intent, all []resource.Observed, a OperatorAction, force bool,
) (adopted int, err error) {
	p, _, err := e.plan.ObserveAll(ctx, intents)
	if err != nil {
		return 0, err
	}
	for i := range all {
		ref := all[i].Ref
		// The list may be old, so each resource is found and checked again.
		have, err := candidate(p, ref, all[i].ID)
		if err == nil {
			err = adoptable(p, ref, have, force)
		}
		if err == nil {
			_, err = e.adopt(ctx, p, ref, have, a)
		}
		if err != nil {
			return adopted, fmt.Errorf("adopt %s: %w", ref.Short(), err)
		}
		adopted++
	}
	return adopted, nil
}

// same reports whether two refs name one resource; the location of ref may be unresolved. An unresolved location is
// compared by the end of the resolved one.
func same(located, ref resource.Ref) bool {
	return located == ref ||
		located.Stack == ref.Stack && located.Provider == ref.Provider && located.Fits(ref.Location+"/"+ref.Kind+"/"+ref.Name)
}
