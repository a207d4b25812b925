package aws_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func (w *liveState) dns() *route53.Client {
	return route53.New(route53.Options{
		Region: "us-east-1", HTTPClient: &http.Client{Transport: w.cloud}, Credentials: credentials.NewStaticCredentialsProvider("HAND", "x", ""),
	})
}

func zoneOf(t *testing.T, name, domain string, more values) resource.Desired {
	t.Helper()
	a := values{"domain": text(domain)}
	for k, v := range more {
		a[k] = v
	}
	return desired(t, "dns_zone", name, a, "team", "web")
}

func recordOf(t *testing.T, zone, domain, kind string, more values) resource.Desired {
	t.Helper()
	a := values{"zone": text(zone), "domain": text(domain), "record_type": text(kind)}
	for k, v := range more {
		a[k] = v
	}
	return desired(t, "dns_record", strings.ReplaceAll(strings.ToLower(domain), "*", "any")+"-"+strings.ToLower(kind), a)
}

func list(s ...string) resource.Value {
	out := resource.List{}
	for _, v := range s {
		out = append(out, text(v))
	}
	return out
}

func (w *liveState) recordSet(zone, domain, kind string) (resource.Observed, bool) {
	w.t.Helper()
	s := w.observed()
	i := slices.IndexFunc(s.Resources, func(o resource.Observed) bool { return o.ID == zone+"/"+domain+"/"+kind })
	if i < 0 {
		return resource.Observed{}, false
	}
	return s.Resources[i], true
}

func TestAZoneAndItsRecords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	d := zoneOf(t, "main", "Example.com.", nil)
	r := s.request(d)
	zone, err := s.p.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	s.settled(d, nil)
	if n := len(zone.Attrs.Texts("name_servers")); n != 4 || !strings.HasPrefix(zone.ID, "Z") {
		t.Errorf("%s has %d name servers", zone.ID, n)
	}
	if again, err := s.p.Create(t.Context(), r); err != nil || again.ID != zone.ID {
		t.Errorf("again with its key: %v %v", again.ID, err)
	}
	d = zoneOf(t, "main", "example.com", values{"comment": text("of the shop")})
	s.mustUpdate(d, zone, nil)
	s.settled(d, nil)

	lb := s.make(s.balancer("Web", nil))
	alias := func(healthy bool) resource.Value {
		dns, _ := lb.Attrs.Get("dns_name")
		zone, _ := lb.Attrs.Get("zone_id")
		return resource.AttrsOf(values{"dns_name": dns, "zone_id": zone, "check_health": resource.Bool(healthy)})
	}
	long := strings.Repeat("x", 300) + ` "quoted" \ ä`
	for _, c := range []struct {
		domain, kind string
		first, then  values
	}{
		{"www.example.com", "A", values{"values": list("192.0.2.2", "192.0.2.1")}, values{"values": list("192.0.2.3"), "ttl": resource.Int(60)}},
		{"WWW.example.com", "AAAA", values{"values": list("2001:DB8:0::1")}, values{"values": list("2001:db8::2")}},
		{"*.example.com", "CNAME", values{"values": list("www.example.com.")}, values{"values": list("other.example.com")}},
		{"example.com", "TXT", values{"values": list("v=spf1 -all", long)}, values{"values": list("v=spf1 ~all")}},
		{"example.com", "MX", values{"values": list("10 mail.example.com.", "20 mail.example.net")}, values{"values": list("10 mail.example.com")}},
		{"example.com", "A", values{"alias": alias(false)}, values{"alias": alias(true)}},
	} {
		d := recordOf(t, zone.ID, c.domain, c.kind, c.first)
		r := s.request(d)
		o, err := s.p.Create(t.Context(), r)
		if err != nil {
			t.Errorf("create %s %s: %v", c.domain, c.kind, errorText(err))
			continue
		}
		same := func(d resource.Desired) {
			t.Helper()
			o, there := s.recordSet(zone.ID, strings.ToLower(c.domain), c.kind)
			if diff := changes(t, d, o, nil); !there || len(diff) > 0 {
				t.Errorf("%s %s: %v %+v", c.domain, c.kind, there, diff)
			}
		}
		same(d)
		if again, err := s.p.Create(t.Context(), r); err != nil || again.ID != o.ID {
			t.Errorf("%s again with its key: %v %v", c.domain, again.ID, err)
		}
		d = recordOf(t, zone.ID, c.domain, c.kind, c.then)
		s.mustUpdate(d, o, nil)
		same(d)
	}

	if err := s.remove(zone); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "example.com TXT") {
		t.Errorf("a zone with records: %v", errorText(err))
	}
	for _, o := range s.observed().Resources {
		if o.Ref.Kind == "dns_record" && o.Message != resource.ProviderDefault {
			if err := s.remove(o); err != nil {
				t.Errorf("delete %s: %v", o.ID, errorText(err))
			}
			if err := s.remove(o); err != nil {
				t.Errorf("delete %s again: %v", o.ID, errorText(err))
			}
		}
	}
	for range 2 {
		if err := s.remove(zone); err != nil {
			t.Errorf("delete the zone: %v", errorText(err))
		}
	}
}

