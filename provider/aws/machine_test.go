package aws_test

import (
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/resource"
)

func machine(t *testing.T, more values) resource.Desired {
	t.Helper()
	a := values{"size": text("t3.micro")}
	for k, v := range more {
		a[k] = v
	}
	return desired(t, "ec2", "web", a, "team", "web")
}

func TestARouterAndItsHops(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"running", "stopped"} {
		w := newLiveState(t)
		d := machine(t, values{"source_dest_check": resource.Bool(false), "imds_hop_limit": resource.Int(3), "state": text(state)})
		o := w.make(d)
		w.settled(d, nil)
		d = machine(t, values{"source_dest_check": resource.Bool(true), "imds_hop_limit": resource.Int(1), "state": text(state)})
		stops := w.count("ec2.StopInstances")
		w.mustUpdate(d, o, nil)
		w.settled(d, nil)
		if w.count("ec2.StopInstances") != stops {
			t.Error("it was stopped for what changes while it runs")
		}
	}
}

// What another hand set and the configuration does not mention stays as it is when its neighbor changes.
func TestAHopLimitDoesNotTouchTheTokens(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(machine(t, values{"imds_hop_limit": resource.Int(3)}))
	must[*ec2.ModifyInstanceMetadataOptionsOutput](t)(w.ec2().ModifyInstanceMetadataOptions(t.Context(), &ec2.ModifyInstanceMetadataOptionsInput{
		InstanceId: &o.ID, HttpTokens: ec2types.HttpTokensStateOptional,
	}))
	must[*ec2.ModifyInstanceAttributeOutput](t)(w.ec2().ModifyInstanceAttribute(t.Context(), &ec2.ModifyInstanceAttributeInput{
		InstanceId: &o.ID, SourceDestCheck: &ec2types.AttributeBooleanValue{Value: sdk.Bool(false)},
	}))
	o, _ = w.find(o.Marks.Ref)
	d := machine(t, values{"imds_hop_limit": resource.Int(2)})
	d.Attrs = d.Attrs.Without("imdsv2") // as of one that was adopted
	if c := changes(t, d, o, nil); len(c) != 1 || c[0].Path != "imds_hop_limit" || c[0].Effect != resource.InPlace {
		t.Fatalf("%+v", c)
	}
	w.mustUpdate(d, o, nil)
	o = w.settled(d, nil)
	if attr(o, "imdsv2") != text("optional") || attr(o, "source_dest_check") != resource.Bool(false) {
		t.Errorf("tokens %v, source and destination check %v", attr(o, "imdsv2"), attr(o, "source_dest_check"))
	}
}

func TestTheHopLimitOfATemplate(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := templateOf(t, values{"imds_hop_limit": resource.Int(2)})
	o := w.created(d)
	d = templateOf(t, values{"imds_hop_limit": resource.Int(1)})
	w.mustUpdate(d, o, nil)
	w.settled(d, nil)
}
