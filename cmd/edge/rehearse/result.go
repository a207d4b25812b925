package rehearse

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// result is what runs at the end.
func (r *rehearsal) result(atRest bool, left []Left) *Result {
	out := &Result{After: r.last.Sub(r.Start), Requests: r.requests, AtRest: atRest, Left: left}
	now := r.clock()
	byScope := map[resource.Scope]*node{}
	for _, n := range r.nodes {
		byScope[n.scope] = n
	}
	for _, in := range r.To {
		for i := range in.Resources {
			d := &in.Resources[i]
			n := byScope[d.Ref.Scope()]
			if n == nil {
				continue
			}
			x := NodeResult{Ref: d.Ref, Offline: now.Before(n.away)}
			k := slices.IndexFunc(n.items, func(i link.Item) bool { return i.Name == d.Ref.Name })
			if k >= 0 {
				item := &n.items[k]
				version, _ := d.Attrs.Text("version")
				image, _ := d.Attrs.Text("image")
				x.Version, x.Failing = item.Spec.Version, item.Health == resource.Failing
				x.Wanted = !x.Failing && item.Spec.Version == version && item.Spec.Image == image
				x.After = max(0, item.Since.Sub(r.Start))
			}
			out.Nodes = append(out.Nodes, x)
		}
	}
	slices.SortFunc(out.Nodes, func(a, b NodeResult) int { return a.Ref.Compare(b.Ref) })
	return out
}

// why is why a decision is not carried out, in words that are the same on all nodes.
func why(d *decider.Decision) string {
	if len(d.Blockers) == 0 {
		return d.Message
	}
	b := d.Blockers[0]
	switch {
	case b.Policy == (decider.AttemptLimit{}).Name():
		return "its attempts are used up"
	case b.Until != nil && b.Policy == (decider.BackOff{}).Name():
		return "it is tried again later"
	case b.Until != nil:
		return "deferred until " + phrase.Minute(*b.Until) + " by " + cmp.Or(b.Reason, b.Policy)
	case b.Awaits != "":
		return "deferred until " + b.Awaits
	}
	if words := strings.SplitN(b.Reason, " ", 3); b.Policy == engine.RolloutPolicy && len(words) == 3 &&
		words[0] == "configuration" {
		return words[2] // without its digest
	}
	return cmp.Or(b.Reason, b.Policy)
}
