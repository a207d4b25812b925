package aws_test

import (
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func ruleIn(t *testing.T, name, group string, more values) resource.Desired {
	t.Helper()
	a := values{"security_group": text(group)}
	for k, v := range more {
		a[k] = v
	}
	return desired(t, "security_group_rule", name, a, "team", "web")
}

// A rule on a group that another hand made: the other rules are neither shown nor changed.
func TestARuleOfAGroupOfOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	group := *must[*ec2.CreateSecurityGroupOutput](t)(s.ec2().CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{GroupName: sdk.String("theirs"), Description: sdk.String("theirs"), VpcId: &s.vpc})).GroupId
	must[*ec2.AuthorizeSecurityGroupIngressOutput](t)(s.ec2().AuthorizeSecurityGroupIngress(t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{
		GroupId: &group, IpProtocol: sdk.String("tcp"), FromPort: sdk.Int32(22), ToPort: sdk.Int32(22), CidrIp: sdk.String("10.0.0.0/8"),
	}))
	d := ruleIn(t, "https", group, values{"port": resource.Int(443), "cidr": text("192.0.2.0/24"), "description": text("office")})
	s.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "ec2", Action: "AuthorizeSecurityGroupIngress", Times: 1})
	o := s.created(d)
	rules := 0
	for _, o := range s.observed().Resources {
		if o.Ref.Kind == "security_group_rule" && o.Reported() {
			rules++
		}
	}
	if rules != 1 {
		t.Errorf("%d rules are listed: those of the group are its own", rules)
	}
	d = ruleIn(t, "https", group, values{"from_port": resource.Int(8000), "to_port": resource.Int(8010), "protocol": text("udp"), "cidr": text("::/0")})
	o = s.mustUpdate(d, o, nil)
	s.settled(d, nil)

	same := ruleIn(t, "again", group, values{"port": resource.Int(22), "cidr": text("10.0.0.0/8")})
	for _, err := range []error{s.p.Check(t.Context(), s.request(same)), must2err(s.p.Create(t.Context(), s.request(same)))} {
		if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "is the same rule") {
			t.Errorf("a rule that exists: %v", errorText(err))
		}
	}
	for range 2 {
		if err := s.remove(o); err != nil {
			t.Errorf("delete: %v", errorText(err))
		}
	}
	out := must[*ec2.DescribeSecurityGroupsOutput](t)(s.ec2().DescribeSecurityGroups(t.Context(), &ec2.DescribeSecurityGroupsInput{GroupIds: []string{group}}))
	if n := len(out.SecurityGroups[0].IpPermissions); n != 1 {
		t.Errorf("the group has %d rules left", n)
	}
}

// A rule by hand is a resource of its own where the rules of the group are; anywhere else it is a part of the group. It
// is shown in full observations, and with a filter if it is on record.
func TestARuleByHandIsFoundToBeAdopted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	byHand := func(group string) string {
		out := must[*ec2.AuthorizeSecurityGroupIngressOutput](t)(s.ec2().AuthorizeSecurityGroupIngress(t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{
			GroupId: &group, IpProtocol: sdk.String("tcp"), FromPort: sdk.Int32(22), ToPort: sdk.Int32(22), CidrIp: sdk.String("10.0.0.0/8"),
		}))
		return *out.SecurityGroupRules[0].SecurityGroupRuleId
	}
	theirs := *must[*ec2.CreateSecurityGroupOutput](t)(s.ec2().CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{GroupName: sdk.String("theirs"), Description: sdk.String("theirs"), VpcId: &s.vpc})).GroupId
	full := s.make(desired(t, "security_group", "full", values{"vpc": text(s.vpc)})).ID
	apart := s.make(desired(t, "security_group", "apart", values{"vpc": text(s.vpc), "separate_rules": resource.Bool(true)})).ID
	s.make(ruleIn(t, "https", apart, values{"port": resource.Int(443), "cidr": text("192.0.2.0/24")}))
	reported := map[string]bool{byHand(theirs): false, byHand(full): false, byHand(apart): true}
	seen := map[string]bool{}
	for _, o := range s.observed().Resources {
		if want, hand := reported[o.ID]; hand {
			seen[o.ID] = true
			if o.Reported() != want {
				t.Errorf("a rule of %v is reported: %v", o.Attrs, o.Reported())
			}
		}
	}
	if len(seen) != len(reported) {
		t.Errorf("%d of %d rules are shown", len(seen), len(reported))
	}
	for id := range reported {
		f := &provider.Filter{IDs: map[string][]string{"security_group_rule": {id, "sgr-0123456789abcdef0"}}}
		got := must[resource.Snapshot](t)(s.p.Observe(t.Context(), provider.ObserveRequest{Scope: regional, Kinds: []string{"security_group_rule"}, Filter: f}))
		if len(got.Resources) != 2 || got.Covers("security_group_rule") != nil || !slices.Equal(got.Filtered, []string{"security_group_rule"}) {
			t.Errorf("with a filter for %s: %d, %v", id, len(got.Resources), got.Filtered)
		}
	}
}

