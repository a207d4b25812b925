package compute

import (
	"encoding/base64"
	"slices"
	"strconv"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// runInstances makes one reservation (EC2 API reference: RunInstances).
func runInstances(x *core.Exchange) (any, error) {
	if err := x.CheckToken(); err != nil {
		return nil, err
	}
	if made, ok, err := x.Remembered(); err != nil || ok {
		if err != nil {
			return nil, err
		}
		return reservationAgain(x, made)
	}
	proto, err := launchSpec(x)
	if err != nil {
		return nil, err
	}
	minimum, maximum, err := launchCounts(x)
	if err != nil {
		return nil, err
	}
	if free := network.FreeAddresses(x, proto.Subnet); free < minimum {
		return nil, wire.Failf("InsufficientFreeAddressesInSubnet",
			"There are not enough free addresses in subnet '%s' to satisfy the requested number of instances.", proto.Subnet)
	} else if maximum > free {
		maximum = free
	}
	disks, err := launchDisks(x)
	if err != nil {
		return nil, err
	}
	tags, err := x.SpecTags("instance", "volume", "network-interface", "spot-instances-request")
	if err != nil {
		return nil, err
	}
	diskTags, err := x.SpecTags("volume", "instance", "network-interface", "spot-instances-request")
	if err != nil {
		return nil, err
	}
	reservation := x.Tx.Fresh("r-", x.Region).ID
	var made []*ec2.Instance
	for i := range maximum {
		in := launch(x, *proto, reservation, i, tags)
		if slices.ContainsFunc(disks, func(d disk) bool { return keyWrong(x, &d.volume) }) {
			n := *in
			n.Life, n.Reason = core.Through(x.Now, x.Settle, "terminated", "pending"), keyReason
			n.Until = n.Life.End().Add(x.KeepDead)
			in = &n
			x.Tx.Put(in)
		} else {
			attachNew(x, in, disks, diskTags)
		}
		made = append(made, in)
	}
	x.Remember(ids(made))
	return reservationOf(x, made, true), nil
}

// launch makes one instance from the prototype.
func launch(x *core.Exchange, in ec2.Instance, reservation string, index int, tags map[string]string) *ec2.Instance {
	in.Base = x.Tx.Fresh("i-", x.Region)
	in.Tags, in.Reservation, in.Index = tags, reservation, index
	in.Launched = x.Now
	if in.Spot && in.Request == "" {
		in.Request = "sir-" + in.ID[len(in.ID)-8:]
	}
	in.Life = core.Through(x.Now, x.Settle, "running", "pending")
	if in.Private == "" {
		in.Private = network.PrivateAddress(x, in.Subnet, in.Seq)
	}
	if in.WantsPublic {
		in.Public = network.PublicAddress(in.Seq)
	}
	if in.Profile != "" {
		in.ProfileID = x.Tx.Fresh("iip-assoc-", x.Region).ID
	}
	made := &in
	x.Tx.Put(made)
	return made
}

func ids[T core.Entity](list []T) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.Meta().ID
	}
	return out
}

func launchCounts(x *core.Exchange) (int, int, error) {
	lo, err := x.P.Num("MinCount", 0)
	if err != nil {
		return 0, 0, err
	}
	hi, err := x.P.Num("MaxCount", 0)
	switch {
	case err != nil:
		return 0, 0, err
	case !x.P.Has("MinCount"):
		return 0, 0, wire.Missing("MinCount")
	case !x.P.Has("MaxCount"):
		return 0, 0, wire.Missing("MaxCount")
	case lo < 1 || hi < lo:
		return 0, 0, wire.Failf("InvalidParameterValue",
			"Value (%d) for parameter MinCount or (%d) for MaxCount is invalid: at least 1, and MaxCount not below MinCount.",
			lo, hi)
	case hi > 1000:
		return 0, 0, wire.Failf("InstanceLimitExceeded",
			"You have requested more instances (%d) than your current limit of 1000 for one call allows.", hi)
	}
	return lo, hi, nil
}