// What exists is not taken over, also where it is as configured: a later deletion would delete it.
func TestARecordOfAnotherHandIsNotTaken(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	zone := w.make(zoneOf(t, "main", "example.com", nil)).ID
	by := w.dns()
	must[*route53.ChangeResourceRecordSetsOutput](t)(by.ChangeResourceRecordSets(t.Context(), &route53.ChangeResourceRecordSetsInput{
		HostedZoneId: &zone, ChangeBatch: &types.ChangeBatch{Changes: []types.Change{{Action: types.ChangeActionCreate, ResourceRecordSet: &types.ResourceRecordSet{
			Name: sdk.String("www.example.com"), Type: types.RRTypeA, TTL: sdk.Int64(300), ResourceRecords: []types.ResourceRecord{{Value: sdk.String("192.0.2.1")}},
		}}}},
	}))
	d := recordOf(t, zone, "www.example.com", "A", values{"values": list("192.0.2.1")})
	for _, err := range []error{w.p.Check(t.Context(), w.request(d)), must2err(w.p.Create(t.Context(), w.request(d)))} {
		if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "ovi adopt dns_record/www.example.com-a --id "+zone+"/www.example.com/A") {
			t.Errorf("%v", errorText(err))
		}
	}
	d = zoneOf(t, "second", "example.com", nil)
	for _, err := range []error{w.p.Check(t.Context(), w.request(d)), must2err(w.p.Create(t.Context(), w.request(d)))} {
		if provider.CauseOf(err) != provider.InUse {
			t.Errorf("a second zone of the domain: %v", errorText(err))
		}
	}
	net := w.make(desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")}))
	w.make(zoneOf(t, "inside", "example.com", values{"vpc": text(net.ID)})) // sees what is in the VPC
}

// A change that another hand makes between reading and changing is not overwritten: the batch is refused.
func TestARecordIsChangedFromWhatItWas(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	zone := w.make(zoneOf(t, "main", "example.com", nil)).ID
	d := recordOf(t, zone, "www.example.com", "A", values{"values": list("192.0.2.1")})
	have := w.make(d)
	w.fault(sandbox.Fault{
		Kind: sandbox.Refused, Service: "route53", Action: "ChangeResourceRecordSets", Code: "InvalidChangeBatch",
		Message: "Tried to delete resource record set [name='www.example.com.', type='A'] but the values provided do not match the current values", Status: 400,
	})
	_, err := w.update(recordOf(t, zone, "www.example.com", "A", values{"values": list("192.0.2.2")}), have, nil)
	if provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "do not match the current values") {
		t.Errorf("%v", errorText(err))
	}
}

