package aws_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

// site is a network with two subnets, an internet gateway and a route to it.
type site struct {
	*liveState
	vpc, a, b, igw string
}

func newSite(t *testing.T) *site {
	s := &site{liveState: newLiveState(t)}
	s.vpc = s.make(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")})).ID
	s.a = s.subnet("a", "10.0.1.0/24", "us-east-1a")
	s.b = s.subnet("b", "10.0.2.0/24", "us-east-1b")
	s.igw = s.make(desired(t, "internet_gateway", "main", values{"vpc": text(s.vpc)})).ID
	return s
}

func (s *site) subnet(name, cidr, zone string) string {
	s.t.Helper()
	return s.make(desired(s.t, "subnet", name, values{"vpc": text(s.vpc), "cidr": text(cidr), "zone": text(zone)})).ID
}

func (s *site) table(name string, subnets []string, routes ...resource.Value) resource.Desired {
	s.t.Helper()
	list := resource.List{}
	for _, id := range subnets {
		list = append(list, text(id))
	}
	return desired(s.t, "route_table", name, values{"vpc": text(s.vpc), "subnets": list, "routes": resource.List(routes)})
}

func (s *site) nat(name, subnet string) (eip, nat resource.Observed) {
	s.t.Helper()
	eip = s.make(desired(s.t, "eip", name, values{}))
	return eip, s.make(desired(s.t, "nat_gateway", name, values{"subnet": text(subnet), "eip": text(eip.ID)}))
}

func TestARouteGoesWhereTheConfigurationSays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	d := s.table("private", []string{s.a}, route("cidr", "0.0.0.0/0", "internet_gateway", s.igw), route("cidr", "::/0", "internet_gateway", s.igw))
	have := s.make(d)
	s.settled(d, nil)

	_, nat := s.nat("a", s.b)
	d = s.table("private", []string{s.b}, route("cidr", "0.0.0.0/0", "nat_gateway", nat.ID), route("cidr", "10.9.0.0/16", "vpc_peering", "pcx-0123456789abcdef0"))
	have = s.mustUpdate(d, have, nil)
	s.settled(d, nil)
	if n := s.count("ec2.ReplaceRoute"); n != 1 {
		t.Errorf("the route to the internet was replaced by %d calls of ReplaceRoute: in between there was none", n)
	}

	if _, err := s.ec2().CreateRoute(t.Context(), &ec2.CreateRouteInput{
		RouteTableId: &have.ID, DestinationCidrBlock: sdk.String("172.16.0.0/12"), GatewayId: &s.igw,
	}); err != nil {
		t.Fatal(err)
	}
	have, _ = s.find(d.Ref)
	if c := changes(t, d, have, nil); len(c) != 1 || c[0].Path != "routes" {
		t.Errorf("a route added outside ovi: %+v", c)
	}
	s.mustUpdate(d, have, nil)
	s.settled(d, nil)
}

// A subnet that another table lets go in the same plan is waited for; one that it keeps is never taken.
func TestASubnetMovesBetweenTablesInOnePlan(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one, two := s.table("one", []string{s.a, s.b}), s.table("two", nil)
	haveOne, haveTwo := s.make(one), s.make(two)
	one, two = s.table("one", []string{s.a}), s.table("two", []string{s.b})
	moved := make(chan error, 1)
	go func() { // as the two updates of one plan do
		_, err := s.update(two, haveTwo, nil)
		moved <- err
	}()
	s.mustUpdate(one, haveOne, nil)
	if err := <-moved; err != nil {
		t.Fatal(err)
	}
	s.settled(one, nil)
	s.settled(two, nil)

	_, err := s.p.Create(t.Context(), s.request(s.table("three", []string{s.a})))
	if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "rtb-") {
		t.Errorf("a subnet of another table: %v", errorText(err))
	}
}

func errorText(err error) string {
	var e *provider.Error
	if !errors.As(err, &e) {
		return "no error of a provider"
	}
	return e.Error() + "\n" + e.Hint
}

