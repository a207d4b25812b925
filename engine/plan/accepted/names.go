package accepted

import (
	"slices"

	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
)

// mostNames limits the combinations of former names that Same tries.
const mostNames = 64

// Names are the names that resources had and have, as declared in a configuration and as recorded.
type Names struct {
	to map[resource.Ref]resource.Ref // new names, by former name
	of map[resource.Ref][]resource.Ref
}

// NamesOf returns the names of resources. A declared rename may be recorded or not.
func NamesOf(in *resource.Intent, recorded map[resource.Ref]rows.Moved) Names {
	n := Names{map[resource.Ref]resource.Ref{}, map[resource.Ref][]resource.Ref{}}
	for from, m := range recorded {
		n.to[from] = m.To
	}
	// A declared rename counts over a recorded one.
	for _, m := range in.Moved {
		n.to[m.From] = m.To
	}
	for i := range in.Resources {
		if d := &in.Resources[i]; !d.Was.IsZero() {
			n.to[d.Was] = d.Ref
		}
	}
	for from, to := range n.to {
		n.of[to] = append(n.of[to], from)
	}
	return n
}

// Now returns the first later name that has a property, or the given name.
func (n Names) Now(ref resource.Ref, has func(resource.Ref) bool) resource.Ref {
	to := ref
	for range len(n.to) + 1 { // a cycle of names ends
		if has(to) {
			return to
		}
		if to = n.to[to]; to.IsZero() {
			break
		}
	}
	return ref
}

// former lists the names that a resource had before. Their number is limited, because Same combines them.
func (n Names) former(ref resource.Ref) []resource.Ref {
	out := []resource.Ref{ref}
	for i := 0; i < len(out) && len(out) < mostNames; i++ {
		for _, from := range n.of[out[i]] {
			if !slices.Contains(out, from) {
				out = append(out, from)
			}
		}
	}
	return out[1:]
}

// Same reports whether a configuration has a digest, if its references have the former names of resources. Too many
// combinations count as another configuration.
func (n Names) Same(d *resource.Desired, digest string) bool {
	if len(n.to) == 0 || digest == "" {
		return false
	}
	tries := [][]resource.Ref{nil} // former names, in the order of refs
	refs := d.Refs()
	for _, ref := range refs {
		names := append([]resource.Ref{ref}, n.former(ref)...)
		if len(tries)*len(names) > mostNames {
			return false
		}
		var next [][]resource.Ref
		for _, t := range tries {
			for _, name := range names {
				next = append(next, append(slices.Clone(t), name))
			}
		}
		tries = next
	}
	for _, t := range tries[1:] { // the first has the present names
		w := *d
		w.Attrs = withRefs(d.Attrs, func(r resource.Ref) resource.Ref { return t[slices.Index(refs, r)] })
		if w.Digest() == digest {
			return true
		}
	}
	return false
}

// withRefs returns attributes with other names in their references.
func withRefs(attrs resource.Attrs, name func(resource.Ref) resource.Ref) resource.Attrs {
	out := slices.Clone(attrs)
	for i := range out {
		out[i].Value = resource.MapRefs(out[i].Value, func(r resource.Reference) resource.Value {
			r.Ref = name(r.Ref)
			return r
		})
	}
	return out
}
