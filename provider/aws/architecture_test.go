package aws_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// A size of the other architecture needs another disk, and so another instance; where the
// configuration sets the image a new instance would not help. Neither stops the instance.
func TestASizeOfTheOtherArchitecture(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	for _, c := range []struct {
		name     string
		attrs    values
		replaced bool
		text     string
	}{
		{"current", values{"size": text("t3.micro")}, true, "size t4g.micro is arm64"},
		{"chosen", values{"size": text("t3.micro"), "image": text("ami-0abcdef1234567890")}, false, "set an image for arm64 too"},
	} {
		have := w.make(desired(t, "ec2", c.name, c.attrs))
		c.attrs["size"] = text("t4g.micro")
		r := w.request(desired(t, "ec2", c.name, c.attrs))
		r.Have, r.Changes = have, []resource.Change{{Path: "size", From: text("t3.micro"), To: text("t4g.micro"), Effect: resource.Restart}}
		_, err := w.p.Update(t.Context(), r)
		if errors.Is(err, provider.ErrReplace) != c.replaced || err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.replaced && provider.CauseOf(err) != provider.Configuration {
			t.Errorf("%s is %s", c.name, provider.CauseOf(err))
		}
	}
	if n := w.cloud.Counts()["ec2.StopInstances"]; n > 0 {
		t.Errorf("stopped %d times", n)
	}
}
