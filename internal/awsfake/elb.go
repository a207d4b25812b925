package awsfake

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

type xmlELBZone struct{ ZoneName, SubnetId string }

type xmlBalancer struct {
	LoadBalancerArn, LoadBalancerName, DNSName, CanonicalHostedZoneId, Scheme, Type, VpcId string
	CreatedTime                                                                            time.Time
	State                                                                                  struct{ Code string }
	Zones                                                                                  []xmlELBZone `xml:"AvailabilityZones>member"`
	Groups                                                                                 []string     `xml:"SecurityGroups>member"`
}

func viewBalancer(x *exchange, b *loadBalancer) xmlBalancer {
	out := xmlBalancer{
		LoadBalancerArn: b.ID, LoadBalancerName: b.Name, Scheme: b.Scheme, Type: b.Type, VpcId: b.VPC, CreatedTime: b.Made, Groups: b.Groups,
		DNSName: b.Name + "-" + strconv.Itoa(int(b.Seq)) + "." + x.Region + ".elb.amazonaws.com", CanonicalHostedZoneId: balancerZone,
	}
	if b.Scheme == "internal" {
		out.DNSName = "internal-" + out.DNSName
	}
	out.State.Code = b.Life.at(x.now)
	for _, id := range b.Subnets {
		if s, ok := find[*subnet](x.tx, x.Region, id); ok {
			out.Zones = append(out.Zones, xmlELBZone{s.AZ, id})
		}
	}
	return out
}

// fresh ARNs end in 16 digits that no other has.
func elbBase(x *exchange, path string) base {
	b := x.tx.fresh("", x.Region)
	b.ID = "arn:aws:elasticloadbalancing:" + x.Region + ":" + Account + ":" + path + "/" + b.ID[1:17]
	return b
}

var elbNames = late(`^[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?$`)

func elbName(name string) error {
	if !elbNames.MatchString(name) {
		return failf("ValidationError", "The name '%s' can only contain characters that are alphanumeric characters and hyphens(-), at most 32", name)
	}
	return nil
}

func elbTags(x *exchange) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range x.p.items("Tags.member") {
		tags[t.str("Key")] = t.str("Value")
	}
	return tags, checkTags(tags)
}

// readBalancerNetwork reads the subnets: of one network, each in a zone of its own, and two for an application
// load balancer (ELB API reference: CreateLoadBalancer).
func readBalancerNetwork(x *exchange, b *loadBalancer) error {
	b.Subnets, b.VPC = x.p.strs("Subnets.member"), ""
	zones := map[string]bool{}
	for _, id := range b.Subnets {
		s, ok := find[*subnet](x.tx, x.Region, id)
		switch {
		case !ok:
			return failf("SubnetNotFound", "The subnet ID '%s' does not exist", id)
		case b.VPC != "" && b.VPC != s.VPC:
			return failf("InvalidSubnet", "All subnets must belong to the same VPC")
		case zones[s.AZ]:
			return failf("InvalidConfigurationRequest", "A load balancer cannot be attached to multiple subnets in the same Availability Zone")
		}
		b.VPC, zones[s.AZ] = s.VPC, true
	}
	switch {
	case len(zones) == 0:
		return failf("ValidationError", "At least one subnet must be specified")
	case b.Type == "application" && len(zones) < 2:
		return failf("ValidationError", "At least two subnets in two different Availability Zones must be specified")
	case b.Scheme != "internal" && !hasGateway(x, b.VPC):
		return failf("InvalidSubnet", "VPC %s has no internet gateway", b.VPC)
	}
	return nil
}

func hasGateway(x *exchange, vpcID string) bool {
	return slices.ContainsFunc(list[*internetGateway](x.tx, x.Region), func(g *internetGateway) bool { return g.VPC == vpcID })
}

