package aws_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func (w *liveState) elb() *elb.Client {
	return elb.New(elb.Options{
		Region: "us-east-1", HTTPClient: &http.Client{Transport: w.cloud}, Credentials: credentials.NewStaticCredentialsProvider("HAND", "x", ""),
	})
}

func (s *site) targets(name string, more values) resource.Desired {
	a := values{"vpc": text(s.vpc), "port": resource.Int(8080)}
	for k, v := range more {
		a[k] = v
	}
	return desired(s.t, "target_group", name, a, "team", "web")
}

func (s *site) balancer(name string, more values) resource.Desired {
	a := values{"subnets": resource.List{text(s.a), text(s.b)}}
	for k, v := range more {
		a[k] = v
	}
	return desired(s.t, "load_balancer", name, a, "team", "web")
}

func (s *site) listener(name, balancer string, more values) resource.Desired {
	a := values{"load_balancer": text(balancer), "port": resource.Int(80)}
	for k, v := range more {
		a[k] = v
	}
	return desired(s.t, "listener", name, a, "team", "web")
}

func object(nameValue ...any) resource.Value { return route(nameValue...) }

func TestALoadBalancerIsChangedInPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	group := s.make(desired(t, "security_group", "web", values{"vpc": text(s.vpc)})).ID
	targets := s.make(s.targets("web", values{"health_check": object("path", "/health", "interval", resource.Int(10))}))
	s.settled(s.targets("web", values{"health_check": object("path", "/health", "interval", resource.Int(10))}), nil)
	d := s.targets("web", values{"health_check": object("path", "/up", "codes", "200-299", "healthy", resource.Int(2), "unhealthy", resource.Int(3), "timeout", resource.Int(4), "port", "8081")})
	s.mustUpdate(d, targets, nil)
	s.settled(d, nil)

	b := s.make(s.balancer("web", nil))
	if b.Health != resource.Healthy {
		t.Errorf("a load balancer that is %s counts as created", b.Health)
	}
	third := s.subnet("c", "10.0.3.0/24", "us-east-1c")
	d = s.balancer("web", values{"subnets": resource.List{text(s.a), text(third)}, "security_groups": resource.List{text(group)}})
	s.mustUpdate(d, b, nil)
	s.settled(d, nil)

	l := s.listener("http", b.ID, values{"target_group": text(targets.ID)})
	have := s.make(l)
	s.settled(l, nil)
	l = s.listener("http", b.ID, values{"port": resource.Int(8000), "redirect": object("protocol", "HTTPS", "port", "443")})
	have = s.mustUpdate(l, have, nil)
	s.settled(l, nil)
	l = s.listener("http", b.ID, values{"port": resource.Int(443), "protocol": text("HTTPS"), "certificate": text("arn:aws:acm:us-east-1:123456789012:certificate/0"), "target_group": text(targets.ID)})
	have = s.mustUpdate(l, have, nil)
	s.settled(l, nil)
	l.Tags = nil
	l.Tags = resource.TagsOf(map[string]string{"team": "core"})
	s.mustUpdate(l, have, nil)
	s.settled(l, nil)
}