func TestAnInternetGatewayMovesToAnotherVPC(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := s.make(desired(t, "vpc", "other", values{"cidr": text("10.1.0.0/16")})).ID
	d := desired(t, "internet_gateway", "main", values{"vpc": text(other)})
	have, _ := s.find(d.Ref)
	s.mustUpdate(d, have, nil)
	s.settled(d, nil)

	_, err := s.p.Create(t.Context(), s.request(desired(t, "internet_gateway", "second", values{"vpc": text(other)})))
	if err == nil || !strings.Contains(err.Error(), "already has an internet gateway") {
		t.Errorf("a second gateway of one VPC: %v", err)
	}
}

// AWS accepts the call and lets the gateway fail a minute later: ovi says at once what is missing.
func TestANATGatewayNeedsAnInternetGateway(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.p = hasty(w)
	vpc := w.make(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")})).ID
	subnet := w.make(desired(t, "subnet", "a", values{"vpc": text(vpc), "cidr": text("10.0.1.0/24")})).ID
	eip := w.make(desired(t, "eip", "a", values{}))
	d := desired(t, "nat_gateway", "a", values{"subnet": text(subnet), "eip": text(eip.ID)})
	_, err := w.p.Create(t.Context(), w.request(d))
	if provider.CauseOf(err) != provider.Configuration || !strings.Contains(errorText(err), "depends_on") {
		t.Errorf("%v", errorText(err))
	}
	if n := w.count("ec2.CreateNatGateway"); n != 0 {
		t.Errorf("%d gateways were ordered that would fail", n)
	}
	private := desired(t, "nat_gateway", "private", values{"subnet": text(subnet), "connectivity": text("private")})
	w.make(private)
	w.settled(private, nil)
}

func TestAnAddressFollowsItsInstance(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := func(name string) string {
		return s.make(desired(t, "ec2", name, values{"size": text("t3.micro"), "subnet": text(s.a)})).ID
	}
	first, second := server("web-0"), server("web-1")
	d := desired(t, "eip", "web", values{"attach_to": text(first)})
	have := s.make(d)
	s.settled(d, nil)
	d = desired(t, "eip", "web", values{"attach_to": text(second)})
	have = s.mustUpdate(d, have, nil)
	s.settled(d, nil)
	if loss := kindOf(t, "eip").DataLoss(have, nil); !strings.Contains(loss, "203.0.113.") {
		t.Errorf("deleting it loses %q: the address is not named", loss)
	}
	if err := s.remove(have); err != nil {
		t.Fatal(err)
	}
	if _, there := s.find(d.Ref); there {
		t.Error("it still exists")
	}
}

func TestWhatIsInUseNamesWhatUsesIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	eip, nat := s.nat("a", s.a)
	s.p = hasty(s.liveState)
	for _, o := range []resource.Observed{eip, must2(s.find(ref("internet_gateway", "main")))} {
		if err := s.remove(o); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), nat.ID) {
			t.Errorf("delete %s: %v", o.ID, errorText(err))
		}
	}
	if err := s.remove(nat); err != nil {
		t.Fatal(err)
	}
	for _, o := range []resource.Observed{eip, must2(s.find(ref("internet_gateway", "main")))} {
		if err := s.remove(o); err != nil {
			t.Errorf("delete %s: %v", o.ID, err)
		}
	}
}

func must2[T any](v T, _ bool) T { return v }

// hasty is a provider that does not wait for what is in use.
func hasty(w *liveState) *aws.Provider {
	delays := patience
	delays.Appear, delays.Free = 500*time.Millisecond, 500*time.Millisecond // a busy host needs 100 ms for some calls
	return aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: w.cloud}, Delays: delays, Attempts: 4})
}

