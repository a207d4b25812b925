package aws

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// ovi's own tags. They are written in the call that makes a thing, and are no part of its
// user tags. The ref on a thing is short, without the account: that is where it stands.
const (
	tagPrefix  = "ovi:"
	tagManaged = "ovi:managed"
	tagOwner   = "ovi:owner"
	tagStack   = "ovi:stack"
	tagRef     = "ovi:ref"
	tagBlessed = "ovi:blessed"
	tagKey     = "ovi:key" // the idempotency key it was made with
	tagFinal   = "ovi:final-snapshot"
	tagHuman   = "Name"      // what AWS's console shows
	tagNamed   = "ovi:named" // the Name tag is ovi's own doing, and no tag of the user's
)

// checkTags refuses tags that are not the user's to write.
func checkTags(tags resource.Tags) error {
	for _, t := range tags {
		for _, reserved := range []string{tagPrefix, "aws:"} {
			if strings.HasPrefix(strings.ToLower(t.Key), reserved) {
				return permanent("", fmt.Errorf("tag %q: keys beginning with %q are reserved", t.Key, reserved), "choose another key")
			}
		}
	}
	return nil
}

func (g *region) shortRef(r resource.Ref) string {
	r.Location = g.name
	return r.String()
}

// ownerTags are ovi's tags for a wish, as they should stand on the thing.
func (g *region) ownerTags(r provider.Request) map[string]string {
	owner := r.Owner
	if owner == "" {
		owner = g.owner
	}
	out := map[string]string{
		tagManaged: "true", tagOwner: owner, tagStack: stackOf(r), tagRef: g.shortRef(r.Desired.Ref),
	}
	if r.Desired.Blessed {
		out[tagBlessed] = "true"
	}
	return out
}

// birthTags are all tags that a thing is made with. Where AWS knows no name of its own, the
// Name tag says it.
func (g *region) birthTags(r provider.Request, nameless bool) map[string]string {
	out := map[string]string{}
	if _, configuredAs := r.Desired.Tags.Get(tagHuman); nameless && !configuredAs {
		out[tagHuman], out[tagNamed] = r.Desired.Ref.Name, "true"
	}
	for _, t := range r.Desired.Tags {
		out[t.Key] = t.Value
	}
	maps.Copy(out, g.ownerTags(r))
	out[tagKey] = r.Key
	return out
}

// retag says what an update does to a thing's tags: the user's by the changes, ovi's own
// where they are not as they should be.
func (g *region) retag(r provider.Request) (set map[string]string, drop []string) {
	if len(r.Changes) == 0 { // see Mark
		set = g.ownerTags(r)
		if r.MarkKey != "" {
			set[tagKey] = r.MarkKey
		}
		if !r.Desired.Blessed {
			drop = append(drop, tagBlessed)
		}
		return set, drop
	}
	set = map[string]string{}
	for _, c := range r.Changes {
		key, ok := strings.CutPrefix(c.Path, "tags.")
		switch {
		case c.On != resource.OnTag || !ok:
		case c.To == nil:
			drop = append(drop, key)
		default:
			set[key] = plain(c.To)
			if key == tagHuman {
				drop = append(drop, tagNamed)
			}
		}
	}
	return set, drop
}

// stackOf is whose the thing is to be: a request that does not say leaves it where it is.
func stackOf(r provider.Request) string {
	if r.Stack == "" {
		return r.Have.Stack
	}
	return r.Stack
}

// plain is a value as a tag holds it.
func plain(v resource.Value) string {
	if s, ok := v.(resource.String); ok {
		return string(s)
	}
	return string(resource.AppendJSON(nil, v))
}

// identify reports the natural name of a resource and the marks that its tags make. An empty
// natural name stands for the id. Tags that name no resource of this region are no marks.
func (g *region) identify(o *resource.Observed, kind, natural string, tags map[string]string) {
	if natural == "" {
		natural = o.ID
	}
	o.Ref = resource.Ref{Provider: Name, Location: g.location(), Kind: kind, Name: natural}
	o.Tags = userTags(tags)
	if tags[tagManaged] != "true" {
		return
	}
	ref, err := resource.ParseRef(tags[tagRef])
	if err != nil || ref.Provider != Name || ref.Location != g.name || ref.Kind != kind {
		o.Message = fmt.Sprintf("has the tag %s, but its %s %q names no %s in %s", tagManaged, tagRef, tags[tagRef], kind, g.name)
		return
	}
	ref.Location = g.location()
	o.Marks = resource.Marks{
		Ref: ref, Stack: tags[tagStack], Owner: tags[tagOwner], Key: tags[tagKey], Blessed: tags[tagBlessed] == "true",
	}
	if tags[tagNamed] == "true" && tags[tagHuman] == ref.Name {
		o.Tags = without(o.Tags, tagHuman)
	}
}

func without(tags resource.Tags, key string) resource.Tags {
	return slices.DeleteFunc(slices.Clone(tags), func(t resource.Tag) bool { return t.Key == key })
}

// userTags leaves out ovi's own and AWS's.
func userTags(tags map[string]string) resource.Tags {
	mine := map[string]string{}
	for k, v := range tags {
		if !strings.HasPrefix(k, tagPrefix) && !strings.HasPrefix(k, "aws:") {
			mine[k] = v
		}
	}
	return resource.TagsOf(mine)
}
