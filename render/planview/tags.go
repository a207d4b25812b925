package planview

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// sharedTags writes the tags that all creates of a location have, once. Kinds without tags do not count.
func (p *planWriter) sharedTags(all []decider.Decision) {
	p.shared = nil
	if p.full {
		return
	}
	n := 0
	for i := range all {
		d := &all[i]
		if rankOf(d) != isCreate || p.untagged(d.Ref) {
			continue
		}
		var tags resource.Tags // those that the create sets
		for _, c := range d.Changes {
			value, plain := c.To.(resource.String)
			if key, is := strings.CutPrefix(c.Path, "tags."); c.On == resource.OnTag && is && plain {
				tags = append(tags, resource.Tag{Key: key, Value: string(value)})
			}
		}
		if n++; n == 1 {
			p.shared = tags
			continue
		}
		p.shared = slices.DeleteFunc(p.shared, func(t resource.Tag) bool { return !slices.Contains(tags, t) })
	}
	if n < 2 {
		p.shared = nil
	}
	if len(p.shared) == 0 {
		return
	}
	parts := make([]string, len(p.shared))
	for i, t := range p.shared {
		parts[i] = Value(resource.String(t.Key)) + " " + Value(resource.String(t.Value))
	}
	p.Signed("#", term.Dim, "tags of each new resource: "+strings.Join(parts, ", "), term.NameIndent)
}

// untagged reports whether the resources of a kind have no tags.
func (p *planWriter) untagged(ref resource.Ref) bool {
	if p.kinds == nil {
		return false
	}
	kind, _ := p.kinds(ref.Provider, ref.Kind)
	return kind.NoTags
}

// isShared reports whether a change of a create is a tag that sharedTags wrote.
func (p *planWriter) isShared(d *decider.Decision, c resource.Change) bool {
	value, plain := c.To.(resource.String)
	return c.On == resource.OnTag && plain && rankOf(d) == isCreate && slices.ContainsFunc(p.shared,
		func(t resource.Tag) bool { return "tags."+t.Key == c.Path && t.Value == string(value) })
}
