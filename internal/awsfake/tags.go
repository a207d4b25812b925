package awsfake

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

type xmlTag struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

func tagSet(tags map[string]string) []xmlTag {
	out := make([]xmlTag, 0, len(tags))
	for k, v := range tags {
		out = append(out, xmlTag{k, v})
	}
	slices.SortFunc(out, func(a, b xmlTag) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

const maxTags = 50

// checkTags holds the rules for tags ("Tag your Amazon EC2 resources":
// restrictions): 50 a resource, keys to 128 and values to 256 characters, and the
// prefix aws: is AWS's own.
func checkTags(tags map[string]string) error {
	if len(tags) > maxTags {
		return failf("TagLimitExceeded", "The maximum number of tags for a resource is %d.", maxTags)
	}
	for k, v := range tags {
		switch {
		case k == "":
			return failf("InvalidParameterValue", "Tag key cannot be empty.")
		case strings.HasPrefix(strings.ToLower(k), "aws:"):
			return failf("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
		case len([]rune(k)) > 128:
			return failf("InvalidParameterValue", "Tag key exceeds the maximum length of 128 characters: %s", k)
		case len([]rune(v)) > 256:
			return failf("InvalidParameterValue", "Tag value exceeds the maximum length of 256 characters: %s", v)
		}
	}
	return nil
}

// ownTags are those that users gave a resource: the ones of AWS stay beside them and do not count
// ("Tag your Amazon EC2 resources": restrictions).
func ownTags(tags map[string]string) map[string]string {
	own := maps.Clone(tags)
	maps.DeleteFunc(own, func(k, _ string) bool { return strings.HasPrefix(k, "aws:") })
	return own
}

func readTags(p *params, path string) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range p.items(path) {
		key := t.str("Key")
		if _, twice := tags[key]; twice {
			return nil, failf("InvalidParameterValue", "Duplicate tag key '%s' specified.", key)
		}
		tags[key] = t.str("Value")
	}
	return tags, checkTags(tags)
}

// specTags reads the tags that a create call sets on one type of resource; types
// that the call does not make are refused.
func (x *exchange) specTags(kind string, also ...string) (map[string]string, error) {
	out := map[string]string{}
	for _, spec := range x.p.items("TagSpecification") {
		got := spec.str("ResourceType")
		if got != kind && !slices.Contains(also, got) {
			return nil, failf("InvalidParameterValue", "'%s' is not a valid taggable resource type for this operation.", got)
		}
		if got != kind {
			continue
		}
		tags, err := readTags(spec, "Tag")
		if err != nil {
			return nil, err
		}
		maps.Copy(out, tags)
	}
	return out, checkTags(out)
}

type xmlIAMTag struct {
	Key   string
	Value string
}

func iamTagList(tags map[string]string) []xmlIAMTag {
	var out []xmlIAMTag
	for _, t := range tagSet(tags) {
		out = append(out, xmlIAMTag(t))
	}
	return out
}

type jsonTag struct{ Key, Value string }

func jsonTags(tags map[string]string) []jsonTag {
	out := make([]jsonTag, 0, len(tags))
	for _, t := range tagSet(tags) {
		out = append(out, jsonTag(t))
	}
	return out
}

func plainTags(tags []jsonTag) map[string]string {
	out := map[string]string{}
	for _, t := range tags {
		out[t.Key] = t.Value
	}
	return out
}

// changeTags changes the tags of an entity.
func (x *exchange) changeTags(e entity, change func(map[string]string)) error {
	tags := maps.Clone(e.meta().Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	change(tags)
	if err := checkTags(ownTags(tags)); err != nil {
		return err
	}
	c := clone(e)
	c.meta().Tags = tags
	x.tx.put(c)
	return nil
}
