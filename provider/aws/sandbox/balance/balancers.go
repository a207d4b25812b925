package balance

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/dns"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlELBZone struct{ ZoneName, SubnetId string }

type xmlBalancer struct {
	LoadBalancerArn, LoadBalancerName, DNSName, CanonicalHostedZoneId, Scheme, Type, VpcId string
	CreatedTime                                                                            time.Time
	State                                                                                  struct{ Code string }
	Zones                                                                                  []xmlELBZone `xml:"AvailabilityZones>member"`
	Groups                                                                                 []string     `xml:"SecurityGroups>member"`
}

func viewBalancer(x *core.Exchange, b *loadBalancer) xmlBalancer {
	out := xmlBalancer{
		LoadBalancerArn: b.ID, LoadBalancerName: b.Name, Scheme: b.Scheme, Type: b.Type, VpcId: b.VPC, CreatedTime: b.Made,
		Groups:                b.Groups,
		DNSName:               b.Name + "-" + strconv.Itoa(int(b.Seq)) + "." + x.Region + ".elb.amazonaws.com",
		CanonicalHostedZoneId: dns.BalancerZone,
	}
	if b.Scheme == "internal" {
		out.DNSName = "internal-" + out.DNSName
	}
	out.State.Code = b.Life.At(x.Now)
	for _, id := range b.Subnets {
		if s, ok := core.Find[*network.Subnet](x.Tx, x.Region, id); ok {
			out.Zones = append(out.Zones, xmlELBZone{s.AZ, id})
		}
	}
	return out
}

// fresh ARNs end in 16 digits that no other has.
func elbBase(x *core.Exchange, path string) core.Base {
	b := x.Tx.Fresh("", x.Region)
	b.ID = "arn:aws:elasticloadbalancing:" + x.Region + ":" + wire.Account + ":" + path + "/" + b.ID[1:17]
	return b
}

var elbNames = wire.Late(`^[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$`)

func elbName(name string) error {
	if !elbNames.MatchString(name) {
		return wire.Failf("ValidationError",
			"The name '%s' can only contain characters that are alphanumeric characters and hyphens(-), at most 32", name)
	}
	return nil
}

func elbTags(x *core.Exchange) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range x.P.Items("Tags.member") {
		tags[t.Str("Key")] = t.Str("Value")
	}
	return tags, core.CheckTags(tags)
}

// readBalancerNetwork reads the subnets: of one network, each in a zone of its own, and two for an application
// load balancer (ELB API reference: CreateLoadBalancer).
func readBalancerNetwork(x *core.Exchange, b *loadBalancer) error {
	b.Subnets, b.VPC = x.P.Strs("Subnets.member"), ""
	zones := map[string]bool{}
	for _, id := range b.Subnets {
		s, ok := core.Find[*network.Subnet](x.Tx, x.Region, id)
		switch {
		case !ok:
			return wire.Failf("SubnetNotFound", "The subnet ID '%s' does not exist", id)
		case b.VPC != "" && b.VPC != s.VPC:
			return wire.Failf("InvalidSubnet", "All subnets must belong to the same VPC")
		case zones[s.AZ]:
			return wire.Failf("InvalidConfigurationRequest",
				"A load balancer cannot be attached to multiple subnets in the same Availability Zone")
		}
		b.VPC, zones[s.AZ] = s.VPC, true
	}
	switch {
	case len(zones) == 0:
		return wire.Failf("ValidationError", "At least one subnet must be specified")
	case b.Type == "application" && len(zones) < 2:
		return wire.Failf("ValidationError", "At least two subnets in two different Availability Zones must be specified")
	case b.Scheme != "internal" && !hasGateway(x, b.VPC):
		return wire.Failf("InvalidSubnet", "VPC %s has no internet gateway", b.VPC)
	}
	return nil
}

func hasGateway(x *core.Exchange, vpcID string) bool {
	return slices.ContainsFunc(core.List[*network.InternetGateway](x.Tx, x.Region), func(g *network.InternetGateway) bool {
		return g.VPC == vpcID
	})
}