// launchSpec reads and checks all parameters of an instance.
func launchSpec(x *core.Exchange) (*ec2.Instance, error) {
	in := &ec2.Instance{
		Token: x.P.Str("ClientToken"), Image: x.P.Str("ImageId"), Type: x.P.Or("InstanceType", "m1.small"),
		Root: rootDevice, Tenancy: x.P.Or("Placement.Tenancy", "default"),
	}
	if err := checkImage(x, in.Image, in.Type); err != nil {
		return nil, err
	}
	if err := locationInstance(x, in); err != nil {
		return nil, err
	}
	if in.Key = x.P.Str("KeyName"); in.Key != "" {
		if _, ok := core.Find[*keyPair](x.Tx, x.Region, in.Key); !ok {
			return nil, wire.Failf("InvalidKeyPair.NotFound", "The key pair '%s' does not exist", in.Key)
		}
	}
	in.UserData = x.P.Str("UserData")
	if err := checkUserData(in.UserData); err != nil {
		return nil, err
	}
	in.Profile = profileARN(x.P.At("IamInstanceProfile"))
	in.Protected = x.P.Yes("DisableApiTermination")
	in.StopGuard = x.P.Yes("DisableApiStop")
	in.OnShutdown = x.P.Or("InstanceInitiatedShutdownBehavior", "stop")
	in.Optimized = x.P.Yes("EbsOptimized")
	if err := marketOptions(x, in); err != nil {
		return nil, err
	}
	in.Monitoring = x.P.Yes("Monitoring.Enabled")
	in.Credit = x.P.Str("CreditSpecification.CpuCredits")
	var err error
	in.Metadata, err = readMetadata(x.P.At("MetadataOptions"),
		ec2.MetadataOpt{Tokens: "required", Endpoint: "enabled", Hops: 2, Tags: "disabled", IPv6: "disabled"})
	return in, err
}

func checkUserData(text string) error {
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return wire.Failf("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.")
	}
	if len(plain) > 16<<10 {
		return wire.Failf("InvalidParameterValue", "User data is limited to 16384 bytes")
	}
	return nil
}

// profileARN names an instance profile. Every name is taken for one that exists, as that of one that
// was made elsewhere.
func profileARN(p *wire.Params) string {
	if arn := p.Str("Arn"); arn != "" {
		return arn
	}
	if name := p.Str("Name"); name != "" {
		return "arn:aws:iam::" + wire.Account + ":instance-profile/" + name
	}
	return ""
}

// readMetadata reads the options of the metadata service over those that hold
// already. Amazon Linux 2023 images ask for IMDSv2 and two hops ("Configure
// the instance metadata options").
func readMetadata(p *wire.Params, m ec2.MetadataOpt) (ec2.MetadataOpt, error) {
	m.Tokens = p.Or("HttpTokens", m.Tokens)
	m.Endpoint = p.Or("HttpEndpoint", m.Endpoint)
	m.Tags = p.Or("InstanceMetadataTags", m.Tags)
	m.IPv6 = p.Or("HttpProtocolIpv6", m.IPv6)
	var err error
	if m.Hops, err = p.Num("HttpPutResponseHopLimit", m.Hops); err != nil {
		return m, err
	}
	switch {
	case m.Tokens != "required" && m.Tokens != "optional":
		return m, wire.BadValue(m.Tokens, "HttpTokens", "It must be optional or required.")
	case m.Endpoint != "enabled" && m.Endpoint != "disabled":
		return m, wire.BadValue(m.Endpoint, "HttpEndpoint", "It must be enabled or disabled.")
	case m.Hops < 1 || m.Hops > 64:
		return m, wire.BadValue(strconv.Itoa(m.Hops), "HttpPutResponseHopLimit", "It must be from 1 to 64.")
	}
	return m, nil
}

// reservationAgain answers a repeated call with what the first one made; only
// the state may differ.
func reservationAgain(x *core.Exchange, made []string) (any, error) {
	var list []*ec2.Instance
	for _, id := range made {
		in, ok := core.Find[*ec2.Instance](x.Tx, x.Region, id)
		if !ok || in.Dead() {
			return nil, wire.Failf("IdempotentInstanceTerminated",
				"The request to launch an instance uses the same client token as a previous request for which the instance %s "+
					"has been terminated.", id)
		}
		list = append(list, in)
	}
	return reservationOf(x, list, false), nil
}

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
			return wire.Failf("InvalidParameterCombination",
				"Only a persistent Spot Instance request can stop or hibernate its instance.")
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
			disks = append(disks, disk{volume: volume{
				Size: v.Size, Type: v.Type, IOPS: v.IOPS, Throughput: v.Throughput,
				Encrypted: v.Encrypted, KMS: v.KMS, Snapshot: v.Snapshot,
			}, device: v.Attached.Device, kill: true})
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
			return nil, wire.Failf("InvalidSpotInstanceRequestID.NotFound", "The spot instance request ID '%s' does not exist",
				id)
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