// A group that another stack manages has its rules from there.
func TestARuleOfAGroupOfAnotherStackIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	g := desired(t, "security_group", "web", values{"vpc": text(s.vpc)})
	g.Ref.Stack = "net"
	group := s.make(g).ID
	d := ruleIn(t, "https", group, values{"port": resource.Int(443), "cidr": text("192.0.2.0/24")})
	for _, err := range []error{s.p.Check(t.Context(), s.request(d)), must2err(s.p.Create(t.Context(), s.request(d)))} {
		if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "security_group/web of stack net") {
			t.Errorf("%v", errorText(err))
		}
	}
}

// A10c: two groups name each other, each in a rule of its own.
func TestA10cGroupsNameEachOther(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	apart := func(name string) resource.Desired {
		return desired(t, "security_group", name, values{"vpc": text(s.vpc), "separate_rules": resource.Bool(true)})
	}
	web, db := apart("web"), apart("db")
	one, two := s.created(web).ID, s.created(db).ID
	first := ruleIn(t, "web-from-db", one, values{"port": resource.Int(443), "peer_group": text(two)})
	second := ruleIn(t, "db-from-web", two, values{"port": resource.Int(5432), "peer_group": text(one)})
	out := ruleIn(t, "db-out", two, values{"direction": text("egress"), "protocol": text("all"), "cidr": text("10.0.0.0/8")})
	for _, d := range []resource.Desired{first, second, out} {
		s.created(d)
	}
	for _, d := range []resource.Desired{web, db} {
		s.settled(d, nil)
	}
	for _, d := range []resource.Desired{first, second, out, web, db} {
		o, _ := s.find(d.Ref)
		if err := s.remove(o); err != nil {
			t.Errorf("delete %s: %v", d.Ref, errorText(err))
		}
	}
}

