package awsfake

import (
	"strconv"
)

// viewInstance renders an instance in its current state.
func viewInstance(x *exchange, in *instance, state string, disks []*volume) xmlInstance {
	v := xmlInstance{
		ID: in.ID, Image: in.Image, State: stateOf(state), Key: in.Key, Index: in.Index, Type: in.Type,
		Launched: in.Launched, AZ: in.AZ, Tenancy: in.Tenancy, Monitoring: "disabled", SrcCheck: !in.NoSrcCheck,
		Arch: archOf(in.Type), RootType: "ebs", RootName: in.Root, Virt: "hvm", Token: in.Token,
		Tags: tagSet(in.Tags), Hypervisor: "xen", Optimized: in.Optimized, Reason: in.Reason,
		Metadata: xmlMetadata{"applied", in.Metadata.Tokens, in.Metadata.Hops, in.Metadata.Endpoint, in.Metadata.IPv6, in.Metadata.Tags},
	}
	if in.Monitoring {
		v.Monitoring = "enabled"
	}
	if in.Reason != "" {
		v.StateReason = &xmlReason{"Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown"}
	}
	if in.Spot {
		v.Lifecycle, v.Request = "spot", in.Request
	}
	if in.Reason == keyReason {
		v.StateReason = &xmlReason{keyReason, keyReason + ": The KMS key provided is in an incorrect state"}
	}
	if in.Profile != "" {
		v.Profile = &xmlProfile{in.Profile, in.ProfileID}
	}
	for _, d := range disks {
		t := d.tie(x.now)
		v.Mappings = append(v.Mappings, xmlMapping{t.Device, d.ID, t.Life.at(x.now), t.At, t.Kill})
	}
	if state != "terminated" {
		wire(x, &v, in, state)
	}
	return v
}

// wire adds the network side: a terminated instance has none, and a public
// address comes and goes with running.
func wire(x *exchange, v *xmlInstance, in *instance, state string) {
	v.Subnet, v.VPC, v.Private = in.Subnet, in.VPC, in.Private
	v.PrivateDNS = "ip-" + dashed(in.Private) + "." + x.Region + ".compute.internal"
	v.Groups = groupRefs(x, in.Groups)
	nic := plugged(x, primaryOf(in))
	if in.Public != "" && (state == "running" || state == "pending") {
		v.Public, v.PublicDNS = in.Public, "ec2-"+dashed(in.Public)+".compute.example"
		nic.Public = &v.Public
	}
	v.NICs = []xmlNIC{nic}
	for _, n := range nicsOf(x, in.ID) {
		v.NICs = append(v.NICs, plugged(x, n))
	}
}

func plugged(x *exchange, n *networkInterface) xmlNIC {
	return xmlNIC{
		ID: n.ID, Subnet: n.Subnet, VPC: n.VPC, Status: "in-use", Private: n.Private, Groups: groupRefs(x, n.Groups),
		Tie: n.Tie.ID, Index: n.Tie.Index, State: n.Tie.Life.at(x.now), Kill: n.Tie.Kill,
	}
}

type xmlReservation struct {
	ID        string        `xml:"reservationId"`
	Owner     string        `xml:"ownerId"`
	Instances []xmlInstance `xml:"instancesSet>item"`
}

// reservationOf renders one reservation; fresh shows the first state of a new
// instance, which an answer to RunInstances always does.
func reservationOf(x *exchange, list []*instance, fresh bool) xmlReservation {
	out := xmlReservation{ID: list[0].Reservation, Owner: Account}
	for _, in := range list {
		state := in.Life.at(x.now)
		if fresh {
			state = in.Life.first()
		}
		out.Instances = append(out.Instances, viewInstance(x, in, state, disksOf(x, in.ID)))
	}
	return out
}

// instanceValues is what an instance has under the names of the filters of
// DescribeInstances; names that the sandbox does not support are refused as
// unknown ones are.
func instanceValues(x *exchange, in *instance, name string) ([]string, bool) {
	state := in.Life.at(x.now)
	switch name {
	case "instance-id":
		return one(in.ID)
	case "instance-type":
		return one(in.Type)
	case "instance-state-name":
		return one(state)
	case "instance-state-code":
		return one(strconv.Itoa(stateCode(state)))
	case "image-id":
		return one(in.Image)
	case "client-token":
		return one(in.Token)
	case "vpc-id", "network-interface.vpc-id":
		return one(in.VPC)
	case "subnet-id", "network-interface.subnet-id":
		return one(in.Subnet)
	case "availability-zone":
		return one(in.AZ)
	case "key-name":
		return one(in.Key)
	case "reservation-id":
		return one(in.Reservation)
	case "owner-id":
		return one(Account)
	case "private-ip-address":
		return one(in.Private)
	case "ip-address":
		return one(in.Public)
	case "architecture":
		return one(archOf(in.Type))
	case "root-device-name":
		return one(in.Root)
	case "root-device-type":
		return one("ebs")
	case "iam-instance-profile.arn":
		return one(in.Profile)
	case "instance.group-id", "network-interface.group-id":
		return in.Groups, true
	case "tenancy":
		return one(in.Tenancy)
	case "metadata-options.http-tokens":
		return one(in.Metadata.Tokens)
	}
	return nil, false
}