func TestLostAnswersOfDNS(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"CreateHostedZone", "ChangeTagsForResource", "ChangeResourceRecordSets"} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "route53", Action: call, Times: 4}) // also those of the SDK
			s := &site{liveState: w}
			zone := s.create(zoneOf(t, "main", "example.com", nil))
			d := recordOf(t, zone, "www.example.com", "A", values{"values": list("192.0.2.1")})
			r := w.request(d)
			var err error
			for range 5 {
				if _, err = w.p.Create(t.Context(), r); err == nil {
					break
				}
			}
			o, there := w.recordSet(zone, "www.example.com", "A")
			if err != nil || !there || len(changes(t, d, o, nil)) > 0 {
				t.Errorf("%v %v", there, errorText(err))
			}
			w.fault(sandbox.Fault{Kind: sandbox.Lost, Service: "route53", Action: "ChangeResourceRecordSets", Times: 1})
			if err := w.remove(o); err != nil {
				t.Errorf("delete: %v", errorText(err))
			}
			zones := 0
			for _, o := range w.observed().Resources {
				if o.Ref.Kind == "dns_zone" {
					zones++
				}
			}
			if zones != 1 {
				t.Errorf("%d zones", zones)
			}
		})
	}
}

// TestADeleteWithoutAnAnswerSparesAnotherRecord asserts that a record which another hand created with other values, after
// a delete whose answer was lost, is not deleted.
func TestADeleteWithoutAnAnswerSparesAnotherRecord(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	zone := w.make(zoneOf(t, "main", "example.com", nil)).ID
	have := w.make(recordOf(t, zone, "www.example.com", "A", values{"values": list("192.0.2.1")}))
	by, posts := w.dns(), 0
	w.hooked(func(h *hook, _ string, r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodPost || !strings.Contains(r.URL.Path, "/rrset") {
			return h.cloud.RoundTrip(r)
		}
		if posts++; posts == 1 {
			answer, err := h.cloud.RoundTrip(r)
			if err != nil {
				return nil, err
			}
			_ = answer.Body.Close()
			must[*route53.ChangeResourceRecordSetsOutput](t)(by.ChangeResourceRecordSets(t.Context(), &route53.ChangeResourceRecordSetsInput{
				HostedZoneId: &zone, ChangeBatch: &types.ChangeBatch{Changes: []types.Change{{Action: types.ChangeActionCreate, ResourceRecordSet: &types.ResourceRecordSet{
					Name: sdk.String("www.example.com"), Type: types.RRTypeA, TTL: sdk.Int64(300), ResourceRecords: []types.ResourceRecord{{Value: sdk.String("192.0.2.9")}},
				}}}},
			}))
			return nil, io.ErrUnexpectedEOF
		}
		return h.cloud.RoundTrip(r)
	})
	if err := w.remove(have); provider.CauseOf(err) != provider.InUse || !strings.Contains(errorText(err), "was changed meanwhile") {
		t.Errorf("%v", errorText(err))
	}
	if o, there := w.recordSet(zone, "www.example.com", "A"); !there || len(o.Attrs.Texts("values")) != 1 || o.Attrs.Texts("values")[0] != "192.0.2.9" {
		t.Errorf("the other record: %t %v", there, o.Attrs)
	}
}

// A process that ends after CreateHostedZone leaves a zone without tags: it has its marks in its caller reference,
// and another process finishes it with the key.
func TestAZoneWithoutTagsIsFinished(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: "route53", Action: "ChangeTagsForResource", Times: 1})
	d := zoneOf(t, "main", "example.com", nil)
	r := w.request(d)
	if _, err := w.p.Create(t.Context(), r); provider.CauseOf(err) != provider.Denied {
		t.Fatalf("%v", err)
	}
	o, there := w.find(d.Ref)
	if !there || o.Marks.Ref != d.Ref || o.Marks.Key != r.Key {
		t.Fatalf("without tags it is %+v", o)
	}
	w.p = provideOn(w.cloud, 4)
	again, err := w.p.Create(t.Context(), r)
	if err != nil || again.ID != o.ID {
		t.Fatalf("%s is %s: %v", o.ID, again.ID, err)
	}
	w.settled(d, nil)
}