func TestConfigurationsOfRules(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]values{
		"exactly one peer":     {"port": resource.Int(443)},
		"needs a port":         {"cidr": text("10.0.0.0/8")},
		"below from_port":      {"from_port": resource.Int(9), "to_port": resource.Int(8), "cidr": text("10.0.0.0/8")},
		"not a block of addre": {"port": resource.Int(443), "cidr": text("300.0.0.0/8")},
	} {
		a["security_group"] = text("sg-1")
		_, problems := resource.Check(kindOf(t, "security_group_rule"), resource.AttrsOf(a))
		if len(problems) != 1 || !strings.Contains(problems[0].Summary, want) {
			t.Errorf("%s: %+v", want, problems)
		}
	}
	_, problems := resource.Check(kindOf(t, "security_group"), resource.AttrsOf(values{"separate_rules": resource.Bool(true), "ingress": resource.List{rule("port", 443, "cidr", "0.0.0.0/0")}}))
	if len(problems) != 1 || !strings.Contains(problems[0].Summary, "no ingress of its own") {
		t.Errorf("both: %+v", problems)
	}
	whole, apart := desired(t, "security_group", "whole", values{}), desired(t, "security_group", "apart", values{"separate_rules": resource.Bool(true)})
	in := func(name string, g resource.Desired, peer resource.Value) *resource.Desired {
		a := values{"security_group": resource.Reference{Ref: g.Ref}, "port": resource.Int(443), "cidr": text("10.0.0.0/8")}
		if peer != nil {
			delete(a, "cidr")
			a["peer_group"] = peer
		}
		d := desired(t, "security_group_rule", name, a)
		return &d
	}
	found := kindOf(t, "security_group_rule").CrossCheck([]*resource.Desired{in("a", whole, nil), in("b", apart, nil), in("c", apart, nil), in("d", apart, resource.Reference{Ref: apart.Ref})}, func(r resource.Ref) *resource.Desired {
		switch r {
		case whole.Ref:
			return &whole
		case apart.Ref:
			return &apart
		}
		return nil
	})
	var got []string
	for _, f := range found {
		got = append(got, f.Ref.Name+" "+f.Summary)
	}
	slices.Sort(got)
	want := []string{
		"a security_group/whole holds all of its rules itself, and would remove this one",
		"c duplicate rule: it is security_group_rule/b too",
		"d the peer is the group itself",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAnEndpointHoldsItsSubnetUntilItIsGone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	inside := func(more values) resource.Desired {
		a := values{"vpc": text(s.vpc), "service": text("com.amazonaws.us-east-1.logs"), "endpoint_type": text("interface"), "subnets": list(s.a)}
		for k, v := range more {
			a[k] = v
		}
		return desired(t, "vpc_endpoint", "logs", a, "team", "net")
	}
	d := inside(nil)
	if err := s.p.Check(t.Context(), s.request(d)); !strings.Contains(errorText(err), "private DNS") {
		t.Errorf("private names in a VPC without them: %v", errorText(err))
	}
	d = inside(values{"private_dns": resource.Bool(false)})
	s.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "ec2", Action: "CreateVpcEndpoint", Times: 1})
	o := s.created(d)
	if name, _ := o.Attrs.Get("dns_name"); name == nil {
		t.Error("it has no name")
	}
	d = inside(values{"private_dns": resource.Bool(false), "subnets": list(s.a, s.b), "policy": text(endpointPolicy)})
	o = s.mustUpdate(d, o, nil)
	s.settled(d, nil)
	for range 2 {
		if err := s.remove(o); err != nil {
			t.Errorf("delete: %v", errorText(err))
		}
	}
	_, problems := resource.Check(kindOf(t, "vpc_endpoint"), resource.AttrsOf(values{"vpc": text("vpc-1"), "service": text("com.amazonaws.us-east-1.s3"), "subnets": list("subnet-1")}))
	if len(problems) != 1 || !strings.Contains(problems[0].Summary, "only an endpoint of the type interface has subnets") {
		t.Errorf("%+v", problems)
	}
	other := desired(t, "vpc_endpoint", "s3", values{"vpc": text("vpc-1"), "service": text("com.amazonaws.eu-west-1.s3")})
	if found := kindOf(t, "vpc_endpoint").CrossCheck([]*resource.Desired{&other}, func(resource.Ref) *resource.Desired { return nil }); len(found) != 1 || found[0].Suggestion != "use com.amazonaws.us-east-1.s3" {
		t.Errorf("a service of another region: %+v", found)
	}
}

func TestADatabaseHasItsParameterGroup(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	group := func(name string, set resource.Value) resource.Desired {
		return desired(t, "db_parameter_group", name, values{"family": text("postgres17"), "parameters": set}, "team", "data")
	}
	d := group("data", object("MAX_connections", "200", "work_mem", "4096"))
	o := w.created(d)
	d = group("data", object("work_mem", "8192"))
	o = w.mustUpdate(d, o, nil)
	w.settled(d, nil)
	db := func(name string) resource.Desired {
		return desired(t, "rds", "db", values{"size": text("db.t3.micro"), "engine_version": text("17"), "parameter_group": text(name)})
	}
	at := w.make(db("data"))
	w.settled(db("data"), nil)
	if err := w.remove(o); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "rds/db") {
		t.Errorf("a group in use: %v", errorText(err))
	}
	w.created(group("other", object("max_connections", "100")))
	w.mustUpdate(db("other"), at, nil)
	w.settled(db("other"), nil)
	if err := w.remove(o); err != nil {
		t.Errorf("a free group: %v", errorText(err))
	}
}
