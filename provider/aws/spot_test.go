package aws_test

import (
	"bytes"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func TestASpotInstance(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := machine(t, values{"spot": resource.Bool(true), "spot_max_price": text("0.02")})
	o := w.created(d)
	all := must[*ec2.DescribeInstancesOutput](t)(w.ec2().DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{o.ID}}))
	if i := all.Reservations[0].Instances[0]; i.InstanceLifecycle != ec2types.InstanceLifecycleTypeSpot {
		t.Errorf("lifecycle %q", i.InstanceLifecycle)
	}
	if _, err := w.ec2().StopInstances(t.Context(), &ec2.StopInstancesInput{InstanceIds: []string{o.ID}}); err == nil || !strings.Contains(err.Error(), "UnsupportedOperation") {
		t.Errorf("stopping it: %v", err)
	}
	effect := kindOf(t, "ec2").EffectOf
	for name, more := range map[string]values{"size": {"size": text("t3.small"), "spot": resource.Bool(true)}, "spot": {"spot": resource.Bool(false)}} {
		c := changes(t, machine(t, more), o, nil)
		if len(c) != 1 || c[0].Path != name || effect(o, c[0]) != resource.Replace {
			t.Errorf("%s: %+v", name, c)
		}
	}
	plain := o
	plain.Attrs = o.Attrs.With("spot", resource.Bool(false))
	if c := changes(t, machine(t, values{"size": text("t3.small")}), plain, nil); len(c) != 1 || effect(plain, c[0]) != resource.Restart {
		t.Errorf("the size of another instance: %+v", c)
	}
	if c := changes(t, machine(t, values{"spot": resource.Bool(true), "imds_hop_limit": resource.Int(1)}), o, nil); len(c) != 1 || effect(o, c[0]) != resource.InPlace {
		t.Errorf("what changes while it runs: %+v", c)
	}
	if err := w.remove(o); err != nil {
		t.Fatal(err)
	}
}

func TestATemplateOfSpotInstances(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := templateOf(t, values{"spot": resource.Bool(true), "spot_max_price": text("0.02")})
	o := w.created(d)
	if c := changes(t, templateOf(t, values{"spot": resource.Bool(true), "spot_max_price": text("0.03")}), o, nil); len(c) != 1 || c[0].Effect != resource.InPlace {
		t.Errorf("another price: %+v", c)
	}
	d = templateOf(t, values{"spot": resource.Bool(false)})
	w.mustUpdate(d, o, nil)
	w.settled(d, nil)
	data := must[*ec2.DescribeLaunchTemplateVersionsOutput](t)(w.ec2().DescribeLaunchTemplateVersions(t.Context(), &ec2.DescribeLaunchTemplateVersionsInput{LaunchTemplateId: &o.ID, Versions: []string{"1"}}))
	if m := data.LaunchTemplateVersions[0].LaunchTemplateData.InstanceMarketOptions; m == nil || sdk.ToString(m.SpotOptions.MaxPrice) != "0.02" {
		t.Errorf("market of version 1: %+v", m)
	}
}

func TestSpotInstancesWithMistakes(t *testing.T) {
	for path, a := range map[string]values{
		"spot_max_price":         {"spot_max_price": text("0.02")},
		"termination_protection": {"spot": resource.Bool(true), "termination_protection": resource.Bool(true)},
	} {
		a["size"] = text("t3.micro")
		if _, problems := resource.Check(kindOf(t, "ec2"), resource.AttrsOf(a)); len(problems) != 1 || problems[0].Path != path {
			t.Errorf("%s: %+v", path, problems)
		}
	}
	d := machine(t, values{"spot": resource.Bool(true), "state": text("stopped")})
	found := kindOf(t, "ec2").CrossCheck([]*resource.Desired{&d}, func(resource.Ref) *resource.Desired { return nil })
	if len(found) != 1 || found[0].Path != "spot" {
		t.Errorf("%+v", found)
	}
	if text := string(bytes.Join(aws.IAMPolicyFor([]resource.Intent{{Stack: "shop", Resources: []resource.Desired{d}}}), nil)); !strings.Contains(text, "spot.amazonaws.com") {
		t.Error("the role of spot instances may not be created")
	}
}

// TestDeletingAnInstanceEndsItsSpotRequest: a persistent request would launch another instance, which no one knows of.
func TestDeletingAnInstanceEndsItsSpotRequest(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string][]sandbox.Fault{
		"at once": nil, "stopped": nil,
		"lost answers": {{Kind: sandbox.Lost, Service: "ec2", Action: "CancelSpotInstanceRequests", Times: 1}, {Kind: sandbox.Lost, Service: "ec2", Action: "TerminateInstances", Times: 1}},
		"refused":      {{Kind: sandbox.Denied, Service: "ec2", Action: "CancelSpotInstanceRequests", Times: 1}},
		"unknown":      {{Kind: sandbox.Refused, Service: "ec2", Action: "CancelSpotInstanceRequests", Code: "InvalidSpotInstanceRequestID.NotFound", Status: 400, Times: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newLiveState(t)
			made := must[*ec2.RunInstancesOutput](t)(w.ec2().RunInstances(t.Context(), &ec2.RunInstancesInput{
				ImageId: sdk.String("ami-0123456789abcdef0"), InstanceType: "t3.micro", MinCount: sdk.Int32(1), MaxCount: sdk.Int32(1),
				InstanceMarketOptions: &ec2types.InstanceMarketOptionsRequest{MarketType: ec2types.MarketTypeSpot, SpotOptions: &ec2types.SpotMarketOptions{SpotInstanceType: ec2types.SpotInstanceTypePersistent}},
			}))
			id := sdk.ToString(made.Instances[0].InstanceId)
			living := func() (out []string) {
				for _, o := range w.ofKind("ec2") {
					out = append(out, o.ID)
				}
				return out
			}
			o := w.ofKind("ec2")[0]
			if name == "stopped" {
				must[*ec2.StopInstancesOutput](t)(w.ec2().StopInstances(t.Context(), &ec2.StopInstancesInput{InstanceIds: []string{id}}))
			}
			w.fault(faults...)
			err := w.remove(o)
			if refused := name == "refused"; refused != (err != nil) {
				t.Fatal(err)
			}
			left := living()
			if name == "refused" {
				if len(left) != 1 || left[0] != id {
					t.Fatalf("living after the refusal: %v", left)
				}
				if err := w.remove(o); err != nil {
					t.Fatal(err)
				}
				left = living()
			}
			if want := map[string]int{"unknown": 1}[name]; len(left) != want {
				t.Errorf("living: %v", left)
			}
			if err := w.remove(o); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}
