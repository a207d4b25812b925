package aws_test

import (
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// plugs is a network with an instance, and interfaces in it.
type plugs struct {
	*liveState
	vpc, subnet, instance resource.Observed
}

func newPlugs(t *testing.T) *plugs {
	w := newLiveState(t)
	vpc, subnet := w.network()
	p := &plugs{liveState: w, vpc: vpc, subnet: subnet}
	p.instance = p.server("web")
	return p
}

func (p *plugs) server(name string) resource.Observed {
	return p.make(desired(p.t, "ec2", name, values{"size": text("t3.micro"), "subnet": text(p.subnet.ID)}))
}

func (p *plugs) nic(name string, a values) resource.Desired {
	if a["subnet"] == nil {
		a["subnet"] = text(p.subnet.ID)
	}
	return desired(p.t, "network_interface", name, a, "team", "net")
}

func (p *plugs) group(name string) resource.Observed {
	return p.make(desired(p.t, "security_group", name, values{"vpc": text(p.vpc.ID)}))
}

func TestAnInterfaceIsAttachedChangedMovedAndDeleted(t *testing.T) {
	t.Parallel()
	p := newPlugs(t)
	d := p.nic("vpn", values{"private_ip": text("10.0.1.50"), "attach_to": text(p.instance.ID), "source_dest_check": resource.Bool(false), "description": text("of the VPN")})
	made := p.make(d)
	have := p.settled(d, nil)
	if !made.Equal(have) {
		t.Errorf("it was made as %+v, and is %+v", made, have)
	}
	for name, want := range map[string]resource.Value{
		"private_address": text("10.0.1.50"), "device_index": resource.Int(1), "zone": attr(p.instance, "zone"), "source_dest_check": resource.Bool(false),
	} {
		if got := attr(have, name); got != want {
			t.Errorf("%s is %v", name, got)
		}
	}
	if mac, _ := attr(have, "mac_address").(resource.String); len(mac) != 17 {
		t.Errorf("mac_address is %q", mac)
	}

	detaches := p.count("ec2.DetachNetworkInterface")
	d = p.nic("vpn", values{
		"private_ip": text("10.0.1.50"), "attach_to": text(p.instance.ID), "source_dest_check": resource.Bool(true), "description": text(""),
		"security_groups": list(p.group("vpn").ID),
	})
	p.mustUpdate(d, have, nil)
	have = p.settled(d, nil)
	if p.count("ec2.DetachNetworkInterface") != detaches {
		t.Error("it was detached to change its groups")
	}

	other := p.server("other")
	for _, a := range []values{
		{"attach_to": text(p.instance.ID), "device_index": resource.Int(2)},
		{"attach_to": text(other.ID), "device_index": resource.Int(2)},
	} {
		d = p.nic("vpn", a)
		p.mustUpdate(d, have, nil)
		have = p.settled(d, nil)
	}
	if got := attr(have, "private_address"); got != text("10.0.1.50") || have.ID != made.ID {
		t.Errorf("%s has the address %v, and was %s", have.ID, got, made.ID)
	}

	if err := p.remove(have); err != nil {
		t.Fatal(err)
	}
	if _, there := p.find(d.Ref); there {
		t.Error("it still exists")
	}
	if err := p.remove(have); err != nil {
		t.Errorf("deleting it again: %v", err)
	}
	for _, r := range p.cloud.Requests() {
		if r.Action == "DetachNetworkInterface" && slices.Contains(r.Ignored, "Force") {
			t.Error("it was detached by force")
		}
	}
}

// An instance with an interface is deleted before the one that replaces it is created; the interface stays, with its
// address, and is attached to the new one.
func TestAnInterfaceOutlivesItsInstance(t *testing.T) {
	t.Parallel()
	p := newPlugs(t)
	d := p.nic("stable", values{"attach_to": text(p.instance.ID)})
	made := p.make(d)
	next := desired(t, "ec2", "web", values{"size": text("t3.micro"), "subnet": text(p.subnet.ID), "image": text("ami-0123456789abcdef0")})
	have, _ := p.find(ref("ec2", "web"))
	strategies := kindOf(t, "ec2").Strategies
	if got := strategies(next, have); len(got) != 1 || got[0] != resource.DestroyFirst {
		t.Errorf("with an interface: %v", got)
	}
	if got := strategies(next, p.instance); got[0] != resource.CreateFirst {
		t.Errorf("without one: %v", got)
	}
	if err := p.remove(have); err != nil {
		t.Fatal(err)
	}
	left, ok := p.find(d.Ref)
	if !ok || left.ID != made.ID || attr(left, "private_address") != attr(made, "private_address") || attr(left, "attach_to") != nil {
		t.Fatalf("it is %+v, and was %+v", left, made)
	}
	d = p.nic("stable", values{"attach_to": text(p.server("web").ID)})
	p.mustUpdate(d, left, nil)
	p.settled(d, nil)
	if got := kindOf(t, "network_interface").Outlives; !slices.Equal(got, []string{"ec2"}) {
		t.Errorf("it outlives %v", got)
	}
}

// AWS refuses what is about "the" interface of an instance that has two.
func TestAnInstanceWithTwoInterfacesIsChangedByItsFirst(t *testing.T) {
	t.Parallel()
	p := newPlugs(t)
	second := p.nic("second", values{"attach_to": text(p.instance.ID)})
	p.make(second)
	group := p.group("web")
	d := desired(t, "ec2", "web", values{
		"size": text("t3.micro"), "subnet": text(p.subnet.ID), "security_groups": list(group.ID), "source_dest_check": resource.Bool(false),
	})
	have, _ := p.find(d.Ref)
	p.mustUpdate(d, have, nil)
	p.settled(d, nil)
	if o, _ := p.find(second.Ref); attr(o, "source_dest_check") != resource.Bool(true) || slices.Contains(o.Attrs.Texts("security_groups"), group.ID) {
		t.Errorf("the second interface was changed: %+v", o)
	}
	address := desired(t, "eip", "web", values{"attach_to": text(p.instance.ID)})
	p.make(address)
	p.settled(address, nil)
}

func TestAnAddressOfAnInterface(t *testing.T) {
	t.Parallel()
	p := newPlugs(t)
	one, two := p.make(p.nic("one", values{})), p.make(p.nic("two", values{"attach_to": text(p.instance.ID)}))
	d := desired(t, "eip", "vpn", values{"network_interface": text(one.ID)})
	p.make(d)
	have := p.settled(d, nil)
	for _, a := range []values{{"network_interface": text(two.ID)}, {"attach_to": text(p.server("other").ID)}, {"network_interface": text(one.ID)}} {
		d = desired(t, "eip", "vpn", a)
		p.mustUpdate(d, have, nil)
		have = p.settled(d, nil)
	}
	if err := p.remove(have); err != nil {
		t.Fatal(errorText(err))
	}
	both := resource.AttrsOf(values{"attach_to": text("i-1"), "network_interface": text("eni-1")})
	if _, problems := resource.Check(kindOf(t, "eip"), both); len(problems) != 1 || problems[0].Suggestion == "" {
		t.Errorf("both: %+v", problems)
	}
}

// Those of launches and of services are no resources; one that goes with an instance is shown with it.
func TestInterfacesOfOthers(t *testing.T) {
	t.Parallel()
	p := newPlugs(t)
	p.make(desired(t, "nat_gateway", "a", values{"subnet": text(p.subnet.ID), "connectivity": text("private")}))
	out, err := p.ec2().DescribeNetworkInterfaces(t.Context(), &ec2.DescribeNetworkInterfacesInput{})
	if err != nil || len(out.NetworkInterfaces) != 2 {
		t.Fatalf("%d interfaces, %v", len(out.NetworkInterfaces), err)
	}
	for _, o := range p.observed().Resources {
		if o.Ref.Kind == "network_interface" {
			t.Errorf("%s is listed", o.ID)
		}
	}
	for _, n := range out.NetworkInterfaces {
		_, err := p.p.Mark(t.Context(), provider.Request{Key: p.key(), Desired: p.nic("taken", values{}), Have: resource.Observed{ID: *n.NetworkInterfaceId}})
		if !provider.Absent(err) {
			t.Errorf("%s is adopted: %v", *n.NetworkInterfaceId, err)
		}
	}
	hand := must[*ec2.CreateNetworkInterfaceOutput](t)(p.ec2().CreateNetworkInterface(t.Context(), &ec2.CreateNetworkInterfaceInput{SubnetId: sdk.String(p.subnet.ID)}))
	if o, ok := p.find(resource.Ref{Stack: "shop", Provider: "aws", Location: location, Kind: "network_interface", Name: *hand.NetworkInterface.NetworkInterfaceId}); !ok || o.OwnedBy != "" {
		t.Errorf("one made by hand: %v, %+v", ok, o)
	}
}

func TestTheHolderOfASubnetAndAGroupIsNamed(t *testing.T) {
	t.Parallel()
	p := newPlugs(t)
	if err := p.remove(p.instance); err != nil {
		t.Fatal(err)
	}
	group := p.group("vpn")
	d := p.nic("vpn", values{"security_groups": list(group.ID)})
	o := p.make(d)
	p.p = hasty(p.liveState)
	for _, held := range []resource.Observed{p.subnet, group} {
		have, _ := p.find(held.Marks.Ref)
		err := p.remove(have)
		if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), o.ID+" ("+d.Ref.String()+")") {
			t.Errorf("%s: %v", held.ID, errorText(err))
		}
	}
}

