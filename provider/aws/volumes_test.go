package aws_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestVolumeIsAttachedMovedGrownAndDeleted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	one := w.make(desired(t, "ec2", "one", values{"size": text("t3.micro")}))
	two := w.make(desired(t, "ec2", "two", values{"size": text("t3.micro"), "zone": text("us-east-1a")}))
	zone, _ := two.Attrs.Get("zone")
	_ = zone
	d := desired(t, "ebs", "data", values{"size": resource.Int(10), "attach_to": text(one.ID)}, "team", "db")
	w.make(d)
	seen := w.settled(d, nil)
	if enc, _ := seen.Attrs.Get("encrypted"); enc != resource.Bool(true) {
		t.Error("it is not encrypted")
	}
	if z, _ := seen.Attrs.Get("zone"); z != attr(one, "zone") {
		t.Errorf("zone %v, the instance's is %v", z, attr(one, "zone"))
	}

	d = desired(t, "ebs", "data", values{"size": resource.Int(20), "iops": resource.Int(4000), "attach_to": text(one.ID), "device": text("/dev/sdg")}, "team", "data")
	w.mustUpdate(d, seen, nil)
	seen = w.settled(d, nil)

	if attr(one, "zone") == attr(two, "zone") {
		d = desired(t, "ebs", "data", values{"size": resource.Int(20), "attach_to": text(two.ID)})
		w.mustUpdate(d, seen, nil)
		seen = w.settled(d, nil)
	}

	d = desired(t, "ebs", "data", values{"size": resource.Int(5), "attach_to": text(one.ID)})
	if all := changes(t, d, seen, nil); attr(one, "zone") == attr(two, "zone") && len(all) != 1 { // that of attach_to
		t.Errorf("shrinking: %v", all)
	}
	if err := w.remove(seen); err != nil {
		t.Fatal(err)
	}
	if _, there := w.find(d.Ref); there {
		t.Error("it still exists")
	}
}

func attr(o resource.Observed, name string) resource.Value {
	v, _ := o.Attrs.Get(name)
	return v
}