func readBalancerGroups(x *exchange, b *loadBalancer) error {
	b.Groups = x.p.strs("SecurityGroups.member")
	for _, id := range b.Groups {
		if g, ok := find[*securityGroup](x.tx, x.Region, id); !ok || g.VPC != b.VPC {
			return failf("InvalidSecurityGroup", "One or more security groups are invalid")
		}
	}
	if len(b.Groups) == 0 && b.Type == "application" {
		for _, g := range list[*securityGroup](x.tx, x.Region) {
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
func createBalancer(x *exchange) (any, error) {
	b := &loadBalancer{Name: x.p.str("Name"), Type: x.p.or("Type", "application"), Scheme: x.p.or("Scheme", "internet-facing")}
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
	for _, o := range list[*loadBalancer](x.tx, x.Region) {
		if o.Name != b.Name {
			continue
		}
		if o.Type != b.Type || o.Scheme != b.Scheme || !slices.Equal(o.Subnets, b.Subnets) || !slices.Equal(o.Groups, b.Groups) {
			return nil, failf("DuplicateLoadBalancerName", "A load balancer with the same name '%s' exists, but with different settings", b.Name)
		}
		return manyBalancers{List: []xmlBalancer{viewBalancer(x, o)}}, nil
	}
	short := map[string]string{"application": "app", "network": "net"}[b.Type]
	b.base = elbBase(x, "loadbalancer/"+short+"/"+b.Name)
	b.Tags, b.Life = tags, through(x.now, x.settle, "active", "provisioning")
	x.tx.put(b)
	return manyBalancers{List: []xmlBalancer{viewBalancer(x, b)}}, nil
}

func balancer(x *exchange, arn string) (*loadBalancer, error) {
	b, ok := find[*loadBalancer](x.tx, x.Region, arn)
	if !ok {
		return nil, failf("LoadBalancerNotFound", "Load balancer '%s' not found", arn)
	}
	return b, nil
}

// chosen are the rows of a list that are named by ARN or name, or all of them.
func chosen[T entity](x *exchange, arns, code string, nameOf func(T) string) ([]T, error) {
	all := list[T](x.tx, x.Region)
	ids, names := x.p.strs(arns), x.p.strs("Names.member")
	if len(ids)+len(names) == 0 {
		return all, nil
	}
	rows := slices.DeleteFunc(all, func(e T) bool { return !slices.Contains(ids, e.meta().ID) && !slices.Contains(names, nameOf(e)) })
	if len(rows) < len(ids)+len(names) {
		return nil, failf(code, "One or more of %v not found", append(ids, names...))
	}
	return rows, nil
}

// elbPage cuts a page: 400 at most (ELB API reference: PageSize).
func elbPage[T entity](x *exchange, all []T) ([]T, *string, error) {
	size, err := x.p.num("PageSize", 400)
	if err != nil {
		return nil, nil, err
	}
	if size < 1 || size > 400 {
		return nil, nil, failf("ValidationError", "Page size must be between 1 and 400")
	}
	rows, next, ok := cut(all, x.p.str("Marker"), size)
	switch {
	case !ok:
		return nil, nil, failf("ValidationError", "Invalid marker")
	case next == "":
		return rows, nil, nil
	}
	return rows, &next, nil
}

func describeBalancers(x *exchange) (any, error) {
	all, err := chosen(x, "LoadBalancerArns.member", "LoadBalancerNotFound", func(b *loadBalancer) string { return b.Name })
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
func deleteBalancer(x *exchange) (any, error) {
	b, err := balancer(x, x.p.str("LoadBalancerArn"))
	if err != nil {
		return struct{}{}, nil
	}
	for _, l := range listeners(x, b.ID) {
		x.tx.drop(l)
	}
	x.tx.drop(b)
	return struct{}{}, nil
}

func changeBalancer(x *exchange, change func(*loadBalancer) error) (any, error) {
	b, err := balancer(x, x.p.str("LoadBalancerArn"))
	if err != nil {
		return nil, err
	}
	n := *b
	if err := change(&n); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return struct{}{}, nil
}

func setSubnets(x *exchange) (any, error) {
	return changeBalancer(x, func(b *loadBalancer) error { return readBalancerNetwork(x, b) })
}

func setGroups(x *exchange) (any, error) {
	return changeBalancer(x, func(b *loadBalancer) error { return readBalancerGroups(x, b) })
}

// elbTagged finds what an ARN names.
func elbTagged(x *exchange, arn string) (entity, error) {
	for kind, code := range map[string]string{"load-balancer": "LoadBalancerNotFound", "target-group": "TargetGroupNotFound", "listener": "ListenerNotFound"} {
		if e := x.tx.st.table(kind, x.Region).get(arn); e != nil && !x.tx.unread(e) {
			return e, nil
		} else if elbKind(arn) == kind {
			return nil, failf(code, "One or more resources not found: '%s'", arn)
		}
	}
	return nil, failf("ValidationError", "'%s' is not a valid ARN", arn)
}

var elbARN = late(`^arn:aws:elasticloadbalancing:[a-z0-9-]+:\d{12}:([a-z]+)/`)

func elbKind(arn string) string {
	m := elbARN.FindStringSubmatch(arn)
	if m == nil {
		return ""
	}
	return map[string]string{"loadbalancer": "load-balancer", "targetgroup": "target-group", "listener": "listener"}[m[1]]
}

func elbRetag(x *exchange, change func(map[string]string)) (any, error) {
	for _, arn := range x.p.strs("ResourceArns.member") {
		e, err := elbTagged(x, arn)
		if err != nil {
			return nil, err
		}
		if err := x.changeTags(e, change); err != nil {
			return nil, err
		}
	}
	return struct{}{}, nil
}

func addELBTags(x *exchange) (any, error) {
	tags, err := elbTags(x)
	if err != nil {
		return nil, err
	}
	return elbRetag(x, func(have map[string]string) { maps.Copy(have, tags) })
}

func removeELBTags(x *exchange) (any, error) {
	keys := x.p.strs("TagKeys.member")
	return elbRetag(x, func(have map[string]string) {
		for _, k := range keys {
			delete(have, k)
		}
	})
}

type xmlELBTagged struct {
	ResourceArn string
	Tags        []xmlIAMTag `xml:"Tags>member"`
}

// describeELBTags: 20 resources at most.
func describeELBTags(x *exchange) (any, error) {
	arns := x.p.strs("ResourceArns.member")
	if len(arns) > 20 {
		return nil, failf("ValidationError", "Cannot have more than 20 resources described")
	}
	var out []xmlELBTagged
	for _, arn := range arns {
		e, err := elbTagged(x, arn)
		if err != nil {
			return nil, err
		}
		out = append(out, xmlELBTagged{arn, iamTagList(e.meta().Tags)})
	}
	return struct {
		List []xmlELBTagged `xml:"TagDescriptions>member"`
	}{out}, nil
}
