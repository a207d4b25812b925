package aws_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

func TestAFixedAddress(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	_, subnet := w.network()
	at := func(name, address string, more values) resource.Desired {
		a := values{"size": text("t3.micro"), "subnet": text(subnet.ID), "private_ip": text(address)}
		for k, v := range more {
			a[k] = v
		}
		return desired(t, "ec2", name, a)
	}
	d := at("web", "10.0.1.10", nil)
	o := w.created(d)
	if attr(o, "private_address") != text("10.0.1.10") {
		t.Errorf("its address is %v", attr(o, "private_address"))
	}
	w.created(at("vpn", "10.0.1.11", values{"public_ip": resource.Bool(true)})) // which is set on the network interface

	for address, want := range map[string]string{"10.0.1.10": "is in use", "10.0.1.3": "reserved", "10.0.1.255": "reserved", "10.0.2.9": "does not fall within"} {
		err := w.p.Check(t.Context(), w.request(at("other", address, nil)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", address, err)
		}
		if taken := provider.CauseOf(err) == provider.InUse; taken != (want == "is in use") || taken && !strings.Contains(errorText(err), "use another private_ip") {
			t.Errorf("%s: %s: %v", address, provider.CauseOf(err), errorText(err))
		}
	}

	// One that keeps its address is in the way of the one that replaces it, and so is deleted first.
	strategies := kindOf(t, "ec2").Strategies
	moved := at("web", "10.0.1.12", nil)
	if c := changes(t, moved, o, nil); len(c) != 1 || c[0].Effect != resource.Replace {
		t.Errorf("another address: %+v", c)
	}
	if got := strategies(moved, o); got[0] != resource.CreateFirst {
		t.Errorf("another address: %v", got)
	}
	keyed := at("web", "10.0.1.10", values{"image": text("ami-0123456789abcdef0")})
	if got := strategies(keyed, o); len(got) != 1 || got[0] != resource.DestroyFirst {
		t.Errorf("the same address: %v", got)
	}
	r := w.request(d)
	r.Have = o
	if err := w.p.Check(t.Context(), r); err != nil {
		t.Errorf("the instance to be replaced is in the way of itself: %v", err)
	}
	if err := w.remove(o); err != nil {
		t.Fatal(err)
	}
	w.make(d)
	w.settled(d, nil)
	free := w.make(desired(t, "ec2", "free", values{"size": text("t3.micro"), "subnet": text(subnet.ID)}))
	if got := strategies(desired(t, "ec2", "free", values{"size": text("t3.small"), "subnet": text(subnet.ID)}), free); got[0] != resource.CreateFirst {
		t.Errorf("without a fixed address: %v", got)
	}
}

func TestAddressesWithMistakes(t *testing.T) {
	for name, a := range map[string]values{
		"no subnet":      {"private_ip": text("10.0.1.10")},
		"IPv6":           {"private_ip": text("2001:db8::1"), "subnet": text("subnet-1")},
		"a block":        {"private_ip": text("10.0.1.0/24"), "subnet": text("subnet-1")},
		"another format": {"private_ip": text("10.0.1.010"), "subnet": text("subnet-1")},
	} {
		a["size"] = text("t3.micro")
		if _, problems := resource.Check(kindOf(t, "ec2"), resource.AttrsOf(a)); len(problems) != 1 || problems[0].Path != "private_ip" {
			t.Errorf("%s: %+v", name, problems)
		}
	}
	subnet := resource.Desired{Ref: ref("subnet", "app"), Attrs: resource.AttrsOf(values{"cidr": text("10.0.1.0/24")})}
	at := func(name, address string) *resource.Desired {
		return &resource.Desired{Ref: ref("ec2", name), Attrs: resource.AttrsOf(values{
			"size": text("t3.micro"), "private_ip": text(address), "subnet": resource.Reference{Ref: subnet.Ref},
		})}
	}
	all := []*resource.Desired{at("a", "10.0.1.4"), at("b", "10.0.1.4"), at("c", "10.0.1.3"), at("d", "10.0.1.255"), at("e", "10.0.2.4"), at("f", "10.0.1.254")}
	var got []string
	for _, f := range kindOf(t, "ec2").CrossCheck(all, func(resource.Ref) *resource.Desired { return &subnet }) {
		got = append(got, f.Ref.Name+" "+f.Summary)
	}
	for i, want := range []string{"b 10.0.1.4 is the address of ec2/a too", "c AWS reserves 10.0.1.3", "d AWS reserves 10.0.1.255", "e 10.0.2.4 is not within 10.0.1.0/24 of subnet/app"} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("%d: want %q of %q", i, want, got)
		}
	}
	if len(got) != 4 {
		t.Errorf("%q", got)
	}
}
