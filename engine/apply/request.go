package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// request makes the provider's request. References are replaced by values of resources that were
// observed or have just been created. A reference without a value is an error, and the action is
// not started.
func (a *apply) request(
	ctx context.Context, c parts.Claim, d *decider.Decision, phase decider.Phase,
) (*provider.Request, error) {
	r := &provider.Request{Token: c.Token, Owner: a.engine.Owner}
	if d.Observed != nil && verbOf(d.Action, phase) != create {
		r.Have = *d.Observed
		r.MarkKey = a.plan.KeyOf(d.Ref, d.Observed.ID)
	}
	// The old resource is no Have of a create: under destroy-first it is deleted already.
	if d.Action == decider.Replace && phase == decider.CreatePhase {
		r.Replaces = d.Observed
	}
	if phase == decider.DeletePhase {
		var err error
		r.Desired.Attrs, err = a.lastConfigured(ctx, d)
		return r, err
	}
	err := a.resolveInto(ctx, d, r)
	if err != nil {
		return nil, err
	}
	if verbOf(d.Action, phase) == update {
		r.Changes = make([]resource.Change, len(d.Changes))
		for i, change := range d.Changes {
			// The plan has a reference or a digest where the provider needs the value.
			if resource.HasReferences(change.To) || isDigest(change.To) {
				change.To = valueAt(r.Desired.Attrs, change.Path, change.To)
			}
			r.Changes[i] = change
		}
	}
	return r, nil
}

// resolveInto sets the configuration of a request, its references replaced by values.
func (a *apply) resolveInto(ctx context.Context, d *decider.Decision, r *provider.Request) error {
	kind := a.engine.Kind(d.Ref)
	var missing []resource.Reference
	r.Desired = *d.Desired
	if d.Desired.Owner != "" {
		r.Owner = d.Desired.Owner
	}
	r.Desired.Attrs = kind.Resolve(d.Desired.Attrs, a.resolver(ctx, d.Ref, &missing))
	if len(missing) == 0 {
		return nil
	}
	to := missing[0]
	// A resource that starts may get the value later. The action waits for it, and has not failed.
	if o, exists := a.known(to.Ref); exists && o.Health == resource.Pending {
		return &startsError{to, o}
	}
	if _, exists := a.known(to.Ref); exists {
		return fmt.Errorf("it refers to %s, and %s has no %s: correct the reference, or configure %s so that it has one", to,
			to.Ref.Short(), to.Path, to.Ref.Short())
	}
	return fmt.Errorf("it refers to %s, which neither existed nor was created", to)
}

// lastConfigured returns the attributes that control how a resource is deleted, such as whether a final
// snapshot is taken. It takes them from the configuration, or else from the one that was applied last.
func (a *apply) lastConfigured(ctx context.Context, d *decider.Decision) (resource.Attrs, error) {
	if d.Desired != nil {
		return d.Desired.Attrs, nil
	}
	applied, _, err := a.engine.Ledger.Applied(ctx, d.Ref, 0)
	return applied.Attrs, err
}

// resolver returns, to one resource, values of resources that were observed or have just been
// created, and reveals secrets of other resources inside this call. References without a value are
// added to missing.
func (a *apply) resolver(ctx context.Context, ref resource.Ref, missing *[]resource.Reference) resource.Resolver {
	return resource.Resolver{
		Secrets: a.engine.Secrets, Ref: ref,
		Lookup: func(ref resource.Reference) (resource.Value, bool) {
			v, ok := a.valueOf(ctx, ref)
			if !ok && missing != nil {
				*missing = append(*missing, ref)
			}
			return v, ok
		},
	}
}

// valueOf returns the value of a reference now. A secret that its provider does not reveal has no
// value, because a call cannot use its digest.
func (a *apply) valueOf(ctx context.Context, ref resource.Reference) (resource.Value, bool) {
	o, ok := a.known(ref.Ref)
	if !ok {
		return nil, false
	}
	v, ok := o.Refer(ref.Path)
	if !ok || !isDigest(v) {
		return v, ok
	}
	r, can := a.engine.Providers[ref.Ref.Provider].(provider.Revealer)
	if !can {
		return nil, false
	}
	secret, err := r.Reveal(ctx, o, ref.Path)
	return secret, err == nil
}

// known is a resource as this apply left it, or as the plan observed it. The resource of this apply
// comes first: the plan's observation is older.
func (a *apply) known(ref resource.Ref) (resource.Observed, bool) {
	a.mu.Lock()
	o, made := a.made[ref]
	a.mu.Unlock()
	if made {
		return o, true
	}
	have, found := a.plan.ResourceAt(ref)
	if !found {
		return resource.Observed{}, false
	}
	return *have, true
}

func isDigest(v resource.Value) bool {
	_, is := v.(resource.Digest)
	return is
}

// valueAt returns the attribute at a dotted path, or otherwise if there is none.
func valueAt(attrs resource.Attrs, path string, otherwise resource.Value) resource.Value {
	var v resource.Value = attrs
	for _, name := range strings.Split(path, ".") {
		inner, ok := v.(resource.Attrs)
		if !ok {
			return otherwise
		}
		if v, ok = inner.Get(name); !ok {
			return otherwise
		}
	}
	return v
}

// unverified lists the write-only attributes that an update does not set and no action before it
// has set. If the record cannot be read, all of them count as unverified: the next plan then sets
// them once more, which is harmless.
func (a *apply) unverified(d *decider.Decision, r *provider.Request) []string {
	if r.Have.ID == "" {
		return nil // it is created, with all of them
	}
	last, known, err := a.engine.Ledger.Applied(a.hard, d.Ref, storage.Now)
	known = known && err == nil
	kind := a.engine.Kind(d.Ref)
	var out []string
	for i := range kind.Attrs {
		name := kind.Attrs[i].Name
		if !recovery.MentionsWriteOnly(r.Desired.Attrs, kind.Attrs[i:i+1]) ||
			known && !slices.Contains(last.Unverified, name) {
			continue
		}
		set := slices.ContainsFunc(r.Changes, func(c resource.Change) bool {
			return c.Path == name || strings.HasPrefix(c.Path, name+".")
		})
		if !set && !slices.Contains(d.Desired.Defaulted, name) {
			out = append(out, name)
		}
	}
	return out
}
