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

// xmlTagged is one row of DescribeTags.
type xmlTagged struct {
	ID    string `xml:"resourceId"`
	Kind  string `xml:"resourceType"`
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

// describeTags lists tags with the filters that it has (EC2 API reference:
// DescribeTags).
func describeTags(x *core.Exchange) (any, error) {
	var rows []xmlTagged
	for _, kind := range []string{"instance", "volume", "vpc", "subnet", "security-group"} {
		for _, e := range x.Tx.St.Table(kind, x.Region).Rows() {
			if e == nil || x.Tx.Unread(e) {
				continue
			}
			for _, t := range core.TagSet(e.Meta().Tags) {
				rows = append(rows, xmlTagged{e.Meta().ID, kind, t.Key, t.Value})
			}
		}
	}
	out := rows[:0]
	for _, r := range rows {
		ok, err := wantsTag(x, r)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, r)
		}
	}
	page, next, err := ec2.PageRows(x, out)
	return struct {
		Tags []xmlTagged `xml:"tagSet>item"`
		Next *string     `xml:"nextToken"`
	}{page, next}, err
}

func wantsTag(x *core.Exchange, r xmlTagged) (bool, error) {
	for _, f := range x.P.Items("Filter") {
		name := f.Str("Name")
		got, known := map[string]string{"resource-id": r.ID, "resource-type": r.Kind, "key": r.Key, "value": r.Value}[name]
		if !known {
			return false, wire.Failf("InvalidParameterValue", "The filter '%s' is invalid", name)
		}
		if !core.AnyMatch(f.Strs("Value"), []string{got}) {
			return false, nil
		}
	}
	return true, nil
}
