package core

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// XMLTag is a tag as EC2 spells it.
type XMLTag struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

// TagSet lists tags by key.
func TagSet(tags map[string]string) []XMLTag {
	out := make([]XMLTag, 0, len(tags))
	for k, v := range tags {
		out = append(out, XMLTag{k, v})
	}
	slices.SortFunc(out, func(a, b XMLTag) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

const maxTags = 50

// CheckTags holds the rules for tags ("Tag your Amazon EC2 resources":
// restrictions): 50 a resource, keys to 128 and values to 256 characters, and the
// prefix aws: is AWS's own.
func CheckTags(tags map[string]string) error {
	if len(tags) > maxTags {
		return wire.Failf("TagLimitExceeded", "The maximum number of tags for a resource is %d.", maxTags)
	}
	for k, v := range tags {
		switch {
		case k == "":
			return wire.Failf("InvalidParameterValue", "Tag key cannot be empty.")
		case strings.HasPrefix(strings.ToLower(k), "aws:"):
			return wire.Failf("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
		case len([]rune(k)) > 128:
			return wire.Failf("InvalidParameterValue", "Tag key exceeds the maximum length of 128 characters: %s", k)
		case len([]rune(v)) > 256:
			return wire.Failf("InvalidParameterValue", "Tag value exceeds the maximum length of 256 characters: %s", v)
		}
	}
	return nil
}

// ReadTags reads and checks tags.
func ReadTags(p *wire.Params, path string) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range p.Items(path) {
		key := t.Str("Key")
		if _, twice := tags[key]; twice {
			return nil, wire.Failf("InvalidParameterValue", "Duplicate tag key '%s' specified.", key)
		}
		tags[key] = t.Str("Value")
	}
	return tags, CheckTags(tags)
}

// SpecTags reads the tags that a create call sets on one type of resource; types
// that the call does not make are refused.
func (x *Exchange) SpecTags(kind string, also ...string) (map[string]string, error) {
	out := map[string]string{}
	for _, spec := range x.P.Items("TagSpecification") {
		got := spec.Str("ResourceType")
		if got != kind && !slices.Contains(also, got) {
			return nil, wire.Failf("InvalidParameterValue", "'%s' is not a valid taggable resource type for this operation.",
				got)
		}
		if got != kind {
			continue
		}
		tags, err := ReadTags(spec, "Tag")
		if err != nil {
			return nil, err
		}
		maps.Copy(out, tags)
	}
	return out, CheckTags(out)
}

// IAMTag is a tag as IAM, Route 53 and load balancing spell it.
type IAMTag struct {
	Key   string
	Value string
}

// IAMTagList lists tags by key.
func IAMTagList(tags map[string]string) []IAMTag {
	var out []IAMTag
	for _, t := range TagSet(tags) {
		out = append(out, IAMTag(t))
	}
	return out
}

// JSONTag is a tag of a JSON service.
type JSONTag struct{ Key, Value string }

// JSONTags lists tags by key.
func JSONTags(tags map[string]string) []JSONTag {
	out := make([]JSONTag, 0, len(tags))
	for _, t := range TagSet(tags) {
		out = append(out, JSONTag(t))
	}
	return out
}

// PlainTags returns the tags of a list.
func PlainTags(tags []JSONTag) map[string]string {
	out := map[string]string{}
	for _, t := range tags {
		out[t.Key] = t.Value
	}
	return out
}

// ChangeTags changes the tags of an entity.
func (x *Exchange) ChangeTags(e Entity, change func(map[string]string)) error {
	tags := maps.Clone(e.Meta().Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	change(tags)
	// Only the tags of users count: AWS keeps its own tags as well ("Tag your Amazon EC2 resources": restrictions).
	own := maps.Clone(tags)
	maps.DeleteFunc(own, func(k, _ string) bool { return strings.HasPrefix(k, "aws:") })
	if err := CheckTags(own); err != nil {
		return err
	}
	c := Clone(e)
	c.Meta().Tags = tags
	x.Tx.Put(c)
	return nil
}
