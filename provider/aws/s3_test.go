package aws_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestBucket(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "s3", "acme-assets", values{}, "team", "web")
	w.make(d)
	seen := w.settled(d, nil)
	if attr(seen, "block_public_access") != resource.Bool(true) {
		t.Error("public access is not blocked")
	}
	d2 := desired(t, "s3", "acme-assets", values{"versioning": resource.Bool(true), "block_public_access": resource.Bool(false), "encryption": text("aws:kms")}, "team", "core")
	w.mustUpdate(d2, seen, nil)
	seen = w.settled(d2, nil)
	d3 := desired(t, "s3", "acme-assets", values{"versioning": resource.Bool(false)})
	w.mustUpdate(d3, seen, nil)
	seen = w.settled(d3, nil)
	if err := w.remove(seen); err != nil {
		t.Fatal(err)
	}
	if _, there := w.find(d.Ref); there {
		t.Error("it still exists")
	}
}

func TestBucketWithAnotherName(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "s3", "assets", values{"bucket": text("acme-assets-2")})
	w.make(d)
	if o := w.settled(d, nil); o.ID != "acme-assets-2" {
		t.Errorf("id %q", o.ID)
	}
}
