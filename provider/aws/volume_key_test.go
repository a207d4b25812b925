package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/kms"

	"github.com/ovi-project/ovi/resource"
)

func root(t *testing.T, more values) values {
	t.Helper()
	return values{"root_volume": resource.AttrsOf(more)}
}

// awaitVolumes waits until the changes of all volumes are completed: AWS refuses another one until then.
func (w *liveState) awaitVolumes() {
	w.t.Helper()
	for running := true; running; sleepBriefly() {
		running = false
		out := must[*ec2.DescribeVolumesModificationsOutput](w.t)(ec2.NewFromConfig(hand(w.cloud)).DescribeVolumesModifications(w.t.Context(), nil))
		for _, m := range out.VolumesModifications {
			running = running || m.ModificationState != types.VolumeModificationStateCompleted
		}
	}
}

func TestTheRootVolumeIsTuned(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := machine(t, root(t, values{"size": resource.Int(20), "iops": resource.Int(4000), "throughput": resource.Int(500)}))
	o := w.make(d)
	w.settled(d, nil)
	d = machine(t, root(t, values{"size": resource.Int(20), "iops": resource.Int(6000), "throughput": resource.Int(250)}))
	if c := changes(t, d, o, nil); len(c) != 2 || c[0].Effect != resource.InPlace || c[1].Effect != resource.InPlace {
		t.Errorf("%+v", c)
	}
	w.mustUpdate(d, o, nil)
	o = w.settled(d, nil)
	if n := w.count("ec2.ModifyVolume"); n != 1 {
		t.Errorf("%d changes of the volume for one change of the configuration", n)
	}
	w.awaitVolumes()
	// A type whose performance follows from its size has none that could be written.
	d = machine(t, root(t, values{"size": resource.Int(20), "type": text("gp2")}))
	w.mustUpdate(d, o, nil)
	o = w.settled(d, nil)
	v, _ := attr(o, "root_volume").(resource.Attrs)
	if iops, set := v.Get("iops"); set {
		t.Errorf("gp2 has iops %v", iops)
	}
	if _, problems := resource.Check(kindOf(t, "ec2"), resource.AttrsOf(values{"size": text("t3.micro"), "root_volume": v})); len(problems) > 0 {
		t.Errorf("what was observed cannot be configured: %+v", problems)
	}
}

func TestTheKeyOfAVolume(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	arn := attr(w.make(desired(t, "kms_key", "disks", nil)), "arn")
	web := machine(t, root(t, values{"kms_key": arn}))
	o := w.make(web)
	w.settled(web, nil)
	disk := desired(t, "ebs", "data", values{"size": resource.Int(10), "zone": text("us-east-1a"), "kms_key": arn})
	w.created(disk)
	template := templateOf(t, root(t, values{"kms_key": arn, "iops": resource.Int(4000), "throughput": resource.Int(250)}))
	made := w.created(template)
	template = templateOf(t, root(t, values{"iops": resource.Int(3000)}))
	w.mustUpdate(template, made, nil)
	w.settled(template, nil)

	other := attr(w.make(desired(t, "kms_key", "other", nil)), "arn")
	if c := changes(t, machine(t, root(t, values{"kms_key": other})), o, nil); len(c) != 1 || c[0].Path != "root_volume.kms_key" || c[0].Effect != resource.Replace {
		t.Errorf("another key: %+v", c)
	}
	if plain, seen := w.make(desired(t, "ec2", "plain", values{"size": text("t3.micro")})), machine(t, nil); len(changes(t, seen, plain, nil)) > 1 { // the tag
		t.Error("a key that is not configured is compared")
	}
}

// AWS answers before it has tried the key: the instance ends, the volume is in error.
func TestAKeyThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	key := w.make(desired(t, "kms_key", "disks", nil))
	must[*kms.DisableKeyOutput](t)(kms.NewFromConfig(hand(w.cloud)).DisableKey(t.Context(), &kms.DisableKeyInput{KeyId: &key.ID}))
	arn := attr(key, "arn")
	for want, d := range map[string]resource.Desired{
		"InvalidKMSKey.InvalidState": machine(t, root(t, values{"kms_key": arn})),
		"check the key":              desired(t, "ebs", "data", values{"size": resource.Int(10), "zone": text("us-east-1a"), "kms_key": arn}),
	} {
		_, err := w.p.Create(t.Context(), w.request(d))
		if err == nil || !strings.Contains(errorText(err), want) {
			t.Errorf("%s: %v", d.Ref.Kind, errorText(err))
		}
	}
	for _, o := range w.observed().Resources {
		if o.Ref.Kind == "ec2" {
			t.Errorf("an instance is left: %+v", o)
		}
	}
}

func TestVolumesWithMistakes(t *testing.T) {
	const arn = "arn:aws:kms:us-east-1:123456789012:key/1"
	for want, a := range map[string]values{
		"does not support iops":   {"type": text("gp2"), "iops": resource.Int(3000)},
		"requires iops":           {"type": text("io2")},
		"is not encrypted":        {"encrypted": resource.Bool(false), "kms_key": text(arn)},
		"too few for 1000":        {"throughput": resource.Int(1000), "iops": resource.Int(3000)},
		"does not support 100000": {"iops": resource.Int(100000)},
		"it must match":           {"kms_key": text("alias/disks")},
	} {
		_, problems := resource.Check(kindOf(t, "ec2"), resource.AttrsOf(values{"size": text("t3.micro"), "root_volume": resource.AttrsOf(a)}))
		if len(problems) != 1 || !strings.HasPrefix(problems[0].Path, "root_volume.") || !strings.Contains(problems[0].Summary, want) {
			t.Errorf("%s: %+v", want, problems)
		}
	}
}
