package awsfake

import (
	"encoding/base64"
	"slices"
	"strconv"
)

// runInstances makes one reservation (EC2 API reference: RunInstances).
func runInstances(x *exchange) (any, error) {
	if err := x.checkToken(); err != nil {
		return nil, err
	}
	if made, ok, err := x.remembered(); err != nil || ok {
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
	if free := freeAddresses(x, proto.Subnet); free < minimum {
		return nil, failf("InsufficientFreeAddressesInSubnet", "There are not enough free addresses in subnet '%s' to satisfy the requested number of instances.", proto.Subnet)
	} else if maximum > free {
		maximum = free
	}
	disks, err := launchDisks(x)
	if err != nil {
		return nil, err
	}
	tags, err := x.specTags("instance", "volume", "network-interface", "spot-instances-request")
	if err != nil {
		return nil, err
	}
	diskTags, err := x.specTags("volume", "instance", "network-interface", "spot-instances-request")
	if err != nil {
		return nil, err
	}
	reservation := x.tx.fresh("r-", x.Region).ID
	var made []*instance
	for i := range maximum {
		in := launch(x, *proto, reservation, i, tags)
		if slices.ContainsFunc(disks, func(d disk) bool { return keyWrong(x, &d.volume) }) {
			n := *in
			n.Life, n.Reason = through(x.now, x.settle, "terminated", "pending"), keyReason
			n.Until = n.Life.end().Add(x.keepDead)
			in = &n
			x.tx.put(in)
		} else {
			attachNew(x, in, disks, diskTags)
		}
		made = append(made, in)
	}
	x.remember(ids(made))
	return reservationOf(x, made, true), nil
}

// launch makes one instance from the prototype.
func launch(x *exchange, in instance, reservation string, index int, tags map[string]string) *instance {
	in.base = x.tx.fresh("i-", x.Region)
	in.Tags, in.Reservation, in.Index = tags, reservation, index
	in.Launched = x.now
	if in.Spot && in.Request == "" {
		in.Request = "sir-" + in.ID[len(in.ID)-8:]
	}
	in.Life = through(x.now, x.settle, "running", "pending")
	if in.Private == "" {
		in.Private = privateAddress(x, in.Subnet, in.Seq)
	}
	if in.WantsPublic {
		in.Public = publicAddress(in.Seq)
	}
	if in.Profile != "" {
		in.ProfileID = x.tx.fresh("iip-assoc-", x.Region).ID
	}
	made := &in
	x.tx.put(made)
	return made
}

func ids[T entity](list []T) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.meta().ID
	}
	return out
}

func launchCounts(x *exchange) (int, int, error) {
	lo, err := x.p.num("MinCount", 0)
	if err != nil {
		return 0, 0, err
	}
	hi, err := x.p.num("MaxCount", 0)
	switch {
	case err != nil:
		return 0, 0, err
	case !x.p.has("MinCount"):
		return 0, 0, missing("MinCount")
	case !x.p.has("MaxCount"):
		return 0, 0, missing("MaxCount")
	case lo < 1 || hi < lo:
		return 0, 0, failf("InvalidParameterValue", "Value (%d) for parameter MinCount or (%d) for MaxCount is invalid: at least 1, and MaxCount not below MinCount.", lo, hi)
	case hi > 1000:
		return 0, 0, failf("InstanceLimitExceeded", "You have requested more instances (%d) than your current limit of 1000 for one call allows.", hi)
	}
	return lo, hi, nil
}

var imageID = late(`^ami-([0-9a-f]{8}|[0-9a-f]{17})$`)

// launchSpec reads and checks all parameters of an instance.
func launchSpec(x *exchange) (*instance, error) {
	in := &instance{Token: x.p.str("ClientToken"), Image: x.p.str("ImageId"), Type: x.p.or("InstanceType", "m1.small"), Root: rootDevice, Tenancy: x.p.or("Placement.Tenancy", "default")}
	if err := checkImage(x, in.Image, in.Type); err != nil {
		return nil, err
	}
	if err := locationInstance(x, in); err != nil {
		return nil, err
	}
	if in.Key = x.p.str("KeyName"); in.Key != "" {
		if _, ok := find[*keyPair](x.tx, x.Region, in.Key); !ok {
			return nil, failf("InvalidKeyPair.NotFound", "The key pair '%s' does not exist", in.Key)
		}
	}
	in.UserData = x.p.str("UserData")
	if err := checkUserData(in.UserData); err != nil {
		return nil, err
	}
	in.Profile = profileARN(x.p.at("IamInstanceProfile"))
	in.Protected = x.p.yes("DisableApiTermination")
	in.StopGuard = x.p.yes("DisableApiStop")
	in.OnShutdown = x.p.or("InstanceInitiatedShutdownBehavior", "stop")
	in.Optimized = x.p.yes("EbsOptimized")
	if err := marketOptions(x, in); err != nil {
		return nil, err
	}
	in.Monitoring = x.p.yes("Monitoring.Enabled")
	in.Credit = x.p.str("CreditSpecification.CpuCredits")
	var err error
	in.Metadata, err = readMetadata(x.p.at("MetadataOptions"), metadataOpt{Tokens: "required", Endpoint: "enabled", Hops: 2, Tags: "disabled", IPv6: "disabled"})
	return in, err
}

func checkUserData(text string) error {
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return failf("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data.")
	}
	if len(plain) > 16<<10 {
		return failf("InvalidParameterValue", "User data is limited to 16384 bytes")
	}
	return nil
}

// profileARN names an instance profile. Every name is taken for one that exists, as that of one that
// was made elsewhere.
func profileARN(p *params) string {
	if arn := p.str("Arn"); arn != "" {
		return arn
	}
	if name := p.str("Name"); name != "" {
		return "arn:aws:iam::" + Account + ":instance-profile/" + name
	}
	return ""
}

// readMetadata reads the options of the metadata service over those that hold
// already. Amazon Linux 2023 images ask for IMDSv2 and two hops ("Configure
// the instance metadata options").
func readMetadata(p *params, m metadataOpt) (metadataOpt, error) {
	m.Tokens = p.or("HttpTokens", m.Tokens)
	m.Endpoint = p.or("HttpEndpoint", m.Endpoint)
	m.Tags = p.or("InstanceMetadataTags", m.Tags)
	m.IPv6 = p.or("HttpProtocolIpv6", m.IPv6)
	var err error
	if m.Hops, err = p.num("HttpPutResponseHopLimit", m.Hops); err != nil {
		return m, err
	}
	switch {
	case m.Tokens != "required" && m.Tokens != "optional":
		return m, badValue(m.Tokens, "HttpTokens", "It must be optional or required.")
	case m.Endpoint != "enabled" && m.Endpoint != "disabled":
		return m, badValue(m.Endpoint, "HttpEndpoint", "It must be enabled or disabled.")
	case m.Hops < 1 || m.Hops > 64:
		return m, badValue(strconv.Itoa(m.Hops), "HttpPutResponseHopLimit", "It must be from 1 to 64.")
	}
	return m, nil
}

// reservationAgain answers a repeated call with what the first one made; only
// the state may differ.
func reservationAgain(x *exchange, made []string) (any, error) {
	var list []*instance
	for _, id := range made {
		in, ok := find[*instance](x.tx, x.Region, id)
		if !ok || in.dead() {
			return nil, failf("IdempotentInstanceTerminated", "The request to launch an instance uses the same client token as a previous request for which the instance %s has been terminated.", id)
		}
		list = append(list, in)
	}
	return reservationOf(x, list, false), nil
}
