package operate

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/engine/plan"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// baseline returns the configuration to record as applied to an adopted resource: what is
// configured and no observation has, as the provider reveals it or else unverified, and what only
// the record keeps. Nil for a resource that was bound to the ref before.
func (e *Operator) baseline(
	ctx context.Context, p *plan.Planned, ref resource.Ref, have *resource.Observed,
) *event.Applied {
	kind := e.plan.Kind(ref)
	for i := range p.Bindings {
		b := &p.Bindings[i]
		// The record still has the configuration that was applied to this resource, unless another
		// resource can have its ID by now.
		if b.Ref == ref && b.ID == have.ID && b.UID == have.UID && !b.Dismissed && !kind.ReusedIDs {
			return nil
		}
	}
	out := &event.Applied{At: p.At}
	d := plan.ConfiguredIn(p.Intents, ref)
	if d == nil {
		return out
	}
	for i := range kind.Attrs {
		name := kind.Attrs[i].Name
		v, configured := d.Attrs.Get(name)
		if kind.Attrs[i].Recorded && configured {
			out.Attrs = out.Attrs.With(name, v)
		}
		// An attribute that can be read back is compared with the observation, and defaults are not
		// compared on an adopted resource.
		if !recovery.MentionsWriteOnly(d.Attrs, kind.Attrs[i:i+1]) || slices.Contains(d.Defaulted, name) {
			continue
		}
		if secret, ok := e.revealed(ctx, have, &kind.Attrs[i]); ok {
			// A secret that is not set has no digest.
			if secret != "" {
				out.Attrs = out.Attrs.With(name, secret)
			}
			continue
		}
		// The configured value is recorded as unverified: a later change of it is noticed, and the
		// live value stays unknown.
		out.Unverified = append(out.Unverified, name)
		if v, _ := d.Attrs.Get(name); !resource.HasReferences(v) { // the value of a reference is not known here
			out.Attrs = out.Attrs.With(name, v)
		}
	}
	return out
}

// revealed is the digest of a secret that exists, for providers that tell it; "" if none is set. It
// returns false if the secret cannot be told: then its attribute is unverified.
func (e *Operator) revealed(
	ctx context.Context, have *resource.Observed, a *resource.Attribute,
) (resource.Digest, bool) {
	r, can := e.plan.Providers[have.Ref.Provider].(provider.Revealer)
	if !can || !a.Secret || e.plan.Secrets == nil {
		return "", false
	}
	secret, err := r.Reveal(ctx, *have, a.Name)
	switch {
	case err != nil:
		return "", false
	case secret.Reveal() == "":
		return "", true
	}
	return e.plan.Secrets.Digest(have.Ref, a.Name, secret.Reveal()), true
}
