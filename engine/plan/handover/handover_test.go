package handover

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

func ref(stack, name string) resource.Ref {
	return resource.Ref{Stack: stack, Provider: "fake", Location: "here", Kind: "box", Name: name}
}

func others(accepted map[string]event.AcceptedSettings, configured ...resource.Ref) *Others {
	have := map[resource.Ref]bool{}
	for _, r := range configured {
		have[r] = true
	}
	return &Others{
		read: func(r resource.Ref) (event.AcceptedResource, bool, error) {
			return event.AcceptedResource{Ref: r}, have[r], nil
		},
		settings: func() (map[string]event.AcceptedSettings, error) { return accepted, nil },
	}
}

func moved(all ...resource.Ref) (s event.AcceptedSettings) {
	for i := 0; i+1 < len(all); i += 2 {
		s.Moved = append(s.Moved, resource.Move{From: all[i], To: all[i+1]})
	}
	return s
}

func TestDeclarationsOfOtherStacks(t *testing.T) {
	t.Parallel()
	o := others(map[string]event.AcceptedSettings{
		"a": moved(ref("a", "x"), ref("a", "y"), ref("a", "y"), ref("b", "z"), ref("a", "many"), ref("b", "all")),
		"b": moved(ref("a", "w"), ref("b", "v"), ref("a", "w"), ref("b", "gone"), ref("a", "u"), ref("b", "before"),
			ref("b", "before"), ref("b", "v")),
	}, ref("a", "kept"), ref("b", "v"))
	for name, c := range map[string]struct{ got, want any }{
		"a chain":               {o.Declared(ref("a", "x")), comparator.Declared{Accepted: true, To: ref("b", "z")}},
		"configured":            {o.Declared(ref("a", "kept")), comparator.Declared{Accepted: true, Configured: true}},
		"a stack never applied": {o.Declared(ref("c", "x")), comparator.Declared{}},
		"claims":                {o.Claims(ref("a", "w")), []resource.Ref{ref("b", "v")}},
		"no claims":             {len(o.Claims(ref("a", "x"))), 0},
		"claims of a new name":  {o.Claims(ref("a", "u")), []resource.Ref{ref("b", "v")}},
		"now":                   {o.Now(ref("b", "before")), ref("b", "v")},
		"now unknown":           {o.Now(ref("b", "gone")), ref("b", "gone")},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for to, from := range map[string]string{"z": "xy", "all-0": "many-0", "v": "", "other": ""} {
		got := ""
		for _, r := range o.GivenTo(ref("b", to)) {
			got += r.Name
		}
		if got != from {
			t.Errorf("%s is given %s, want %q", to, got, from)
		}
	}
}

func TestAnErrorOfTheRecordIsKept(t *testing.T) {
	t.Parallel()
	o := others(nil)
	o.settings = func() (map[string]event.AcceptedSettings, error) { return nil, errors.New("unreadable") }
	if d := o.Declared(ref("a", "x")); d.Accepted || o.Err() == nil {
		t.Errorf("%+v, %v", d, o.Err())
	}
}