func TestConfigurationsOfRecords(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]values{
		"either values or alias":     {"record_type": text("A")},
		"needs IPv4 addresses":       {"record_type": text("A"), "values": list("www.example.com")},
		"needs IPv6 addresses":       {"record_type": text("AAAA"), "values": list("192.0.2.1")},
		"a priority and a name":      {"record_type": text("MX"), "values": list("mail.example.com")},
		"has quotes around it":       {"record_type": text("TXT"), "values": list(`"v=spf1"`)},
		"a CNAME has one value":      {"record_type": text("CNAME"), "values": list("a.example.com", "b.example.com")},
		"an alias has no TTL":        {"record_type": text("A"), "ttl": resource.Int(60), "alias": object("dns_name", "x.example.com", "zone_id", "Z1")},
		"an alias is of type A or A": {"record_type": text("TXT"), "alias": object("dns_name", "x.example.com", "zone_id", "Z1")},
	} {
		a["zone"], a["domain"] = text("Z1"), text("www.example.com")
		_, problems := resource.Check(kindOf(t, "dns_record"), resource.AttrsOf(a))
		if len(problems) != 1 || !strings.Contains(problems[0].Summary, want) {
			t.Errorf("%s: %+v", want, problems)
		}
	}
	zone := zoneOf(t, "main", "example.com", nil)
	in := func(name, domain, kind string) *resource.Desired {
		v := list("192.0.2.1")
		if kind == "CNAME" {
			v = list("www.example.com")
		}
		d := desired(t, "dns_record", name, values{"zone": resource.Reference{Ref: zone.Ref}, "domain": text(domain), "record_type": text(kind), "values": v})
		return &d
	}
	found := kindOf(t, "dns_record").CrossCheck([]*resource.Desired{
		in("a", "www.example.com", "A"), in("b", "www.example.com", "A"), in("c", "www.example.com", "CNAME"), in("d", "www.example.org", "A"), in("e", "example.com", "CNAME"),
	}, func(r resource.Ref) *resource.Desired {
		if r == zone.Ref {
			return &zone
		}
		return nil
	})
	var got []string
	for _, f := range found {
		got = append(got, f.Ref.Name+" "+f.Summary)
	}
	slices.Sort(got)
	want := []string{
		"b duplicate record www.example.com A: it is dns_record/a too",
		"c www.example.com has a CNAME, which allows no other record: dns_record/b",
		"d www.example.org is not in the zone example.com",
		"e the domain of a zone cannot be a CNAME",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A record with a routing policy, the records that came with a zone, and a zone of AWS's are shown and not ours.
func TestWhatOfDNSIsNotManaged(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	by := w.dns()
	zone := strings.TrimPrefix(*must[*route53.CreateHostedZoneOutput](t)(by.CreateHostedZone(t.Context(), &route53.CreateHostedZoneInput{
		Name: sdk.String("example.org"), CallerReference: sdk.String("by hand"),
	})).HostedZone.Id, "/hostedzone/")
	must[*route53.ChangeResourceRecordSetsOutput](t)(by.ChangeResourceRecordSets(t.Context(), &route53.ChangeResourceRecordSetsInput{
		HostedZoneId: &zone, ChangeBatch: &types.ChangeBatch{Changes: []types.Change{{Action: types.ChangeActionCreate, ResourceRecordSet: &types.ResourceRecordSet{
			Name: sdk.String("www.example.org"), Type: types.RRTypeA, TTL: sdk.Int64(300), SetIdentifier: sdk.String("blue"), Weight: sdk.Int64(10),
			ResourceRecords: []types.ResourceRecord{{Value: sdk.String("192.0.2.1")}},
		}}}},
	}))
	seen := map[string]string{}
	for _, o := range w.observed().Resources {
		if strings.HasPrefix(o.Ref.Kind, "dns_") {
			seen[o.Ref.Kind+" "+o.Ref.Name] = o.OwnedBy + "/" + o.Message
		}
	}
	for name, want := range map[string]string{
		"dns_zone example.org": "/", "dns_record example.org-NS": "/" + resource.ProviderDefault, "dns_record example.org-SOA": "/" + resource.ProviderDefault,
		"dns_record www.example.org-A-blue": "routing policy blue/",
	} {
		if got, there := seen[name]; !there || got != want {
			t.Errorf("%s: %v %q, want %q", name, there, got, want)
		}
	}
}