// AWS takes a second call with the same settings for the first one: without looking before, what another
// hand made would count as created here.
func TestALoadBalancerOfAnotherHandIsNotTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	by := s.elb()
	tg := must[*elb.CreateTargetGroupOutput](t)(by.CreateTargetGroup(t.Context(), &elb.CreateTargetGroupInput{
		Name: sdk.String("web"), VpcId: &s.vpc, Port: sdk.Int32(8080), Protocol: types.ProtocolEnumHttp, TargetType: types.TargetTypeEnumInstance,
	})).TargetGroups[0].TargetGroupArn
	lb := must[*elb.CreateLoadBalancerOutput](t)(by.CreateLoadBalancer(t.Context(), &elb.CreateLoadBalancerInput{Name: sdk.String("web"), Subnets: []string{s.a, s.b}})).LoadBalancers[0].LoadBalancerArn
	must[*elb.CreateListenerOutput](t)(by.CreateListener(t.Context(), &elb.CreateListenerInput{
		LoadBalancerArn: lb, Port: sdk.Int32(80), Protocol: types.ProtocolEnumHttp,
		DefaultActions: []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: tg}},
	}))
	for _, d := range []resource.Desired{s.targets("web", nil), s.balancer("web", nil), s.listener("web", *lb, values{"target_group": text(*tg)})} {
		for _, err := range []error{s.p.Check(t.Context(), s.request(d)), must2err(s.p.Create(t.Context(), s.request(d)))} {
			if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "ovi adopt") {
				t.Errorf("%s: %v", d.Ref.Kind, errorText(err))
			}
		}
	}
	o, there := s.find(resource.Ref{Provider: "aws", Location: location, Kind: "listener", Name: "web-80"})
	if !there || !o.Marks.IsZero() {
		t.Errorf("an unmanaged listener has no name: %v", o.Ref)
	}
}

func TestLostAnswersOfLoadBalancing(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"CreateTargetGroup", "CreateLoadBalancer", "CreateListener"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "elasticloadbalancing", Action: call, Times: 4})
			tg := s.create(s.targets("web", nil))
			lb := s.create(s.balancer("web", nil))
			s.create(s.listener("http", lb, values{"target_group": text(tg)}))
		})
	}
}

// A replacement is created beside the old one, under a name of its own; what refers to the old one moves,
// and then it is deleted.
func TestATargetGroupIsReplacedBesideTheOldOne(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	old := s.make(s.targets("web", nil))
	lb := s.make(s.balancer("web", nil))
	l := s.listener("http", lb.ID, values{"target_group": text(old.ID)})
	have := s.make(l)
	d := s.targets("web", values{"port": resource.Int(9090)})
	c := changes(t, d, old, nil)
	if len(c) != 1 || c[0].Effect != resource.Replace {
		t.Fatalf("%+v", c)
	}
	if all := kindOf(t, "target_group").Strategies(d, old); all[0] != resource.CreateFirst {
		t.Errorf("strategies %v", all)
	}
	d.Replace = resource.CreateFirst
	r := s.request(d)
	if err := s.p.Check(t.Context(), r); err != nil {
		t.Errorf("check: %v", err)
	}
	next, err := s.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.p.Create(t.Context(), r); err != nil || again.ID != next.ID || next.ID == old.ID {
		t.Errorf("again with its key: %s, not %s: %v", again.ID, next.ID, err)
	}
	s.p = hasty(s.liveState)
	if err := s.remove(old); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), lb.ID) {
		t.Errorf("delete what a listener uses: %v", errorText(err))
	}
	l = s.listener("http", lb.ID, values{"target_group": text(next.ID)})
	s.mustUpdate(l, have, nil)
	for range 2 {
		if err := s.remove(old); err != nil {
			t.Fatal(err)
		}
	}
	s.settled(d, nil)
}

// What a load balancer is in stays until it is deleted, and its listeners go with it.
func TestALoadBalancerGoesBeforeItsNetwork(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	group := s.make(desired(t, "security_group", "web", values{"vpc": text(s.vpc)}))
	lb := s.make(s.balancer("web", values{"security_groups": resource.List{text(group.ID)}}))
	l := s.make(s.listener("http", lb.ID, values{"redirect": object("host", "www.example.com", "path", "/new", "status", "HTTP_302")}))
	s.p = hasty(s.liveState)
	for _, o := range []resource.Observed{group, must2(s.find(ref("subnet", "a"))), must2(s.find(ref("internet_gateway", "main")))} {
		if err := s.remove(o); !strings.HasPrefix(string(provider.CauseOf(err)), string(provider.InUse)) {
			t.Errorf("delete %s under it: %v", o.Ref, err)
		}
	}
	for _, o := range []resource.Observed{lb, lb, l, group, must2(s.find(ref("subnet", "a"))), must2(s.find(ref("internet_gateway", "main")))} {
		if err := s.remove(o); err != nil {
			t.Errorf("delete %s: %v", o.Ref, err)
		}
	}
}

