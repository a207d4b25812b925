package network

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

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
