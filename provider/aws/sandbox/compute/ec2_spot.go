package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

import "slices"

// marketOptions reads what orders spare capacity. A request is for one time, unless the call asks for a persistent one.
func marketOptions(x *core.Exchange, in *ec2.Instance) error {
	m := x.P.At("InstanceMarketOptions")
	if m == nil {
		return nil
	}
	m.Str("SpotOptions.MaxPrice")
	in.Spot = m.Str("MarketType") == "spot"
	switch kind := m.Str("SpotOptions.SpotInstanceType"); kind {
	case "", "one-time":
	case "persistent":
		in.Persistent = true
	default:
		return wire.BadValue(kind, "SpotInstanceType", "It must be one-time or persistent.")
	}
	switch m.Or("SpotOptions.InstanceInterruptionBehavior", "terminate") {
	case "terminate":
	case "stop", "hibernate":
		if !in.Persistent {
			return wire.Failf("InvalidParameterCombination", "Only a persistent Spot Instance request can stop or hibernate its instance.")
		}
	}
	return nil
}

// relaunch is what a persistent request does when its instance is terminated: it is open again, and its next instance
// has neither the tags nor the token of the last one ("Spot Instance request states").
func relaunch(x *core.Exchange, was *ec2.Instance) {
	if !was.Persistent {
		return
	}
	var disks []disk
	for _, v := range disksOf(x, was.ID) {
		if v.Attached.Kill {
			disks = append(disks, disk{volume: volume{Size: v.Size, Type: v.Type, IOPS: v.IOPS, Throughput: v.Throughput, Encrypted: v.Encrypted, KMS: v.KMS, Snapshot: v.Snapshot}, device: v.Attached.Device, kill: true})
		}
	}
	next := *was
	next.Token, next.Private, next.Public, next.Reason = "", "", "", ""
	made := launch(x, next, x.Tx.Fresh("r-", x.Region).ID, 0, nil)
	attachNew(x, made, disks, nil)
}

type xmlCanceled struct {
	ID    string `xml:"spotInstanceRequestId"`
	State string `xml:"state"`
}

type xmlCanceledSet struct {
	Set []xmlCanceled `xml:"spotInstanceRequestSet>item"`
}

// cancelSpotRequests ends requests and leaves their instances. Canceling one again is accepted; one unknown id refuses
// the whole call (EC2 API reference: CancelSpotInstanceRequests).
func cancelSpotRequests(x *core.Exchange) (any, error) {
	ids := x.P.Strs("SpotInstanceRequestId")
	if len(ids) == 0 {
		return nil, wire.Missing("SpotInstanceRequestId")
	}
	all := core.List[*ec2.Instance](x.Tx, x.Region)
	var out xmlCanceledSet
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(in *ec2.Instance) bool { return in.Spot && in.Request == id }) {
			return nil, wire.Failf("InvalidSpotInstanceRequestID.NotFound", "The spot instance request ID '%s' does not exist", id)
		}
		for _, in := range all {
			if in.Request == id && in.Persistent {
				n := *in
				n.Persistent, n.Canceled = false, true
				x.Tx.Put(&n)
			}
		}
		out.Set = append(out.Set, xmlCanceled{id, "cancelled"})
	}
	return out, nil
}
