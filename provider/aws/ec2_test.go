package aws_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestInstanceFromTheEngineDesignSample(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "ec2", "web-0", values{"size": text("t3.micro")}, "environment", "prod", "team", "platform")
	made := w.make(d)
	seen := w.settled(d, nil)
	if made.ID != seen.ID || made.ID == "" {
		t.Errorf("made %q, seen %q", made.ID, seen.ID)
	}
	if seen.Health != resource.Healthy || seen.Marks.Key == "" {
		t.Errorf("health %s, key %q", seen.Health, seen.Marks.Key)
	}
	for name, want := range (values{"imdsv2": text("required")}) {
		if got, _ := seen.Attrs.Get(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	root, _ := seen.Attrs.Get("root_volume")
	if enc, _ := root.(resource.Attrs).Get("encrypted"); enc != resource.Bool(true) {
		t.Errorf("root volume %v is not encrypted", root)
	}
	for _, o := range w.observed().Resources {
		if o.Ref.Kind == "ebs" {
			t.Errorf("the root volume is listed as a thing of its own: %+v", o)
		}
	}
	if err := w.remove(seen); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.find(d.Ref); ok {
		t.Error("it is still there")
	}
	if err := w.remove(seen); err != nil {
		t.Errorf("deleting what is gone: %v", err)
	}
}