func TestALoadBalancerWithoutAGatewayIsExplained(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	s := &site{liveState: w}
	s.vpc = w.make(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")})).ID
	s.a, s.b = s.subnet("a", "10.0.1.0/24", "us-east-1a"), s.subnet("b", "10.0.2.0/24", "us-east-1b")
	_, err := w.p.Create(t.Context(), w.request(s.balancer("web", nil)))
	if provider.CauseOf(err) != provider.Configuration || !strings.Contains(errorText(err), "depends_on") {
		t.Errorf("%v", errorText(err))
	}
	internal := s.balancer("web", values{"scheme": text("internal")})
	w.make(internal)
	w.settled(internal, nil)
}

// Tags come from a call of their own, for 20 at a time; one that was deleted in between fails it.
func TestTagsOfManyLoadBalancersAreRead(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for i := range 45 {
		s.make(s.targets("web-"+string(rune('a'+i/26))+string(rune('a'+i%26)), nil))
	}
	before := s.count("elasticloadbalancing.DescribeTags")
	if n := countKind(s.observed(), "target_group"); n != 45 {
		t.Errorf("%d of 45 target groups", n)
	}
	if n := s.count("elasticloadbalancing.DescribeTags") - before; n != 3 {
		t.Errorf("%d calls for the tags of 45", n)
	}
	s.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "elasticloadbalancing", Action: "DescribeTags", Code: "TargetGroupNotFound", Status: 400, Times: 2})
	if n := countKind(s.observed(), "target_group"); n != 44 {
		t.Errorf("%d of 44 target groups after one was deleted", n)
	}
}

func countKind(s resource.Snapshot, kind string) int {
	n := 0
	for _, o := range s.Resources {
		if o.Ref.Kind == kind {
			n++
		}
	}
	return n
}

func TestListenersWithMistakes(t *testing.T) {
	lb, tg := text("arn:aws:lb"), text("arn:aws:tg")
	for name, a := range map[string]values{
		"no action":           {"load_balancer": lb, "port": resource.Int(80)},
		"two actions":         {"load_balancer": lb, "port": resource.Int(80), "target_group": tg, "redirect": object("port", "443")},
		"no certificate":      {"load_balancer": lb, "port": resource.Int(443), "protocol": text("HTTPS"), "target_group": tg},
		"a certificate in it": {"load_balancer": lb, "port": resource.Int(80), "target_group": tg, "certificate": text("arn:aws:acm:x")},
	} {
		if _, problems := resource.Check(kindOf(t, "listener"), resource.AttrsOf(a)); len(problems) != 1 || problems[0].Suggestion == "" {
			t.Errorf("%s: %+v", name, problems)
		}
	}
	one, two := desired(t, "listener", "a", values{"load_balancer": lb, "port": resource.Int(80), "target_group": tg}), desired(t, "listener", "b", values{"load_balancer": lb, "port": resource.Int(80), "target_group": tg})
	if found := kindOf(t, "listener").CrossCheck([]*resource.Desired{&one, &two}, func(resource.Ref) *resource.Desired { return nil }); len(found) != 1 {
		t.Errorf("two on one port: %+v", found)
	}
	zoned := desired(t, "subnet", "a", values{"vpc": text("vpc-1"), "cidr": text("10.0.1.0/24"), "zone": text("us-east-1a")})
	for kind, want := range map[string]int{"application": 1, "network": 0} {
		d := resource.Desired{Ref: ref("load_balancer", "web"), Attrs: resource.AttrsOf(values{"balancer_type": text(kind), "subnets": resource.List{resource.Reference{Ref: zoned.Ref}}})}
		if found := kindOf(t, "load_balancer").CrossCheck([]*resource.Desired{&d}, func(resource.Ref) *resource.Desired { return &zoned }); len(found) != want {
			t.Errorf("%s in one zone: %+v", kind, found)
		}
	}
}
