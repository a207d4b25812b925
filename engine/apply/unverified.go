package apply

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine/recovery"
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
	last, known, err := a.engine.Ledger.Applied(a.hard, d.Ref, storage.Now)
	known = known && err == nil
	kind := a.engine.Kind(d.Ref)
	var out []string
	for i := range kind.Attrs {
		name := kind.Attrs[i].Name
		if !recovery.MentionsWriteOnly(r.Desired.Attrs, kind.Attrs[i:i+1]) || known && !slices.Contains(last.Unverified, name) {
			continue
		}
		set := slices.ContainsFunc(r.Changes, func(c resource.Change) bool { return c.Path == name || strings.HasPrefix(c.Path, name+".") })
		if !set && !slices.Contains(d.Desired.Defaulted, name) {
			out = append(out, name)
		}
	}
	return out
}
