package aws_test

import (
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func networkOf(t *testing.T, more values) resource.Desired {
	t.Helper()
	a := values{"cidr": text("10.0.0.0/16")}
	for k, v := range more {
		a[k] = v
	}
	return desired(t, "vpc", "main", a)
}

// blocks is how many IPv6 blocks a VPC has, with those that it had.
func (w *liveState) blocks(vpc string) int {
	w.t.Helper()
	out := must[*ec2.DescribeVpcsOutput](w.t)(w.ec2().DescribeVpcs(w.t.Context(), &ec2.DescribeVpcsInput{VpcIds: []string{vpc}}))
	return len(out.Vpcs[0].Ipv6CidrBlockAssociationSet)
}

func attrOf(o resource.Observed, name string) string {
	v, _ := o.Attrs.Get(name)
	s, _ := v.(resource.String)
	return string(s)
}

func TestAVPCGetsIPv6AndGivesItUp(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	with, without := networkOf(t, values{"ipv6": resource.Bool(true)}), networkOf(t, values{"ipv6": resource.Bool(false)})
	o := w.make(with)
	first := attrOf(w.settled(with, nil), "ipv6_cidr")
	if !strings.HasSuffix(first, "::/56") || attrOf(o, "ipv6_cidr") != first {
		t.Errorf("its addresses are %q, and of the answer to create %q", first, attrOf(o, "ipv6_cidr"))
	}
	o = w.mustUpdate(without, o, nil)
	if c := attrOf(w.settled(without, nil), "ipv6_cidr"); c != "" {
		t.Errorf("it gave them up, and has %q", c)
	}
	o = w.mustUpdate(with, o, nil)
	if again := attrOf(o, "ipv6_cidr"); again == "" || again == first {
		t.Errorf("the addresses that it has instead of %s are %q", first, again)
	}
	if c := changes(t, networkOf(t, nil), w.settled(with, nil), nil); len(c) > 0 {
		t.Errorf("not configured, it stays as found: %+v", c)
	}
	if err := w.remove(o); err != nil {
		t.Fatal(err)
	}
}

// The call has no token, and a second block is not what anybody configured.
func TestALostAnswerGivesNoSecondIPv6Block(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"CreateVpc", "AssociateVpcCidrBlock", "DisassociateVpcCidrBlock"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			s := &site{liveState: newLiveState(t)}
			s.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "ec2", Action: call, Times: 1})
			d := networkOf(t, values{"ipv6": resource.Bool(true)})
			if call != "CreateVpc" {
				s.create(networkOf(t, nil))
				have, _ := s.find(d.Ref)
				s.retried(d, have)
			} else {
				s.create(d)
			}
			have := s.settled(d, nil)
			if n := s.blocks(have.ID); n != 1 {
				t.Errorf("%d blocks", n)
			}
			if call == "DisassociateVpcCidrBlock" {
				d = networkOf(t, values{"ipv6": resource.Bool(false)})
				s.retried(d, have)
				s.settled(d, nil)
			}
		})
	}
}

// retried updates as the engine does, which asks again with the same request.
func (w *liveState) retried(d resource.Desired, have resource.Observed) {
	w.t.Helper()
	r := w.request(d)
	r.Have, r.Changes = have, changes(w.t, d, have, nil)
	var err error
	for range 3 {
		if _, err = w.p.Update(w.t.Context(), r); err == nil {
			return
		}
	}
	w.t.Fatalf("update %s: %v", d.Ref, err)
}

// One that another hand gave it, after the plan was made, is enough.
func TestIPv6BlocksThatExistAreKept(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	have := w.make(networkOf(t, nil))
	must[*ec2.AssociateVpcCidrBlockOutput](t)(w.ec2().AssociateVpcCidrBlock(t.Context(), &ec2.AssociateVpcCidrBlockInput{VpcId: &have.ID, AmazonProvidedIpv6CidrBlock: sdk.Bool(true)}))
	d := networkOf(t, values{"ipv6": resource.Bool(true)})
	w.mustUpdate(d, have, nil)
	w.settled(d, nil)
	if n := w.blocks(have.ID); n != 1 {
		t.Errorf("%d blocks", n)
	}
}
