package aws

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
	tagManaged = "ovi:managed"
	tagOwner   = "ovi:owner"
	tagStack   = "ovi:stack"
	tagRef     = "ovi:ref"
	tagBlessed = "ovi:blessed"
	tagKey     = "ovi:key"   // the idempotency key of its creation
	tagHuman   = "Name"      // what the AWS console shows
	tagNamed   = "ovi:named" // ovi wrote the Name tag; it is not a tag of the user
)

// checkTags refuses tags that are reserved.
func checkTags(tags resource.Tags) error {
	for _, t := range tags {
		for _, reserved := range []string{tagPrefix, "aws:"} {
			if strings.HasPrefix(strings.ToLower(t.Key), reserved) {
				return permanent("", fmt.Errorf("tag %q: keys that start with %q are reserved", t.Key, reserved), "use another key")
			}
		}
	}
	return nil
}

func (g *region) shortRef(r resource.Ref) string {
	r.Location = g.name
	return r.Bare().String()
}

// ownerTags are ovi's tags for a request, but for the key.
func (g *region) ownerTags(r provider.Request) map[string]string {
	owner := r.Owner
	if owner == "" {
		owner = g.owner
	}
	out := map[string]string{tagManaged: "true", tagOwner: owner, tagStack: r.Desired.Ref.Stack, tagRef: g.shortRef(r.Desired.Ref)}
	if r.Desired.Blessed {
		out[tagBlessed] = "true"
	}
	return out
}

// birthTags are all tags that a resource is created with. Where AWS has no name for its kind,
// the Name tag is set too.
func (g *region) birthTags(r provider.Request, nameless bool) map[string]string {
	out := map[string]string{}
	if _, configured := r.Desired.Tags.Get(tagHuman); nameless && !configured {
		out[tagHuman], out[tagNamed] = r.Desired.Ref.Name, "true"
	}
	for _, t := range r.Desired.Tags {
		out[t.Key] = t.Value
	}
	maps.Copy(out, g.ownerTags(r))
	out[tagKey] = r.Key
	return out
}

// markTags are the tags that give a resource all marks of a request, and those to remove.
func (g *region) markTags(r provider.Request) (set map[string]string, drop []string) {
	set = g.ownerTags(r)
	if set[tagKey] = r.MarkKey; r.MarkKey == "" {
		delete(set, tagKey)
		drop = append(drop, tagKey)
	}
	if !r.Desired.Blessed {
		drop = append(drop, tagBlessed)
	}
	return set, drop
}

// userChanges are the tags that an update sets and removes. They never include ovi's own.
func userChanges(r provider.Request) (set map[string]string, drop []string) {
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

// plain is a value as a tag holds it.
func plain(v resource.Value) string {
	if s, ok := v.(resource.String); ok {
		return string(s)
	}
	return string(resource.AppendJSON(nil, v))
}

// identify reports the natural name of a resource, its user tags, the marks that its tags make,
// and the system that manages it. An empty natural name stands for the id. Tags that name no
// resource of this kind and region are no marks.
func (g *region) identify(o *resource.Observed, kind, natural string, tags map[string]string) {
	if natural == "" {
		natural = o.ID
	}
	o.Ref = resource.Ref{Provider: Name, Location: g.location(), Kind: kind, Name: natural}
	o.Tags = userTags(tags)
	o.OwnedBy = ownedBy(tags)
	ref, err := resource.ParseRef(tags[tagRef])
	if err == nil && ref.Provider == Name && ref.Location == g.name {
		ref.Location = g.location()
	}
	loose := resource.Marks{
		Stack: tags[tagStack], Owner: tags[tagOwner], Key: tags[tagKey], Blessed: tags[tagBlessed] == "true", Text: tags[tagRef],
	}
	if err == nil {
		loose.Text = ref.String()
	}
	if tags[tagManaged] != "true" {
		if loose != (resource.Marks{}) {
			o.Marks, o.Marks.Unmanaged = loose, true
		}
		return
	}
	if o.Marks = loose; err != nil || ref.Stack != "" || ref.Provider != Name || ref.Location != g.location() || ref.Kind != kind {
		o.Message = strings.TrimPrefix(fmt.Sprintf("%s; it has the tag %s, but its tag %s %q names no %s in %s",
			o.Message, tagManaged, tagRef, tags[tagRef], kind, g.name), "; ")
		return
	}
	o.Marks = resource.Marks{
		Ref: ref.In(tags[tagStack]), Owner: tags[tagOwner], Key: tags[tagKey], Blessed: tags[tagBlessed] == "true",
	}
	if tags[tagNamed] == "true" && tags[tagHuman] == ref.Name {
		o.Tags = without(o.Tags, tagHuman)
	}
}

// ownedBy names the system that manages a resource, by the tags that it writes; "" if none. AWS
// lets no other client write tags that start with aws:.
func ownedBy(tags map[string]string) string {
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

func without(tags resource.Tags, key string) resource.Tags {
	return slices.DeleteFunc(slices.Clone(tags), func(t resource.Tag) bool { return t.Key == key })
}

// userTags are the tags that are neither ovi's nor AWS's.
func userTags(tags map[string]string) resource.Tags {
	own := map[string]string{}
	for k, v := range tags {
		if !strings.HasPrefix(k, tagPrefix) && !strings.HasPrefix(k, "aws:") {
			own[k] = v
		}
	}
	return resource.TagsOf(own)
}
