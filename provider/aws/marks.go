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
	set = map[string]string{}
	for _, c := range r.Changes {
		key, ok := strings.CutPrefix(c.Path, "tags.")
		switch {
		case c.Path == "blessed" && yes(c.To):
			set[tagBlessed] = "true"
		case c.Path == "blessed":
			drop = append(drop, tagBlessed)
		case !ok:
		case c.To == nil:
			drop = append(drop, key)
		default:
			set[key] = plain(c.To)
			if key == tagHuman {
				drop = append(drop, tagNamed)
			}
		}
	}
	if !g.marked(r) {
		maps.Copy(set, g.ownerTags(r))
	}
	if r.Desired.Blessed {
		drop = slices.DeleteFunc(drop, func(k string) bool { return k == tagBlessed })
	}
	return set, drop
}

// marked says that what stands there carries ovi's tags as wished.
func (g *region) marked(r provider.Request) bool {
	h := r.Have
	owner := r.Owner
	if owner == "" {
		owner = g.owner
	}
	return h.Managed && h.Stack == stackOf(r) && h.Owner == owner && g.shortRef(h.Ref) == g.shortRef(r.Desired.Ref) &&
		(h.Blessed || !r.Desired.Blessed)
}

// stackOf is whose the thing is to be: a request that does not say leaves it where it is.
func stackOf(r provider.Request) string {
	if r.Stack == "" {
		return r.Have.Stack
	}
	return r.Stack
}

func yes(v resource.Value) bool {
	b, ok := v.(resource.Bool)
	return ok && bool(b)
}

// plain is a value as a tag holds it.
func plain(v resource.Value) string {
	if s, ok := v.(resource.String); ok {
		return string(s)
	}
	return string(resource.AppendJSON(nil, v))
}

// identify fills in who a thing is from its tags. natural is the name of one that is not
// ovi's; an empty one stands for the id.
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
		o.Detail = fmt.Sprintf("has the tag %s, but its %s %q names no %s of %s", tagManaged, tagRef, tags[tagRef], kind, g.name)
		return
	}
	o.Ref.Name = ref.Name
	o.Managed = true
	o.Stack, o.Owner = tags[tagStack], tags[tagOwner]
	o.Blessed = tags[tagBlessed] == "true"
	o.Key = tags[tagKey]
	if tags[tagNamed] == "true" && tags[tagHuman] == o.Ref.Name {
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
