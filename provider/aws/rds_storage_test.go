package aws_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func diskOf(t *testing.T, more values) resource.Desired {
	t.Helper()
	a := values{"size": text("db.t3.micro")}
	for k, v := range more {
		a[k] = v
	}
	return desired(t, "rds", "db", a)
}

// Each change of a disk is one that RDS takes: the performance with the size, where it has one.
func TestTheDiskOfADatabase(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	n := func(i int64) resource.Value { return resource.Int(i) }
	d := diskOf(t, values{"storage": n(100), "max_storage": n(200)})
	w.make(d)
	seen := w.settled(d, nil)
	if attr(seen, "iops") != nil || attr(seen, "throughput") != nil {
		t.Errorf("what cannot be set is reported: %v, %v", attr(seen, "iops"), attr(seen, "throughput"))
	}
	for _, to := range []values{
		{"storage": n(110), "max_storage": n(0)},
		{"storage": n(110), "max_storage": n(300), "storage_type": text("io2"), "iops": n(3000)},
		{"iops": n(4000), "storage_type": text("io2")},
		{"storage": n(150), "storage_type": text("io2"), "iops": n(4000)},
		{"storage_type": text("gp3")},
		{"storage": n(400), "storage_type": text("gp3"), "max_storage": n(1000), "iops": n(14000), "throughput": n(600)},
		{"storage_type": text("gp3"), "throughput": n(700)},
		{"storage_type": text("gp3"), "iops": n(12000)},
		{"storage": n(500), "max_storage": n(0)},
	} {
		d = diskOf(t, to)
		w.idleDB("db") // while RDS optimizes a disk it refuses another change of it
		if len(changes(t, d, seen, nil)) > 0 {
			w.mustUpdate(d, seen, nil)
		} else {
			t.Errorf("%v changes nothing", to)
		}
		seen = w.settled(d, nil)
	}
	if attr(seen, "iops") != n(12000) || attr(seen, "throughput") != n(700) {
		t.Errorf("what is not configured did not stay: %v, %v", attr(seen, "iops"), attr(seen, "throughput"))
	}
}

// AWS grew the storage by itself: that is no drift, and another change does not undo it.
func TestStorageThatGrewByItselfStays(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := diskOf(t, values{"storage": resource.Int(20), "max_storage": resource.Int(100)})
	w.make(d)
	w.idleDB("db")
	seen := w.settled(d, nil)
	grown := diskOf(t, values{"storage": resource.Int(40)})
	w.mustUpdate(grown, seen, nil)
	seen = w.settled(d, nil)
	w.idleDB("db")
	off := diskOf(t, values{"storage": resource.Int(20), "max_storage": resource.Int(0)})
	w.mustUpdate(off, seen, nil)
	if seen = w.settled(off, nil); attr(seen, "storage") != resource.Int(40) {
		t.Errorf("it has %v GiB", attr(seen, "storage"))
	}
}

// AWS reports the ARN of a key, whatever it was given.
func TestTheKeyAndTheZoneOfADatabase(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	key := w.make(desired(t, "kms_key", "data", values{}))
	arn := "arn:aws:kms:us-east-1:" + sandbox.Account + ":key/"
	d := diskOf(t, values{"kms_key": text(key.ID), "zone": text("us-east-1c")})
	w.make(d)
	seen := w.settled(d, nil)
	if got := attr(seen, "kms_key"); got != text(arn+key.ID) || attr(seen, "zone") != text("us-east-1c") {
		t.Errorf("%v in %v", got, attr(seen, "zone"))
	}
	w.settled(diskOf(t, values{"kms_key": text(arn + key.ID)}), nil)
	other := diskOf(t, values{"kms_key": text("12345678-1234-1234-1234-123456789012"), "zone": text("us-east-1d")})
	for _, c := range changes(t, other, seen, nil) {
		if c.Effect != resource.Replace {
			t.Errorf("%s is changed %s", c.Path, c.Effect)
		}
	}
	if _, err := w.update(other, seen, nil); !isReplace(err) {
		t.Errorf("changed in place: %v", err)
	}
}

func TestAKeyThatCannotBeUsedIsReported(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	_, err := w.p.Create(t.Context(), w.request(diskOf(t, values{"kms_key": text("12345678-1234-1234-1234-123456789012")})))
	if err == nil || !strings.Contains(err.Error(), "KMSKeyNotAccessibleFault") {
		t.Errorf("%v", err)
	}
}
