package aws_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// A size of the other architecture takes another disk, and so another instance; where the
// image is the user's choice a new instance would not help. Neither interrupts what runs.
func TestASizeOfTheOtherArchitecture(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	for _, c := range []struct {
		name   string
		attrs  values
		anew   bool
		saying string
	}{
		{"current", values{"size": text("t3.micro")}, true, "t4g.micro is of arm64"},
		{"chosen", values{"size": text("t3.micro"), "image": text("ami-0abcdef1234567890")}, false, "name an image of arm64 as well"},
	} {
		have := w.make(desired(t, "ec2", c.name, c.attrs))
		c.attrs["size"] = text("t4g.micro")
		r := w.request(desired(t, "ec2", c.name, c.attrs))
		r.Have, r.Changes = have, []resource.Change{{Path: "size", From: text("t3.micro"), To: text("t4g.micro"), Effect: resource.Restart}}
		_, err := w.p.Update(t.Context(), r)
		if errors.Is(err, provider.ErrReplace) != c.anew || err == nil || !strings.Contains(err.Error(), c.saying) {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.anew && provider.ClassOf(err) != provider.Permanent {
			t.Errorf("%s is %s", c.name, provider.ClassOf(err))
		}
	}
	if n := w.cloud.Counts()["ec2.StopInstances"]; n > 0 {
		t.Errorf("stopped %d times", n)
	}
}
