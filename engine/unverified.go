package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// unverified lists the write-only attributes that an update does not set and no action before it
// has set.
func (a *apply) unverified(d *decider.Decision, r *provider.Request) []string {
	if r.Have.ID == "" {
		return nil // it is created, with all of them
	}
	last, known, err := a.engine.cfg.Ledger.Applied(a.hard, d.Ref, storage.Now)
	known = known && err == nil
	kind, _ := a.engine.cfg.Providers.Kind(d.Ref.Provider, d.Ref.Kind)
	var out []string
	for i := range kind.Attrs {
		name := kind.Attrs[i].Name
		if !mentionsWriteOnly(r.Desired.Attrs, kind.Attrs[i:i+1]) || known && !slices.Contains(last.Unverified, name) {
			continue
		}
		set := slices.ContainsFunc(r.Changes, func(c resource.Change) bool { return c.Path == name || strings.HasPrefix(c.Path, name+".") })
		if !set && !slices.Contains(d.Desired.Defaulted, name) {
			out = append(out, name)
		}
	}
	return out
}

// baseline is what is recorded as applied to a resource that is adopted: what is configured and no
// observation has, as the provider reveals it or else unverified, and what only the record keeps. Nil
// for a resource that was bound to the ref before.
func (e *Engine) baseline(ctx context.Context, p *Planned, ref resource.Ref, have *resource.Observed) *event.Applied {
	kind, _ := e.cfg.Providers.Kind(ref.Provider, ref.Kind)
	for i := range p.bindings {
		b := &p.bindings[i]
		if b.Ref == ref && b.ID == have.ID && b.UID == have.UID && !b.Dismissed && !kind.ReusedIDs {
			return nil
		}
	}
	out := &event.Applied{At: p.At}
	d := configuredIn(p.Intents, ref)
	if d == nil {
		return out
	}
	for i := range kind.Attrs {
		name := kind.Attrs[i].Name
		v, configured := d.Attrs.Get(name)
		if kind.Attrs[i].Recorded && configured {
			out.Attrs = out.Attrs.With(name, v)
		}
		if !mentionsWriteOnly(d.Attrs, kind.Attrs[i:i+1]) || slices.Contains(d.Defaulted, name) {
			continue
		}
		if secret, ok := e.revealed(ctx, have, &kind.Attrs[i]); ok {
			if secret != "" {
				out.Attrs = out.Attrs.With(name, secret)
			}
			continue
		}
		out.Unverified = append(out.Unverified, name)
		if v, _ := d.Attrs.Get(name); !resource.HasReferences(v) { // the value of a reference is not known here
			out.Attrs = out.Attrs.With(name, v)
		}
	}
	return out
}

// revealed is the digest of a secret that exists, for providers that tell it; "" if none is set.
func (e *Engine) revealed(ctx context.Context, have *resource.Observed, a *resource.Attribute) (resource.Digest, bool) {
	r, can := e.cfg.Providers[have.Ref.Provider].(provider.Revealer)
	if !can || !a.Secret || e.cfg.Secrets == nil {
		return "", false
	}
	secret, err := r.Reveal(ctx, *have, a.Name)
	switch {
	case err != nil:
		return "", false
	case secret.Reveal() == "":
		return "", true
	}
	return e.cfg.Secrets.Digest(have.Ref, a.Name, secret.Reveal()), true
}

// configuredIn finds the configuration of a ref; nil if there is none.
func configuredIn(intents []resource.Intent, ref resource.Ref) *resource.Desired {
	for _, in := range intents {
		for i := range in.Resources {
			if in.Resources[i].Ref == ref {
				return &in.Resources[i]
			}
		}
	}
	return nil
}
