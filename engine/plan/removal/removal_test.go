package removal_test

import (
	"testing"

	"github.com/ovi-project/ovi/engine/plan/removal"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

func TestADeleteIsExplainedByItsOwnBlockOnly(t *testing.T) {
	ref := func(location, name string) resource.Ref {
		return resource.Ref{Stack: "web", Provider: "aws", Location: location, Kind: "ec2", Name: name}
	}
	why := removal.Why([]resource.Intent{{Absent: map[resource.Ref]string{
		ref("*/us-east-1", "one"):   "when",
		ref("*/us-east-1", "web"):   "count",
		ref("*/us-east-1", "key-*"): "for_each",
	}}}, func(resource.Ref) position.Position { return position.Position{File: "ovi.yaml", Line: 3} })
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

// TestADeleteNamesItsComponent: the one that is no longer used, at whatever level, or the former position where the
// component is still used.
func TestADeleteNamesItsComponent(t *testing.T) {
	t.Parallel()
	ref := func(name string) resource.Ref {
		return resource.Ref{Stack: "s", Provider: "aws", Location: "l", Kind: "ec2", Name: name}
	}
	at := func(file, used string) position.Position { return position.Position{File: file, Line: 4, Used: used} }
	intents := []resource.Intent{{
		Stack: "s",
		Absent: map[resource.Ref]string{
			{Stack: "s", Location: "default", Kind: "use", Name: "off"}: "when is false, ovi.yaml:9",
			{Stack: "s", Kind: "use", Name: "my-site"}:                  "", {Stack: "s", Kind: "use", Name: "all"}: "",
			{Stack: "s", Kind: "use", Name: "all-net"}: "",
		},
		Resources: []resource.Desired{
			{Ref: ref("my-site-a"), At: at("c/web/component.yaml", "ovi.yaml:7")},
			{Ref: ref("all-net-a"), At: at("c/net/component.yaml", "c/outer/component.yaml:3, used at ovi.yaml:8")},
			{Ref: ref("plain"), At: at("ovi.yaml", "")},
		},
	}}
	for name, c := range map[string]struct {
		was  position.Position
		want string
	}{
		"my-web-a":   {at("c/web/component.yaml", "ovi.yaml:12"), "component web removed from ovi.yaml"},
		"my-site-b":  {at("c/web/component.yaml", "ovi.yaml:2"), "it was at c/web/component.yaml:4, used at ovi.yaml:2"},
		"my-site-c":  {at("up/c/web/component.yaml", "up/ovi.yaml:2"), "it was at up/c/web/component.yaml:4, used at up/ovi.yaml:2"},
		"all-web-a":  {at("c/web/component.yaml", "c/outer/component.yaml:5, used at ovi.yaml:8"), "component web removed from c/outer/component.yaml"},
		"old-net-a":  {at("c/net/component.yaml", "c/outer/component.yaml:3, used at ovi.yaml:9"), "component outer removed from ovi.yaml"},
		"off-main-0": {at("c/web/component.yaml", "ovi.yaml:9"), "component off: when is false, ovi.yaml:9"},
		"gone":       {at("ovi.yaml", ""), ""},
		"unknown":    {position.Position{}, ""},
	} {
		why := removal.Why(intents, func(resource.Ref) position.Position { return c.was })
		if got := why(ref(name)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
