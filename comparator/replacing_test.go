package comparator_test

import (
	"fmt"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// TestAReplacementInProgress goes on or goes back, by what exists and what is configured.
func TestAReplacementInProgress(t *testing.T) {
	web, lan := web("server", "web"), web("server", "lan")
	kinds := func(_, kind string) (resource.Kind, bool) {
		return resource.Kind{Name: kind, NoTags: true, Carrier: resource.NoMarks, Attrs: []resource.Attribute{
			{Name: "image", Effect: resource.Replace}, {Name: "peer", RefKind: "server"}, {Name: "size"},
		}}, true
	}
	is := func(id, image string, role resource.Role, health resource.Health) resource.Observed {
		return resource.Observed{
			Ref: web, ID: id, Ownership: resource.Proven, Role: role, Health: health,
			Attrs: resource.NewAttrs(resource.Attr{Name: "image", Value: resource.String(image)}),
		}
	}
	aside := func(o resource.Observed) resource.Observed { o.Natural = "web-old"; return o }
	old, created := is("i-1", "v1", resource.RoleOld, resource.Healthy), is("i-2", "v2", resource.RoleNew, resource.Healthy)
	failing := is("i-2", "v2", resource.RoleNew, resource.Failing)
	configured := func(image string) resource.Desired {
		return resource.Desired{Ref: web, Attrs: resource.NewAttrs(resource.Attr{Name: "image", Value: resource.String(image)})}
	}
	sized := configured("v1")
	sized.Attrs = sized.Attrs.With("size", resource.Int(2))
	v2 := comparator.Replacing{Desired: configured("v2").Digest(), Old: "i-1", Strategy: resource.Swap}
	back, used := v2, v2
	back.Reverting, used.Used = true, true
	for name, c := range map[string]struct {
		have []resource.Observed
		want resource.Desired
		r    comparator.Replacing
		// "none": no difference, "plain": one as of any resource, "on" and "back"
		verdict string
		peer    string // what a reference to it gets
	}{
		"both, as configured":                   {[]resource.Observed{old, created}, configured("v2"), v2, "on", "i-2"},
		"both, and the new one fails":           {[]resource.Observed{old, failing}, configured("v2"), v2, "back", "i-1"},
		"both, another configuration":           {[]resource.Observed{old, created}, configured("v3"), v2, "back", "i-1"},
		"both, recorded as going back":          {[]resource.Observed{old, created}, configured("v2"), back, "back", "i-1"},
		"both, and the new one is referred to":  {[]resource.Observed{old, failing}, configured("v3"), used, "on", "i-2"},
		"the old one, set aside":                {[]resource.Observed{aside(old)}, configured("v2"), v2, "plain", ""},
		"the old one, set aside and configured": {[]resource.Observed{aside(old)}, configured("v1"), v2, "back", "i-1"},
		"the old one, set aside and resized":    {[]resource.Observed{aside(old)}, sized, v2, "back", "i-1"},
		"the old one, going back":               {[]resource.Observed{old}, configured("v2"), back, "back", "i-1"},
		"the old one, untouched":                {[]resource.Observed{old}, configured("v2"), v2, "plain", ""},
		"the old one, untouched and resized":    {[]resource.Observed{old}, sized, v2, "plain", "i-1"},
		"the old one, untouched and configured": {[]resource.Observed{old}, configured("v1"), v2, "back", "i-1"},
		"the new one":                           {[]resource.Observed{created}, configured("v2"), v2, "on", "i-2"},
		"the new one, another configuration":    {[]resource.Observed{created}, configured("v3"), v2, "plain", ""},
		"neither":                               {nil, configured("v2"), v2, "plain", ""},
	} {
		t.Run(name, func(t *testing.T) {
			peer := resource.Desired{Ref: lan, Attrs: resource.NewAttrs(resource.Attr{Name: "peer", Value: resource.Reference{Ref: web}}), DependsOn: []resource.Ref{web}}
			live := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: {Scope: here, Resources: c.have}}}
			r, err := comparator.Compare(comparator.Input{
				Intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{peer, c.want}}}, Live: live, Kinds: kinds,
				Replacing: func(ref resource.Ref) (comparator.Replacing, bool) { return c.r, ref == web },
			})
			if err != nil {
				t.Fatal(err)
			}
			verdict, known := "none", ""
			for _, d := range r.Differences {
				switch {
				case d.Ref == lan:
					known = fmt.Sprint(!d.Changes[0].KnownAfterApply)
				case d.Reverts:
					verdict = "back"
				case d.Replacing != nil:
					verdict = "on"
				default:
					verdict = "plain"
				}
				if d.Ref == web && (d.New != nil) != (len(c.have) == 2) {
					t.Errorf("the new one is %+v", d.New)
				}
			}
			if verdict != c.verdict || known != fmt.Sprint(c.peer != "") {
				t.Errorf("it is %q, and a reference to it is known: %s; want %q, %v", verdict, known, c.verdict, c.peer != "")
			}
		})
	}
}