func TestCheckOfAnInterface(t *testing.T) {
	t.Parallel()
	p := newPlugs(t)
	taken, _ := attr(p.instance, "private_address").(resource.String)
	p.refused(p.request(p.nic("free", values{"private_ip": text("10.0.1.77")})), "")
	p.refused(p.request(p.nic("taken", values{"private_ip": taken})), "is in use")
	p.refused(p.request(p.nic("lost", values{"subnet": text("subnet-0123456789abcdef0")})), "subnet-0123456789abcdef0")
	p.refused(p.request(p.nic("no-group", values{"security_groups": list("sg-0123456789abcdef0")})), "sg-0123456789abcdef0")

	d := p.nic("kept", values{"private_ip": text("10.0.1.78")})
	r := p.request(d)
	r.Have = p.make(d)
	p.refused(r, "") // its own address is in the way of none
	if got := kindOf(t, "network_interface").Strategies(d, r.Have); len(got) != 1 || got[0] != resource.DestroyFirst {
		t.Errorf("it is replaced %v", got)
	}
}

// What is attached after a lost answer is attached once.
func TestALostAnswerOfAnAttachment(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"CreateNetworkInterface", "AttachNetworkInterface"} {
		p := newPlugs(t)
		p.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "ec2", Action: call, Times: 1})
		d := p.nic("one", values{"attach_to": text(p.instance.ID)})
		p.make(d)
		p.settled(d, nil)
		n := 0
		for _, o := range p.observed().Resources {
			if o.Ref.Kind == "network_interface" {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: there are %d", call, n)
		}
	}
}

func TestInterfacesWithMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		a    values
	}{
		"no instance":     {"device_index", values{"device_index": resource.Int(1)}},
		"of the launch":   {"device_index", values{"device_index": resource.Int(0), "attach_to": text("i-1")}},
		"no address":      {"private_ip", values{"private_ip": text("10.0.1.300")}},
		"another's group": {"security_groups", values{"security_groups": resource.List{}}},
	} {
		c.a["subnet"] = text("subnet-1")
		if _, problems := resource.Check(kindOf(t, "network_interface"), resource.AttrsOf(c.a)); len(problems) != 1 || problems[0].Path != c.path {
			t.Errorf("%s: %+v", name, problems)
		}
	}
	all := map[resource.Ref]*resource.Desired{}
	add := func(kind, name string, a values) *resource.Desired {
		d := &resource.Desired{Ref: ref(kind, name), Attrs: resource.AttrsOf(a)}
		all[d.Ref] = d
		return d
	}
	of := func(kind, name string) resource.Value { return resource.Reference{Ref: ref(kind, name)} }
	add("vpc", "main", values{"cidr": text("10.0.0.0/16")})
	add("vpc", "other", values{"cidr": text("10.1.0.0/16")})
	add("subnet", "a", values{"vpc": of("vpc", "main"), "cidr": text("10.0.1.0/24"), "zone": text("us-east-1a")})
	add("subnet", "b", values{"vpc": of("vpc", "main"), "cidr": text("10.0.2.0/24"), "zone": text("us-east-1b")})
	add("security_group", "far", values{"vpc": of("vpc", "other")})
	add("ec2", "web", values{"size": text("t3.micro"), "subnet": of("subnet", "a"), "private_ip": text("10.0.1.9")})
	nic := func(name, subnet string, a values) *resource.Desired {
		a["subnet"] = of("subnet", subnet)
		return add("network_interface", name, a)
	}
	web := of("ec2", "web")
	configured := []*resource.Desired{
		nic("a", "a", values{"attach_to": web}),
		nic("b", "a", values{"attach_to": web, "device_index": resource.Int(1)}),
		nic("c", "b", values{"attach_to": web, "device_index": resource.Int(2)}),
		nic("d", "a", values{"attach_to": web, "device_index": resource.Int(3), "private_ip": text("10.0.1.9")}),
		nic("e", "a", values{"private_ip": text("10.0.2.9")}),
		nic("f", "a", values{"private_ip": text("10.0.1.10")}),
		nic("g", "a", values{"private_ip": text("10.0.1.10")}),
		nic("h", "a", values{"security_groups": resource.List{of("security_group", "far")}}),
		nic("i", "a", values{"attach_to": web, "device_index": resource.Int(4)}),
	}
	var got []string
	for _, f := range kindOf(t, "network_interface").CrossCheck(configured, func(r resource.Ref) *resource.Desired { return all[r] }) {
		got = append(got, f.Ref.Name+" "+f.Path+" "+f.Summary)
	}
	want := []string{
		"h security_groups[0] security_group/far is in vpc/other", "e private_ip 10.0.2.9 is not within", "g private_ip 10.0.1.10 is the address of network_interface/f too",
		"b device_index number 1 of the instance is already used by network_interface/a", "c subnet subnet/b is in us-east-1b, and ec2/web is in us-east-1a",
		"d private_ip 10.0.1.9 is the address of ec2/web too",
	}
	if len(got) != len(want) {
		t.Errorf("%q", got)
	}
	for i := range min(len(got), len(want)) {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}

// What changes the first interface of an instance, which has no tags, is granted only where instances have others.
func TestThePolicyOfInterfaces(t *testing.T) {
	of := func(kinds ...string) string {
		var all []resource.Desired
		for _, k := range kinds {
			all = append(all, resource.Desired{Ref: resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: k, Name: "a"}})
		}
		return string(slices.Concat(aws.IAMPolicyFor([]resource.Intent{{Stack: "web", Resources: all}})...))
	}
	const modify = `"ec2:ModifyNetworkInterfaceAttribute"`
	for kinds, want := range map[string]int{"ec2": 0, "network_interface": 2, "ec2 network_interface": 3} {
		if got := strings.Count(of(strings.Fields(kinds)...), modify); got != want {
			t.Errorf("%s: %d times, want %d", kinds, got, want)
		}
	}
	if text := of("network_interface"); !strings.Contains(text, "network-interface/*") || strings.Contains(text, "RunInstances") {
		t.Errorf("%s", text)
	}
}
