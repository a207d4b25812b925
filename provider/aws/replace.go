package aws

import (
	"net/netip"

	"github.com/ovi-project/ovi/resource"
)

// createFirst is for resources of which two can exist side by side.
func createFirst() []resource.Strategy {
	return []resource.Strategy{resource.CreateFirst, resource.DestroyFirst}
}

func destroyFirst() []resource.Strategy { return []resource.Strategy{resource.DestroyFirst} }

// replaceVPC: two VPCs may even have the same addresses.
func replaceVPC(resource.Desired, resource.Observed) []resource.Strategy { return createFirst() }

// replaceSubnet: the subnets of one VPC must not overlap, in IPv6 either. A subnet that keeps its block and zone
// is replaced because it moves to another VPC, where nothing is in its way.
func replaceSubnet(d resource.Desired, have resource.Observed) []resource.Strategy {
	was, _ := text(have.Attrs, "cidr")
	old, err := netip.ParsePrefix(was)
	next, ok := block(&d)
	switch {
	case err != nil || !ok:
		return destroyFirst()
	case otherVPC(d, have), old == next && sameText(d, have, "zone"), !old.Overlaps(next) && !sameBlock(d, have):
		return createFirst()
	}
	return destroyFirst()
}

// sameBlock reports that a subnet keeps its IPv6 block.
func sameBlock(d resource.Desired, have resource.Observed) bool {
	next, set := number(d.Attrs, blockAttr)
	was, had := number(have.Attrs, blockAttr)
	return set && had && next == was
}

// otherVPC reports that a resource moves to a VPC whose id is known and is another one.
func otherVPC(d resource.Desired, have resource.Observed) bool {
	next, known := text(d.Attrs, "vpc")
	was, _ := text(have.Attrs, "vpc")
	return known && was != "" && next != was
}

// otherSubnet reports that a resource moves to a subnet whose id is known and is another one. It may be one of another
// VPC, which has the same addresses.
func otherSubnet(d resource.Desired, have resource.Observed) bool {
	next, known := text(d.Attrs, "subnet")
	was, _ := text(have.Attrs, "subnet")
	return known && was != "" && next != was
}

// sameText reports that an attribute is not configured or already has its value.
func sameText(d resource.Desired, have resource.Observed, name string) bool {
	v, set := d.Attrs.Get(name)
	now, _ := have.Attrs.Get(name)
	return !set || resource.Equal(v, now)
}

// replaceGroup: a group that is used cannot be deleted, so what uses it moves to the new one first.
// Names of groups are unique in a VPC; see freeName.
func replaceGroup(resource.Desired, resource.Observed) []resource.Strategy { return createFirst() }

// replaceInstance: a volume or a network interface can be attached to one instance only and an
// address is used by one, so that an instance with one must be deleted first.
func replaceInstance(d resource.Desired, have resource.Observed) []resource.Strategy {
	if address, set := text(d.Attrs, privateIP); set && is(&resource.Desired{Attrs: have.Attrs}, privateIP, address) && !otherSubnet(d, have) {
		return destroyFirst()
	}
	for _, held := range []string{"volumes", "network_interfaces"} {
		if len(have.Attrs.List(held)) > 0 {
			return destroyFirst()
		}
	}
	return createFirst()
}

// replaceVolume: an attached volume occupies its device.
func replaceVolume(d resource.Desired, have resource.Observed) []resource.Strategy {
	_, next := d.Attrs.Get("attach_to")
	if _, attached := have.Attrs.Get("attach_to"); attached || next {
		return destroyFirst()
	}
	return createFirst()
}

// replaceBucket: a bucket is replaced when its name changes, and then both can exist.
func replaceBucket(d resource.Desired, have resource.Observed) []resource.Strategy {
	if name, _ := bucketOf(&d); name != have.ID {
		return createFirst()
	}
	return destroyFirst()
}