func TestADBSubnetGroupOfSomebodyElse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	d := desired(t, "db_subnet_group", "data", values{"subnets": resource.List{text(s.a), text(s.b)}}, "team", "data")
	r := s.request(d)
	have, err := s.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.p.Create(t.Context(), r); err != nil || again.ID != have.ID {
		t.Errorf("again with its key: %v %v", again.ID, err)
	}
	if _, err := s.p.Create(t.Context(), s.request(d)); provider.CauseOf(err) != provider.InUse {
		t.Errorf("with another key: %v", err)
	}
	d = desired(t, "db_subnet_group", "data", values{"subnets": resource.List{text(s.a), text(s.b), text(s.subnet("c", "10.0.3.0/24", "us-east-1c"))}}, "team", "core")
	s.mustUpdate(d, have, nil)
	s.settled(d, nil)

	db := s.make(desired(t, "rds", "db", values{"size": text("db.t3.micro"), "subnet_group": text("data")}))
	s.p = hasty(s.liveState)
	if err := s.remove(have); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), db.ID) {
		t.Errorf("delete it under a database: %v", errorText(err))
	}
}

// What an answer that was lost left behind is found again, and not created a second time.
func TestLostAnswersOfRouting(t *testing.T) {
	t.Parallel()
	for _, call := range []string{
		"CreateInternetGateway", "AttachInternetGateway", "CreateRouteTable", "CreateRoute", "AssociateRouteTable", "AllocateAddress", "CreateNatGateway",
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "ec2", Action: call, Times: 1})
			s := &site{liveState: w}
			s.vpc = s.create(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")}))
			s.a = s.create(desired(t, "subnet", "a", values{"vpc": text(s.vpc), "cidr": text("10.0.1.0/24"), "zone": text("us-east-1a")}))
			s.igw = s.create(desired(t, "internet_gateway", "main", values{"vpc": text(s.vpc)}))
			s.create(s.table("public", []string{s.a}, route("cidr", "0.0.0.0/0", "internet_gateway", s.igw)))
			eip := s.create(desired(t, "eip", "a", values{}))
			s.create(desired(t, "nat_gateway", "a", values{"subnet": text(s.a), "eip": text(eip)}))
			// The six, and what a VPC is born with: a group with two rules, and a table.
			if n := len(w.observed().Resources) - len(fresh(t).Resources); n != 6+4 {
				t.Errorf("%d resources more than before", n)
			}
		})
	}
}

// fresh is what an account has before anything is created.
func fresh(t *testing.T) resource.Snapshot { return newLiveState(t).observed() }

// create creates as the engine does, which asks again with the same key.
func (s *site) create(d resource.Desired) string {
	s.t.Helper()
	r := s.request(d)
	for range 3 {
		if o, err := s.p.Create(s.t.Context(), r); err == nil {
			s.settled(d, nil)
			return o.ID
		}
	}
	o, err := s.p.Create(s.t.Context(), r)
	if err != nil {
		s.t.Fatalf("create %s: %v", d.Ref, err)
	}
	return o.ID
}

func TestRoutesWithMistakes(t *testing.T) {
	for name, r := range map[string]resource.Attrs{
		"no target":        route("cidr", "0.0.0.0/0"),
		"two targets":      route("cidr", "0.0.0.0/0", "internet_gateway", "igw-1", "nat_gateway", "nat-1"),
		"no block":         route("cidr", "0.0.0.0/99", "internet_gateway", "igw-1"),
		"bits behind":      route("cidr", "10.0.0.1/8", "internet_gateway", "igw-1"),
		"a target of none": route("cidr", "0.0.0.0/0", "vpc_peering", "igw-1"),
	} {
		if problems := problemsOf(t, r); len(problems) == 0 {
			t.Errorf("%s: no problem was found", name)
		}
	}
}

