package plan

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestADeleteIsExplainedByItsOwnBlockOnly(t *testing.T) {
	ref := func(location, name string) resource.Ref {
		return resource.Ref{Stack: "web", Provider: "aws", Location: location, Kind: "ec2", Name: name}
	}
	why := absentIn([]resource.Intent{{Absent: map[resource.Ref]string{
		ref("*/us-east-1", "one"):   "when",
		ref("*/us-east-1", "web"):   "count",
		ref("*/us-east-1", "key-*"): "for_each",
	}}})
	for name, want := range map[string]string{
		"one": "when", "one-2": "when", "web-3": "count", "web": "count", "web-a": "", "key-a": "for_each",
		"key-a-1": "for_each", "keys": "", "two": "", "on": "",
	} {
		if got := why(ref("1/us-east-1", name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := why(ref("1/eu-west-1", "one")); got != "" {
		t.Errorf("a block of another location explains it: %q", got)
	}
}
