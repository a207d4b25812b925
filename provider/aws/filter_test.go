package aws_test

import (
	"fmt"
	"slices"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// TestAFilterShowsAllThatMayBeOvis: what lost its tags by its ID, what got copies of them, and of what was
// adopted the root volume; not what others have.
func TestAFilterShowsAllThatMayBeOvis(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	own := w.make(micro(t)("web"))
	stripped := w.make(micro(t)("old"))
	if _, err := w.ec2().DeleteTags(t.Context(), &ec2.DeleteTagsInput{Resources: []string{stripped.ID}}); err != nil {
		t.Fatal(err)
	}
	adopted, foreign := w.run(1)[0], w.run(5)
	copied := w.run(1, ec2types.Tag{Key: sdk.String("ovi:ref"), Value: sdk.String("aws/us-east-1/ec2/web")})[0]
	f := &provider.Filter{IDs: map[string][]string{"ec2": {own.ID, stripped.ID, adopted, "i-0123456789abcdef0"}}}
	before := w.cloud.Counts()
	s, err := provideOn(w.cloud, 2).Observe(t.Context(), provider.ObserveRequest{Scope: regional, Kinds: []string{"ec2", "ebs"}, Filter: f})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range s.Resources {
		got = append(got, o.ID)
		if root, _ := o.Attrs.Get("root_volume"); o.Ref.Kind != "ec2" || root == nil && o.ID != copied {
			t.Errorf("%s %s has the root volume %v", o.Ref.Kind, o.ID, root)
		}
	}
	for _, id := range []string{own.ID, stripped.ID, adopted, copied} {
		if !slices.Contains(got, id) {
			t.Errorf("%s is hidden: %v", id, got)
		}
	}
	if len(got) != 4 || !slices.Equal(s.Filtered, []string{"ebs", "ec2"}) || s.Covers("ec2") != nil || s.Covers("ebs") != nil {
		t.Errorf("%v, without %v; filtered: %v", got, foreign, s.Filtered)
	}
	after := w.cloud.Counts()
	if n := total(after) - total(before); n > 5 {
		t.Errorf("%d calls", n)
	}
}

// TestAnObservationInFullHasNoFilter, so that what others create and delete is on record.
func TestAnObservationInFullHasNoFilter(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.run(3)
	s, err := w.observe()
	if err != nil || s.Filtered != nil || s.Complete != nil {
		t.Fatalf("filtered %v, complete %v, %v", s.Filtered, s.Complete, err)
	}
	n := 0
	for _, o := range s.Resources {
		if o.Ref.Kind == "ec2" && o.Marks == (resource.Marks{}) {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d of 3 instances of others are listed", n)
	}
}

// TestAFilterOfEachKindItMayBeOf: what carries tags of ovi, a part of them, or none and is on record is shown, with its
// ID as its natural name whatever its Name tag is. What others have is hidden.
func TestAFilterOfEachKindItMayBeOf(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc, subnet := w.network()
	in, at := text(vpc.ID), text(subnet.ID)
	kinds := map[string]func(n int) values{
		"subnet":         func(n int) values { return values{"vpc": in, "cidr": text(fmt.Sprintf("10.0.%d.0/24", 100+n))} },
		"security_group": func(int) values { return values{"vpc": in} },
		"internet_gateway": func(n int) values { // each VPC has one
			name := fmt.Sprintf("net-%d", n)
			return values{"vpc": text(w.make(desired(t, "vpc", name, values{"cidr": text("10.0.0.0/16")})).ID)}
		},
		"route_table":       func(int) values { return values{"vpc": in} },
		"eip":               func(int) values { return values{} },
		"nat_gateway":       func(int) values { return values{"subnet": at, "connectivity": text("private")} },
		"network_interface": func(int) values { return values{"subnet": at} },
		"vpc_endpoint": func(int) values {
			return values{
				"vpc": in, "service": text("com.amazonaws.us-east-1.logs"), "endpoint_type": text("interface"),
				"subnets": list(subnet.ID), "private_dns": resource.Bool(false),
			}
		},
	}
	for kind, attrs := range kinds {
		made := map[string]resource.Observed{}
		for n, name := range []string{"own", "stripped", "partial", "foreign"} {
			o := w.created(desired(t, kind, name, attrs(n)))
			made[name] = o
			if name == "own" {
				continue
			}
			w.untag(o.ID)
			tags := map[string]string{"Name": "own"} // a configured name that another owner uses
			if name == "partial" {
				tags["ovi:stack"] = "web"
			}
			w.tagByHand(kind, o.ID, tags)
		}
		gone := "x-0123456789abcdef0"
		f := &provider.Filter{IDs: map[string][]string{kind: {made["own"].ID, made["stripped"].ID, gone}}}
		s, err := provideOn(w.cloud, 2).Observe(t.Context(), provider.ObserveRequest{Scope: regional, Kinds: []string{kind}, Filter: f})
		if err != nil {
			t.Fatalf("%s: %v", kind, errorText(err))
		}
		names := map[string]string{}
		for _, o := range s.Resources {
			names[o.ID] = o.Ref.Name
		}
		for _, name := range []string{"own", "stripped", "partial"} {
			if id := made[name].ID; names[id] != id {
				t.Errorf("%s: the %s one, %s, is listed as %q", kind, name, id, names[id])
			}
		}
		if _, shown := names[made["foreign"].ID]; shown || !slices.Equal(s.Filtered, []string{kind}) || s.Covers(kind) != nil {
			t.Errorf("%s: the one of another owner is shown: %t; filtered: %v", kind, shown, s.Filtered)
		}
		all, err := provideOn(w.cloud, 2).Observe(t.Context(), provider.ObserveRequest{Scope: regional, Kinds: []string{kind}})
		if err != nil || !slices.ContainsFunc(all.Resources, func(o resource.Observed) bool { return o.ID == made["foreign"].ID }) || all.Filtered != nil {
			t.Errorf("%s: without a filter %v are listed, filtered: %v, %v", kind, all.Resources, all.Filtered, err)
		}
	}
}

// TestKindsWithNamesAreListedInFull, with a filter too: what has a configured name is in its way.
func TestKindsWithNamesAreListedInFull(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	for kind, a := range map[string]values{"vpc": {"cidr": text("10.9.0.0/16")}, "launch_template": {"size": text("t3.micro")}} {
		o := w.created(desired(t, kind, "own", a))
		w.untag(o.ID)
		s, err := provideOn(w.cloud, 2).Observe(t.Context(), provider.ObserveRequest{Scope: regional, Kinds: []string{kind}, Filter: &provider.Filter{}})
		if err != nil || s.Filtered != nil || !slices.ContainsFunc(s.Resources, func(x resource.Observed) bool { return x.ID == o.ID }) {
			t.Errorf("%s: %s is not among %v; filtered: %v, %v", kind, o.ID, s.Resources, s.Filtered, err)
		}
	}
}

// untag removes all tags of a resource of EC2.
func (w *liveState) untag(id string) {
	w.t.Helper()
	if _, err := w.ec2().DeleteTags(w.t.Context(), &ec2.DeleteTagsInput{Resources: []string{id}}); err != nil {
		w.t.Fatal(err)
	}
}