func TestTwoRoutesToOneDestination(t *testing.T) {
	one, other := route("cidr", "10.0.0.0/8", "internet_gateway", "igw-1"), route("cidr", "10.0.0.0/8", "nat_gateway", "nat-1")
	elsewhere := route("cidr", "10.0.0.0/16", "nat_gateway", "nat-1")
	if problems := problemsOf(t, one, elsewhere); len(problems) > 0 {
		t.Errorf("two destinations: %v", problems)
	}
	problems := problemsOf(t, one, elsewhere, other)
	if len(problems) != 1 || !strings.Contains(problems[0].Summary, "10.0.0.0/8") {
		t.Errorf("one destination: %v", problems)
	}
}

func problemsOf(t *testing.T, routes ...resource.Value) []resource.Problem {
	t.Helper()
	_, problems := resource.Check(kindOf(t, "route_table"),
		resource.NewAttrs(resource.Attr{Name: "vpc", Value: text("vpc-1")}, resource.Attr{Name: "routes", Value: resource.List(routes)}))
	return problems
}

func TestTwoOfWhatAWSAllowsOneOf(t *testing.T) {
	same := func(kind string, a values) []*resource.Desired {
		one, two := desired(t, kind, "one", a), desired(t, kind, "two", a)
		return []*resource.Desired{&one, &two}
	}
	zoned := desired(t, "subnet", "a", values{"vpc": text("vpc-1"), "cidr": text("10.0.1.0/24"), "zone": text("us-east-1a")})
	in := resource.Reference{Ref: zoned.Ref}
	group := resource.Desired{Ref: ref("db_subnet_group", "data"), Attrs: resource.NewAttrs(resource.Attr{Name: "subnets", Value: resource.List{in, in}})}
	for name, configured := range map[string][]*resource.Desired{
		"internet_gateway": same("internet_gateway", values{"vpc": text("vpc-1")}),
		"route_table":      same("route_table", values{"vpc": text("vpc-1"), "subnets": resource.List{text("subnet-1")}}),
		"nat_gateway":      same("nat_gateway", values{"subnet": text("subnet-1"), "eip": text("eipalloc-1")}),
		"db_subnet_group":  {&group},
	} {
		found := kindOf(t, name).CrossCheck(configured, func(r resource.Ref) *resource.Desired {
			if r == zoned.Ref {
				return &zoned
			}
			return nil
		})
		if len(found) != 1 || found[0].Suggestion == "" {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// The VPC of a database is that of the subnets of its group.
func TestADatabaseIsInTheVPCOfItsSubnets(t *testing.T) {
	of := func(kind, name string) resource.Value { return resource.Reference{Ref: ref(kind, name)} }
	all := map[resource.Ref]*resource.Desired{}
	add := func(kind, name string, a values) *resource.Desired {
		d := &resource.Desired{Ref: ref(kind, name), Attrs: resource.AttrsOf(a)}
		all[d.Ref] = d
		return d
	}
	add("vpc", "main", values{"cidr": text("10.0.0.0/16")})
	add("vpc", "other", values{"cidr": text("10.1.0.0/16")})
	add("subnet", "a", values{"vpc": of("vpc", "main"), "cidr": text("10.0.1.0/24")})
	add("db_subnet_group", "data", values{"subnets": resource.List{of("subnet", "a")}})
	add("security_group", "right", values{"vpc": of("vpc", "main")})
	add("security_group", "wrong", values{"vpc": of("vpc", "other")})
	for group, want := range map[string]int{"right": 0, "wrong": 1} {
		db := add("rds", "db", values{"subnet_group": of("db_subnet_group", "data"), "security_groups": resource.List{of("security_group", group)}})
		found := kindOf(t, "rds").CrossCheck([]*resource.Desired{db}, func(r resource.Ref) *resource.Desired { return all[r] })
		if len(found) != want {
			t.Errorf("%s group: %+v", group, found)
		}
	}
}

// The routes that came with an account are no resources of anybody.
func TestTheRoutesOfANewAccountAreItsDefaults(t *testing.T) {
	t.Parallel()
	for _, o := range fresh(t).Resources {
		if o.Message != resource.ProviderDefault && o.Ref.Kind == "route_table" {
			t.Errorf("%s is shown as a resource of the user", o.Ref)
		}
	}
}
