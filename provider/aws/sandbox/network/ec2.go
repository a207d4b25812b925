package network

import (
	"maps"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// taggable finds a resource by its id, whatever its kind is.
func taggable(x *core.Exchange, id string) (core.Entity, error) {
	prefix, _, _ := strings.Cut(id, "-")
	k := x.Tx.St.Kinds.Prefixed(prefix)
	if k == nil {
		return nil, wire.Failf("InvalidID", "The ID '%s' does not exist", id)
	}
	if k.Tagged != nil {
		return k.Tagged(x, id)
	}
	e := x.Tx.St.Table(k.Name, x.Region).Get(id)
	if e == nil || x.Tx.Unread(e) {
		return nil, wire.Failf(k.Missing, "The ID '%s' does not exist", id)
	}
	return e, nil
}

// retag changes the tags of every named resource, or of none.
func retag(x *core.Exchange, change func(map[string]string)) (any, error) {
	ids := x.P.Strs("ResourceId")
	if len(ids) == 0 {
		return nil, wire.Missing("resourceIdSet")
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
		if err := x.ChangeTags(e, change); err != nil {
			return nil, err
		}
	}
	return ec2.Success{Return: true}, nil
}

// createTags merges (EC2 API reference: CreateTags overwrites only the keys
// that it names).
func createTags(x *core.Exchange) (any, error) {
	tags, err := core.ReadTags(x.P, "Tag")
	if err != nil {
		return nil, err
	}
	if len(tags) == 0 {
		return nil, wire.Missing("tagSet")
	}
	return retag(x, func(have map[string]string) { maps.Copy(have, tags) })
}

// deleteTags removes the keys that it names: with a value only where the
// value is the same, without any tag named all of them (EC2 API reference:
// DeleteTags).
func deleteTags(x *core.Exchange) (any, error) {
	named := x.P.Items("Tag")
	for _, t := range named {
		if strings.HasPrefix(strings.ToLower(t.Str("Key")), "aws:") {
			return nil, wire.Failf("InvalidParameterValue", "Tag keys starting with 'aws:' are reserved for internal use")
		}
	}
	return retag(x, func(have map[string]string) {
		if len(named) == 0 {
			clear(have)
		}
		for _, t := range named {
			key := t.Str("Key")
			if !t.Has("Value") || t.Str("Value") == have[key] {
				delete(have, key)
			}
		}
	})
}
