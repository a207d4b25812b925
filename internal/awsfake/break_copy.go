package awsfake

import (
	"fmt"
	"maps"
	"strconv"
)

// copy creates another resource of the same kind with the same tags, as the console's "Launch
// more like this" does, or a restore of a database from a snapshot that holds its tags. Value is
// the name of the copy, for kinds that have one.
func (h hand) copy(b Breakage, e entity) (string, error) {
	m, word := e.meta(), kindWord(e.kind())
	before := h.t.st.seq
	var form map[string]string
	switch v := e.(type) {
	case *instance:
		form = map[string]string{"ImageId": v.Image, "InstanceType": v.Type, "SubnetId": v.Subnet}
	case *volume:
		form = map[string]string{"Size": strconv.Itoa(v.Size), "AvailabilityZone": v.AZ}
	case *networkInterface:
		form = map[string]string{"SubnetId": v.Subnet}
	case *vpc:
		form = map[string]string{"CidrBlock": v.CIDR}
	case *securityGroup:
		form = map[string]string{"VpcId": v.VPC, "GroupName": orElse(b.Value, v.Name+"-copy")}
	case *database:
		now := v.at(h.t.now).Settings
		form = map[string]string{
			"DBInstanceIdentifier": orElse(b.Value, m.ID+"-restored"), "DBInstanceClass": now.Class, "Engine": v.Engine,
			"AllocatedStorage": strconv.Itoa(now.Storage),
		}
	case *bucket:
		form = map[string]string{"Bucket": orElse(b.Value, m.ID+"-copy")}
	default:
		return "", fmt.Errorf("sandbox: cannot copy kind %s", word)
	}
	region := m.Region
	if v, ok := e.(*bucket); ok {
		region = v.Home
	}
	if err := h.order(word, region, form); err != nil {
		return "", err
	}
	made := h.made(word, before)
	if made == nil {
		return "", fmt.Errorf("sandbox: the copy of %s was not created", m.ID)
	}
	n := made.clone()
	n.meta().Tags = maps.Clone(m.Tags)
	h.t.put(n)
	return "copied " + word + " " + m.ID + " with its tags to " + n.meta().ID, nil
}

// made finds what was created of a kind after a sequence number; nil if nothing was.
func (h hand) made(word string, before int64) entity {
	for _, o := range h.t.ops {
		if o.Put != nil && o.Put.meta().Seq > before && kindWord(o.Kind) == word {
			return o.Put
		}
	}
	return nil
}