func readBalancerGroups(x *core.Exchange, b *loadBalancer) error {
	b.Groups = x.P.Strs("SecurityGroups.member")
	for _, id := range b.Groups {
		if g, ok := core.Find[*network.SecurityGroup](x.Tx, x.Region, id); !ok || g.VPC != b.VPC {
			return wire.Failf("InvalidSecurityGroup", "One or more security groups are invalid")
		}
	}
	if len(b.Groups) == 0 && b.Type == "application" {
		for _, g := range core.List[*network.SecurityGroup](x.Tx, x.Region) {
			if g.VPC == b.VPC && g.Name == "default" {
				b.Groups = []string{g.ID}
			}
		}
	}
	return nil
}

type manyBalancers struct {
	List   []xmlBalancer `xml:"LoadBalancers>member"`
	Marker *string       `xml:"NextMarker"`
}

// createBalancer takes a second call with the same settings for the first one (ELB API reference:
// CreateLoadBalancer is idempotent), tags apart.
func createBalancer(x *core.Exchange) (any, error) {
	b := &loadBalancer{
		Name: x.P.Str("Name"), Type: x.P.Or("Type", "application"),
		Scheme: x.P.Or("Scheme", "internet-facing"),
	}
	if err := elbName(b.Name); err != nil {
		return nil, err
	}
	if err := readBalancerNetwork(x, b); err != nil {
		return nil, err
	}
	if err := readBalancerGroups(x, b); err != nil {
		return nil, err
	}
	tags, err := elbTags(x)
	if err != nil {
		return nil, err
	}
	for _, o := range core.List[*loadBalancer](x.Tx, x.Region) {
		if o.Name != b.Name {
			continue
		}
		if o.Type != b.Type || o.Scheme != b.Scheme || !slices.Equal(o.Subnets, b.Subnets) ||
			!slices.Equal(o.Groups, b.Groups) {
			return nil, wire.Failf("DuplicateLoadBalancerName",
				"A load balancer with the same name '%s' exists, but with different settings", b.Name)
		}
		return manyBalancers{List: []xmlBalancer{viewBalancer(x, o)}}, nil
	}
	short := map[string]string{"application": "app", "network": "net"}[b.Type]
	b.Base = elbBase(x, "loadbalancer/"+short+"/"+b.Name)
	b.Tags, b.Life = tags, core.Through(x.Now, x.Settle, "active", "provisioning")
	x.Tx.Put(b)
	return manyBalancers{List: []xmlBalancer{viewBalancer(x, b)}}, nil
}

func balancer(x *core.Exchange, arn string) (*loadBalancer, error) {
	b, ok := core.Find[*loadBalancer](x.Tx, x.Region, arn)
	if !ok {
		return nil, wire.Failf("LoadBalancerNotFound", "Load balancer '%s' not found", arn)
	}
	return b, nil
}

// chosen are the rows of a list that are named by ARN or name, or all of them.
func chosen[T core.Entity](x *core.Exchange, arns, code string, nameOf func(T) string) ([]T, error) {
	all := core.List[T](x.Tx, x.Region)
	ids, names := x.P.Strs(arns), x.P.Strs("Names.member")
	if len(ids)+len(names) == 0 {
		return all, nil
	}
	rows := slices.DeleteFunc(all, func(e T) bool {
		return !slices.Contains(ids, e.Meta().ID) && !slices.Contains(names, nameOf(e))
	})
	if len(rows) < len(ids)+len(names) {
		return nil, wire.Failf(code, "One or more of %v not found", append(ids, names...))
	}
	return rows, nil
}

// elbPage cuts a page: 400 at most (ELB API reference: PageSize).
func elbPage[T core.Entity](x *core.Exchange, all []T) ([]T, *string, error) {
	size, err := x.P.Num("PageSize", 400)
	if err != nil {
		return nil, nil, err
	}
	if size < 1 || size > 400 {
		return nil, nil, wire.Failf("ValidationError", "Page size must be between 1 and 400")
	}
	rows, next, ok := core.Cut(all, x.P.Str("Marker"), size)
	switch {
	case !ok:
		return nil, nil, wire.Failf("ValidationError", "Invalid marker")
	case next == "":
		return rows, nil, nil
	}
	return rows, &next, nil
}