// TestReferencesToWhatIsReplacedGetWhatStays: the ids of the new and the old resource.
func TestReferencesToWhatIsReplacedGetWhatStays(t *testing.T) {
	web, lan := web("server", "web"), web("server", "lan")
	kinds := func(_, kind string) (resource.Kind, bool) {
		return resource.Kind{Name: kind, NoTags: true, Carrier: resource.NoMarks, Attrs: []resource.Attribute{{Name: "peer", RefKind: "server"}}}, true
	}
	w := resource.Desired{Ref: web}
	for _, reverting := range []bool{false, true} {
		for _, id := range []string{"i-1", "i-2"} {
			have := func(ref resource.Ref, id string, role resource.Role, peer string) resource.Observed {
				return resource.Observed{Ref: ref, ID: id, Ownership: resource.Proven, Role: role, Health: resource.Healthy, Attrs: resource.NewAttrs(resource.Attr{Name: "peer", Value: resource.String(peer)})}
			}
			all := []resource.Observed{have(lan, "i-9", "", id), have(web, "i-1", resource.RoleOld, ""), have(web, "i-2", resource.RoleNew, "")}
			peer := resource.Desired{Ref: lan, Attrs: resource.NewAttrs(resource.Attr{Name: "peer", Value: resource.Reference{Ref: web}}), DependsOn: []resource.Ref{web}}
			r, err := comparator.Compare(comparator.Input{
				Intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{peer, w}}}, Kinds: kinds,
				Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: {Scope: here, Resources: all}}},
				Replacing: func(ref resource.Ref) (comparator.Replacing, bool) {
					return comparator.Replacing{Desired: w.Digest(), Old: "i-1", Strategy: resource.CreateFirst, Reverting: reverting}, ref == web
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			differs := false
			for _, d := range r.Differences {
				differs = differs || d.Ref == lan
			}
			if want := (id == "i-1") != reverting; differs != want {
				t.Errorf("reverting %v: a reference to %s differs: %v", reverting, id, differs)
			}
		}
	}
}

// TestARequestedReplacementFollowsThrough: a resource that an operator asks to replace differs though
// nothing of it changed, and what refers to it follows as with any replacement.
func TestARequestedReplacementFollowsThrough(t *testing.T) {
	asked := map[string]bool{}
	in := input(configured{desired("a/network/n", "range x"), desired("a/server/s", "network @a/network/n")}, resources{ours("a/network/n", "net-1", "range x"), ours("a/server/s", "i-1", "network net-1")})
	in.Replace = func(r resource.Ref) bool { return asked[r.Name] }
	if r, err := comparator.Compare(in); err != nil || len(r.Differences) != 0 || r.Unchanged != 2 {
		t.Fatalf("without a request: %+v, %v", r, err)
	}
	asked["n"] = true
	r, err := comparator.Compare(in)
	if err != nil || len(r.Differences) != 2 || r.Unchanged != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, d := range r.Differences {
		if d.Type != comparator.Drifted || d.Requested != (d.Ref.Name == "n") {
			t.Errorf("%s: %s, requested: %v", d.Ref, d.Type, d.Requested)
		}
		if d.Ref.Name == "s" && resource.Worst(d.Changes) != resource.Replace {
			t.Errorf("what refers to it is not replaced: %+v", d.Changes)
		}
	}
}
