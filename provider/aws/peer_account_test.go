package aws_test

import (
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

const (
	theirs     = "222222222222"
	theirGroup = "sg-0fedcba9876543210"
)

// peersOf are the accounts and IDs of the groups that the inbound rules of a group name.
func (w *liveState) peersOf(group string) (out []string) {
	w.t.Helper()
	all := must[*ec2.DescribeSecurityGroupsOutput](w.t)(w.ec2().DescribeSecurityGroups(w.t.Context(), &ec2.DescribeSecurityGroupsInput{GroupIds: []string{group}}))
	for _, p := range all.SecurityGroups[0].IpPermissions {
		for _, u := range p.UserIdGroupPairs {
			out = append(out, sdk.ToString(u.UserId)+" "+sdk.ToString(u.GroupId))
		}
	}
	return out
}

func TestAGroupWithPeersInAnotherAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	own := s.make(desired(t, "security_group", "own", values{"vpc": text(s.vpc)})).ID
	with := func(rules ...resource.Value) resource.Desired {
		return desired(t, "security_group", "web", values{"vpc": text(s.vpc), "ingress": resource.List(rules)})
	}
	one := rule("port", 443, "security_group", theirGroup, "account", theirs)
	d := with(one, rule("port", 80, "security_group", own))
	o := s.created(d)
	if got := s.peersOf(o.ID); len(got) != 2 || got[0] != theirs+" "+theirGroup || got[1] != sandbox.Account+" "+own {
		t.Errorf("peers %v", got)
	}
	if list, _ := attr(o, "ingress").(resource.List); !containsValue(list, one.With("protocol", text("tcp"))) {
		t.Errorf("observed %v", list)
	}

	// The ID is enough: without the account, and with that of the group itself, it is the same rule.
	for _, same := range []resource.Desired{
		with(rule("port", 443, "security_group", theirGroup), rule("port", 80, "security_group", own, "account", sandbox.Account)),
	} {
		if c := changes(t, same, o, nil); len(c) > 0 {
			t.Errorf("%+v", c)
		}
		revoked := s.count("ec2.RevokeSecurityGroupIngress")
		more := with(append(same.Attrs.List("ingress"), rule("port", 22, "cidr", "10.0.0.0/8"))...)
		s.mustUpdate(more, o, nil)
		o = s.settled(more, nil)
		if n := s.count("ec2.RevokeSecurityGroupIngress") - revoked; n > 0 || len(s.peersOf(o.ID)) != 2 {
			t.Errorf("%d rules revoked for an account that is not compared; peers %v", n, s.peersOf(o.ID))
		}
	}
	none := with()
	s.mustUpdate(none, o, nil)
	s.settled(none, nil)
}

func containsValue(list resource.List, v resource.Value) bool {
	for _, x := range list {
		if resource.Equal(x, v) {
			return true
		}
	}
	return false
}

func TestARuleWithAPeerInAnotherAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	group := s.make(desired(t, "security_group", "apart", values{"vpc": text(s.vpc), "separate_rules": resource.Bool(true)})).ID
	d := ruleIn(t, "https", group, values{"port": resource.Int(443), "peer_group": text(theirGroup), "account": text(theirs)})
	o := s.created(d)
	if got := s.peersOf(group); len(got) != 1 || got[0] != theirs+" "+theirGroup {
		t.Errorf("peers %v", got)
	}
	if attr(o, "account") != text(theirs) {
		t.Errorf("observed %v", o.Attrs)
	}
	d = ruleIn(t, "https", group, values{"port": resource.Int(8443), "peer_group": text(theirGroup), "account": text(theirs), "description": text("from theirs")})
	s.mustUpdate(d, o, nil)
	o = s.settled(d, nil)
	if got := s.peersOf(group); len(got) != 1 || got[0] != theirs+" "+theirGroup {
		t.Errorf("peers after a change %v", got)
	}
	bare := ruleIn(t, "https", group, values{"port": resource.Int(8443), "peer_group": text(theirGroup), "description": text("from theirs")})
	if c := changes(t, bare, o, bare.Attrs); len(c) > 0 {
		t.Errorf("without the account: %+v", c)
	}
	if err := s.remove(o); err != nil {
		t.Fatal(err)
	}
}

func TestAccountsOfPeersWithMistakes(t *testing.T) {
	for name, r := range map[string]resource.Attrs{
		"no group":     rule("port", 443, "cidr", "10.0.0.0/8", "account", theirs),
		"a group here": rule("port", 443, "account", theirs).With("security_group", resource.Reference{Ref: ref("security_group", "web")}),
		"no account":   rule("port", 443, "security_group", theirGroup, "account", "ours"),
	} {
		_, problems := resource.Check(kindOf(t, "security_group"), resource.AttrsOf(values{"ingress": resource.List{r}}))
		if len(problems) != 1 || problems[0].Path != "ingress[0].account" {
			t.Errorf("%s: %+v", name, problems)
		}
	}
	_, problems := resource.Check(kindOf(t, "security_group_rule"), resource.AttrsOf(values{"security_group": text(theirGroup), "port": resource.Int(1), "cidr": text("10.0.0.0/8"), "account": text(theirs)}))
	if len(problems) != 1 || problems[0].Path != "account" {
		t.Errorf("%+v", problems)
	}
}

// A rule that was revoked by hand, spelled with the account of the peer.
func TestARuleOfAnotherAccountIsSpelledWithIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	d := desired(t, "security_group", "web", values{"vpc": text(s.vpc), "ingress": resource.List{rule("port", 443, "security_group", theirGroup, "account", theirs)}})
	o := s.make(d)
	must[*ec2.RevokeSecurityGroupIngressOutput](t)(s.ec2().RevokeSecurityGroupIngress(t.Context(), &ec2.RevokeSecurityGroupIngressInput{
		GroupId: &o.ID, IpPermissions: []ec2types.IpPermission{{
			IpProtocol: sdk.String("tcp"), FromPort: sdk.Int32(443), ToPort: sdk.Int32(443),
			UserIdGroupPairs: []ec2types.UserIdGroupPair{{GroupId: sdk.String(theirGroup), UserId: sdk.String(theirs)}},
		}},
	}))
	o, _ = s.find(d.Ref)
	s.mustUpdate(d, o, nil)
	s.settled(d, nil)
}
