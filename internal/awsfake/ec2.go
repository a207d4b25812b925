package awsfake

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// success is the answer of the EC2 calls that return nothing else.
type success struct {
	Return bool `xml:"return"`
}

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

// taggable finds a resource by its id, whatever its kind is.
func taggable(x *exchange, id string) (entity, error) {
	prefix, _, _ := strings.Cut(id, "-")
	k := x.tx.st.kinds.prefixed(prefix)
	if k == nil {
		return nil, failf("InvalidID", "The ID '%s' does not exist", id)
	}
	if k.Tagged != nil {
		return k.Tagged(x, id)
	}
	e := x.tx.st.table(k.Name, x.Region).get(id)
	if e == nil || x.tx.unread(e) {
		return nil, failf(k.Missing, "The ID '%s' does not exist", id)
	}
	return e, nil
}

// retag changes the tags of every named resource, or of none.
func retag(x *exchange, change func(map[string]string)) (any, error) {
	ids := x.p.strs("ResourceId")
	if len(ids) == 0 {
		return nil, missing("resourceIdSet")
	}
	for _, id := range ids {
		if strings.HasPrefix(id, "sgr-") {
			if err := retagRule(x, id, change); err != nil {
				return nil, err
			}
			continue
		}
		e, err := taggable(x, id)
		if err != nil {
			return nil, err
		}
		if err := x.changeTags(e, change); err != nil {
			return nil, err
		}
	}
	return success{Return: true}, nil
}

// createTags merges (EC2 API reference: CreateTags overwrites only the keys
// that it names).
func createTags(x *exchange) (any, error) {
	tags, err := readTags(x.p, "Tag")
	if err != nil {
		return nil, err
	}
	if len(tags) == 0 {
		return nil, missing("tagSet")
	}
	return retag(x, func(have map[string]string) { maps.Copy(have, tags) })
}

// deleteTags removes the keys that it names: with a value only where the
// value is the same, without any tag named all of them (EC2 API reference:
// DeleteTags).
func deleteTags(x *exchange) (any, error) {
	named := x.p.items("Tag")
	for _, t := range named {
		if strings.HasPrefix(strings.ToLower(t.str("Key")), "aws:") {
			return nil, failf("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
		}
	}
	return retag(x, func(have map[string]string) {
		if len(named) == 0 {
			clear(have)
		}
		for _, t := range named {
			key := t.str("Key")
			if !t.has("Value") || t.str("Value") == have[key] {
				delete(have, key)
			}
		}
	})
}
