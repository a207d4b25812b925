package awsfake

// xmlTagged is one row of DescribeTags.
type xmlTagged struct {
	ID    string `xml:"resourceId"`
	Kind  string `xml:"resourceType"`
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

// describeTags lists tags with the filters that it has (EC2 API reference:
// DescribeTags).
func describeTags(x *exchange) (any, error) {
	var rows []xmlTagged
	for _, kind := range []string{"instance", "volume", "vpc", "subnet", "security-group"} {
		for _, e := range x.tx.st.table(kind, x.Region).rows() {
			if e == nil || x.tx.unread(e) {
				continue
			}
			for _, t := range tagSet(e.meta().Tags) {
				rows = append(rows, xmlTagged{e.meta().ID, kind, t.Key, t.Value})
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
	page, next, err := ec2Rows(x, out)
	return struct {
		Tags []xmlTagged `xml:"tagSet>item"`
		Next *string     `xml:"nextToken"`
	}{page, next}, err
}

func wantsTag(x *exchange, r xmlTagged) (bool, error) {
	for _, f := range x.p.items("Filter") {
		name := f.str("Name")
		got, known := map[string]string{"resource-id": r.ID, "resource-type": r.Kind, "key": r.Key, "value": r.Value}[name]
		if !known {
			return false, failf("InvalidParameterValue", "The filter '%s' is invalid", name)
		}
		if !anyMatch(f.strs("Value"), []string{got}) {
			return false, nil
		}
	}
	return true, nil
}
