package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// ovi's own tags. They are written in the call that creates a resource and are not part of its
// user tags. They help to find resources; they prove nothing, since anybody who may tag can
// write them. The ref is short, without the account, because the resource is in its account.
const (
	tagPrefix  = "ovi:"
	TagManaged = "ovi:managed"
	TagOwner   = "ovi:owner"
	TagStack   = "ovi:stack"
	TagRef     = "ovi:ref"
	tagBlessed = "ovi:blessed"
	TagKey     = "ovi:key"   // the idempotency key of its creation
	TagHuman   = "Name"      // what the AWS console shows
	TagNamed   = "ovi:named" // ovi wrote the Name tag; it is not a tag of the user
)

// CheckTags refuses tags that are reserved.
func CheckTags(tags resource.Tags) error {
	for _, t := range tags {
		for _, reserved := range []string{tagPrefix, "aws:"} {
			if strings.HasPrefix(strings.ToLower(t.Key), reserved) {
				return Mistake("", fmt.Errorf("tag %q: keys that start with %q are reserved", t.Key, reserved), "use another key")
			}
		}
	}
	return nil
}

// ShortRef returns the ref of a resource without its stack, with the name of the region as its location.
func (g *Region) ShortRef(r resource.Ref) string {
	r.Location = g.Name
	return r.Bare().String()
}

// ownerTags are ovi's tags for a request, but for the key.
func (g *Region) ownerTags(r provider.Request) map[string]string {
	owner := r.Owner
	if owner == "" {
		owner = g.Owner
	}
	out := map[string]string{
		TagManaged: "true", TagOwner: owner, TagStack: r.Desired.Ref.Stack,
		TagRef: g.ShortRef(r.Desired.Ref),
	}
	if r.Desired.Blessed {
		out[tagBlessed] = "true"
	}
	return out
}

// BirthTags are all tags that a resource is created with. Where AWS has no name for its kind,
// the Name tag is set too.
func (g *Region) BirthTags(r provider.Request, nameless bool) map[string]string {
	out := map[string]string{}
	if _, configured := r.Desired.Tags.Get(TagHuman); nameless && !configured {
		out[TagHuman], out[TagNamed] = r.Desired.Ref.Name, "true"
	}
	for _, t := range r.Desired.Tags {
		out[t.Key] = t.Value
	}
	maps.Copy(out, g.ownerTags(r))
	out[TagKey] = r.Key
	return out
}

// MarkTags are the tags that give a resource all marks of a request, and those to remove. Without a
// recorded key the key tag is removed: it would name a creation that the audit log does not know.
func (g *Region) MarkTags(r provider.Request) (set map[string]string, drop []string) {
	set = g.ownerTags(r)
	if set[TagKey] = r.MarkKey; r.MarkKey == "" {
		delete(set, TagKey)
		drop = append(drop, TagKey)
	}
	if !r.Desired.Blessed {
		drop = append(drop, tagBlessed)
	}
	return set, drop
}

// Renamed adds the Name tag to the tags that give a resource another name. A Name tag of the user, which is among the
// user tags, stays as it is.
func Renamed(set map[string]string, now resource.Observed, name string) {
	_, users := now.Tags.Get(TagHuman)
	if was := now.Marks.Ref; !users && !was.IsZero() && was.Name != name {
		set[TagHuman], set[TagNamed] = name, "true"
	}
}

// UserChanges are the tags that an update sets and removes. They never include ovi's own. A Name
// tag that the configuration sets is the user's from then on.
func UserChanges(r provider.Request) (set map[string]string, drop []string) {
	set = map[string]string{}
	for _, c := range r.Changes {
		key, ok := strings.CutPrefix(c.Path, "tags.")
		switch {
		case c.On != resource.OnTag || !ok:
		case c.To == nil:
			drop = append(drop, key)
		default:
			set[key] = Plain(c.To)
			if key == TagHuman {
				drop = append(drop, TagNamed)
			}
		}
	}
	return set, drop
}

// Plain is a value as a tag holds it.
func Plain(v resource.Value) string {
	if s, ok := v.(resource.String); ok {
		return string(s)
	}
	return string(resource.AppendJSON(nil, v))
}

// Identify reports the natural name of a resource, its user tags, the marks that its tags make,
// and the system that manages it. An empty natural name stands for the id. Tags that name no
// resource of this kind and region are no marks.
func (g *Region) Identify(o *resource.Observed, kind, natural string, tags map[string]string) {
	if natural == "" {
		natural = o.ID
	}
	o.Ref = resource.Ref{Provider: ProviderName, Location: g.Location(), Kind: kind, Name: natural}
	user := map[string]string{}
	for k, v := range tags {
		if !strings.HasPrefix(k, tagPrefix) && !strings.HasPrefix(k, "aws:") {
			user[k] = v
		}
	}
	o.Tags = resource.TagsOf(user)
	o.OwnedBy = OwnedBy(tags)
	ref, err := resource.ParseRef(tags[TagRef])
	if err == nil && ref.Provider == ProviderName && ref.Location == g.Name {
		ref.Location = g.Location()
	}
	loose := resource.Marks{
		Stack: tags[TagStack], Owner: tags[TagOwner], Key: tags[TagKey], Blessed: tags[tagBlessed] == "true",
		Text: tags[TagRef],
	}
	if err == nil {
		loose.Text = ref.String()
	}
	if tags[TagManaged] != "true" {
		if loose != (resource.Marks{}) {
			o.Marks, o.Marks.Unmanaged = loose, true
		}
		return
	}
	if o.Marks = loose; err != nil || ref.Stack != "" || ref.Provider != ProviderName || ref.Location != g.Location() ||
		ref.Kind != kind {
		o.Message = strings.TrimPrefix(fmt.Sprintf("%s; it has the tag %s, but its tag %s %q names no %s in %s",
			o.Message, TagManaged, TagRef, tags[TagRef], kind, g.Name), "; ")
		return
	}
	o.Marks = resource.Marks{
		Ref: ref.In(tags[TagStack]), Owner: tags[TagOwner], Key: tags[TagKey], Blessed: tags[tagBlessed] == "true",
	}
	if tags[TagNamed] == "true" && tags[TagHuman] == ref.Name {
		o.Tags = slices.DeleteFunc(slices.Clone(o.Tags), func(t resource.Tag) bool { return t.Key == TagHuman })
	}
}

// OwnedBy names the system that manages a resource, by the tags that it writes; "" if none. AWS
// lets no other client write tags that start with aws:.
func OwnedBy(tags map[string]string) string {
	for _, s := range []struct{ key, name string }{
		{"aws:autoscaling:groupName", "autoscaling group "},
		{"aws:cloudformation:stack-name", "CloudFormation stack "},
		{"aws:ec2:fleet-id", "EC2 fleet "},
		{"aws:ec2spot:fleet-request-id", "spot fleet "},
		{"aws:eks:cluster-name", "EKS cluster "},
		{"elasticbeanstalk:environment-name", "Elastic Beanstalk environment "},
	} {
		if v := tags[s.key]; v != "" {
			return s.name + v
		}
	}
	return ""
}

// RootTags are for the root volume, which is not a resource: it has an owner, but no ref, so that it
// is not mistaken for one.
func RootTags(tags map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range tags {
		if k != TagManaged && k != TagRef && k != tagBlessed && k != TagKey {
			out[k] = v
		}
	}
	return out
}
