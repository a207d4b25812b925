package awsfake

import (
	"maps"
	"strings"
)

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