func describeBalancers(x *core.Exchange) (any, error) {
	all, err := chosen(x, "LoadBalancerArns.member", "LoadBalancerNotFound", func(b *loadBalancer) string {
		return b.Name
	})
	if err != nil {
		return nil, err
	}
	rows, next, err := elbPage(x, all)
	if err != nil {
		return nil, err
	}
	out := manyBalancers{Marker: next}
	for _, b := range rows {
		out.List = append(out.List, viewBalancer(x, b))
	}
	return out, nil
}

// deleteBalancer deletes its listeners too; one that does not exist is no error (ELB API reference:
// DeleteLoadBalancer).
func deleteBalancer(x *core.Exchange) (any, error) {
	b, err := balancer(x, x.P.Str("LoadBalancerArn"))
	if err != nil {
		return struct{}{}, nil
	}
	for _, l := range listeners(x, b.ID) {
		x.Tx.Drop(l)
	}
	x.Tx.Drop(b)
	return struct{}{}, nil
}

func changeBalancer(x *core.Exchange, change func(*loadBalancer) error) (any, error) {
	b, err := balancer(x, x.P.Str("LoadBalancerArn"))
	if err != nil {
		return nil, err
	}
	n := *b
	if err := change(&n); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return struct{}{}, nil
}

func setSubnets(x *core.Exchange) (any, error) {
	return changeBalancer(x, func(b *loadBalancer) error { return readBalancerNetwork(x, b) })
}

func setGroups(x *core.Exchange) (any, error) {
	return changeBalancer(x, func(b *loadBalancer) error { return readBalancerGroups(x, b) })
}

// elbTagged finds what an ARN names.
func elbTagged(x *core.Exchange, arn string) (core.Entity, error) {
	named := ""
	if m := elbARN.FindStringSubmatch(arn); m != nil {
		named = map[string]string{
			"loadbalancer": "load-balancer", "targetgroup": "target-group", "listener": "listener",
		}[m[1]]
	}
	for kind, code := range map[string]string{
		"load-balancer": "LoadBalancerNotFound",
		"target-group":  "TargetGroupNotFound", "listener": "ListenerNotFound",
	} {
		if e := x.Tx.St.Table(kind, x.Region).Get(arn); e != nil && !x.Tx.Unread(e) {
			return e, nil
		} else if named == kind {
			return nil, wire.Failf(code, "One or more resources not found: '%s'", arn)
		}
	}
	return nil, wire.Failf("ValidationError", "'%s' is not a valid ARN", arn)
}

var elbARN = wire.Late(`^arn:aws:elasticloadbalancing:[a-z0-9-]+:\d{12}:([a-z]+)/`)

func elbRetag(x *core.Exchange, change func(map[string]string)) (any, error) {
	for _, arn := range x.P.Strs("ResourceArns.member") {
		e, err := elbTagged(x, arn)
		if err != nil {
			return nil, err
		}
		if err := x.ChangeTags(e, change); err != nil {
			return nil, err
		}
	}
	return struct{}{}, nil
}

func addELBTags(x *core.Exchange) (any, error) {
	tags, err := elbTags(x)
	if err != nil {
		return nil, err
	}
	return elbRetag(x, func(have map[string]string) { maps.Copy(have, tags) })
}

func removeELBTags(x *core.Exchange) (any, error) {
	keys := x.P.Strs("TagKeys.member")
	return elbRetag(x, func(have map[string]string) {
		for _, k := range keys {
			delete(have, k)
		}
	})
}

type xmlELBTagged struct {
	ResourceArn string
	Tags        []core.IAMTag `xml:"Tags>member"`
}

// describeELBTags: 20 resources at most.
func describeELBTags(x *core.Exchange) (any, error) {
	arns := x.P.Strs("ResourceArns.member")
	if len(arns) > 20 {
		return nil, wire.Failf("ValidationError", "Cannot have more than 20 resources described")
	}
	var out []xmlELBTagged
	for _, arn := range arns {
		e, err := elbTagged(x, arn)
		if err != nil {
			return nil, err
		}
		out = append(out, xmlELBTagged{arn, core.IAMTagList(e.Meta().Tags)})
	}
	return struct {
		List []xmlELBTagged `xml:"TagDescriptions>member"`
	}{out}, nil
}
