package decider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// usedKinds are networks of which two can exist at once, and wires of which only one can, and servers that use them.
func usedKinds(provider, name string) (resource.Kind, bool) {
	k := resource.Kind{Provider: provider, Name: name, Holds: resource.HoldsNothing}
	switch name {
	case "network":
		k.Replace = func(resource.Desired, resource.Observed) []resource.Strategy {
			return []resource.Strategy{resource.DestroyFirst, resource.CreateFirst}
		}
		k.Attrs = []resource.Attribute{{Name: "wire", RefKind: "wire", Effect: resource.Replace}}
	case "wire":
		k.Holds = func(ref resource.Ref, _ resource.Attrs, _ resource.State) []resource.Hold {
			return []resource.Hold{{What: "socket", Name: ref.Name}}
		}
	case "server":
		k.Attrs = []resource.Attribute{
			{Name: "network", RefKind: "network"},
			{Name: "wire", RefKind: "wire"},
			{Name: "log", RefKind: "wire", Weak: true},
			{Name: "ports", Type: resource.TObject, Fields: []resource.Attribute{{Name: "first", RefKind: "network"}}},
		}
		k.DataLoss = func(o resource.Observed, _ resource.Attrs) string { return "the disk of " + o.ID + "." }
	}
	return k, true
}

func usedRef(name string) resource.Ref {
	kind, _, _ := strings.Cut(name, "-")
	return resource.Ref{Stack: "web", Provider: "fake", Location: "a", Kind: kind, Name: name}
}

// follows is a difference of a resource that exists: each change is "attribute=resource", and the resource is replaced.
func followsReplaced(name string, requested bool, effect resource.Effect, changes ...string) comparator.Difference {
	ref := usedRef(name)
	d := comparator.Difference{
		Type: comparator.Drifted, Ref: ref, Requested: requested, Desired: &resource.Desired{Ref: ref},
		Observed: &resource.Observed{Ref: ref, ID: name, Ownership: resource.Proven, Health: resource.Healthy},
	}
	for _, c := range changes {
		attr, to, _ := strings.Cut(c, "=")
		top, rest, nested := strings.Cut(attr, ".")
		var was, will resource.Value = resource.String(to), resource.Reference{Ref: usedRef(to)}
		d.Changes = append(d.Changes, resource.Change{
			On: resource.OnAttribute, Path: attr, From: was, To: will, Effect: effect, KnownAfterApply: true,
		})
		if nested {
			was, will = resource.Attrs{{Name: rest, Value: was}}, resource.Attrs{{Name: rest, Value: will}}
		}
		d.Observed.Attrs, d.Desired.Attrs = d.Observed.Attrs.With(top, was), d.Desired.Attrs.With(top, will)
	}
	return d
}

// TestWhatIsUsedIsNotDeletedFirst: a dependent that is updated in place uses the old resource until the new one exists.
func TestWhatIsUsedIsNotDeletedFirst(t *testing.T) {
	t.Parallel()
	replaced, inPlace := resource.Replace, resource.InPlace
	network := followsReplaced("network-a", true, inPlace)
	asked := network
	asked.Desired = &resource.Desired{Ref: network.Ref, Replace: resource.DestroyFirst}
	wire := followsReplaced("wire-a", true, inPlace)
	server := func(changes ...string) comparator.Difference {
		return followsReplaced("server-a", false, inPlace, changes...)
	}
	both := "server-a uses it until the new one exists, and both cannot have socket wire-a"
	hint := "configure another wire and use that, or add --replace server/server-a, which destroys and creates it too " +
		"(data loss: the disk of server-a)"
	for name, c := range map[string]struct {
		in       []comparator.Difference
		policies []decider.Policy
		want     []string // action and strategy of each decision, with its first blocker and warning
	}{
		"both can exist": {
			in:   []comparator.Difference{network, server("network=network-a")},
			want: []string{"network-a replace create-first", "server-a update"},
		},
		"used in a field": {
			in:   []comparator.Difference{network, server("ports.first=network-a")},
			want: []string{"network-a replace create-first", "server-a update"},
		},
		"destroy-first is configured": {
			in: []comparator.Difference{asked, server("network=network-a")},
			want: []string{
				"network-a replace create-first, warning: destroy-first is not possible for it, because server/server-a uses " +
					"it until the new one exists; create-first is used",
				"server-a update",
			},
		},
		"nothing uses it": {
			in:   []comparator.Difference{network},
			want: []string{"network-a replace destroy-first"},
		},
		"one at a time": {
			in: []comparator.Difference{wire, server("wire=wire-a")},
			want: []string{
				"wire-a notify destroy-first, in_use: server/" + both + ": " + hint,
				"server-a notify, dependency: it depends on wire/wire-a, which is blocked by in_use: ",
			},
		},
		"a reference that holds nothing": {
			in:   []comparator.Difference{wire, server("log=wire-a")},
			want: []string{"wire-a replace destroy-first", "server-a update"},
		},
		"its user is replaced too": {
			in: []comparator.Difference{wire, followsReplaced("server-a", true, inPlace, "wire=wire-a")},
			want: []string{
				"wire-a replace destroy-first", "server-a replace destroy-first",
			},
		},
		"it follows one that is deleted first": {
			in: []comparator.Difference{
				wire, followsReplaced("network-a", false, replaced, "wire=wire-a"), server("network=network-a"),
			},
			want: []string{
				"wire-a notify destroy-first, dependency: network/network-a depends on it and is blocked by in_use: ",
				"network-a notify destroy-first, in_use: server/server-a uses it until the new one exists, and it must be " +
					"deleted first, because wire/wire-a is: add --replace server/server-a, which destroys and creates it too " +
					"(data loss: the disk of server-a)",
				"server-a notify, dependency: it depends on network/network-a, which is blocked by in_use: ",
			},
		},
		"its user may not be updated": {
			in:       []comparator.Difference{network, server("network=network-a")},
			policies: []decider.Policy{decider.Excludes{Patterns: []string{"server-a"}}},
			want: []string{
				"network-a notify create-first, dependency: server/server-a depends on it and is blocked by exclude: ",
				"server-a notify, exclude: excluded by --exclude: ",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := decider.Decide(comparator.Result{Differences: c.in}, usedKinds, decider.Facts{}, c.policies...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range p.Decisions {
				d := &p.Decisions[i]
				text := d.Ref.Name + " " + string(d.Action)
				if d.Strategy != "" {
					text += " " + string(d.Strategy)
				}
				if len(d.Blockers) > 0 {
					text += ", " + d.Blockers[0].Policy + ": " + d.Blockers[0].Reason + ": " + d.Blockers[0].Suggestion
				}
				for _, w := range d.Warnings {
					text += ", warning: " + w.Text
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var order []string
			for _, s := range decider.Steps(p) {
				order = append(order, string(s.Phase)+" "+p.Decisions[s.Decision].Ref.Name)
			}
			if name == "both can exist" {
				want := []string{"create network-a", "create server-a", "delete network-a"}
				if diff := cmp.Diff(want, order); diff != "" {
					t.Errorf("steps (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestOtherUsersAreSeen: what a plan cannot change keeps the old resource, if it is in the live state: resources of other
// stacks, unmanaged ones, and those that need it without a reference.
func TestOtherUsersAreSeen(t *testing.T) {
	t.Parallel()
	server := func(name, stack string, o resource.Ownership, attr string) resource.Observed {
		ref := usedRef(name).In(stack)
		return resource.Observed{
			Ref: ref, ID: name, Ownership: o, Attrs: resource.Attrs{{Name: attr, Value: resource.String("network-a")}},
		}
	}
	shop := server("server-shop", "shop", resource.Proven, "network")
	alien := server("server-x", "", resource.Unmanaged, "network")
	weak := server("server-y", "", resource.Unmanaged, "log")
	part := server("server-z", "", resource.Unmanaged, "network")
	part.Message = resource.PartOfAnother
	own := server("server-own", "web", resource.Proven, "network")
	tap := server("tap-own", "web", resource.Proven, "other")
	kinds := func(provider, name string) (resource.Kind, bool) {
		k, ok := usedKinds(provider, name)
		if name == "network" {
			k.UsedBy = func(_ resource.Observed, all []resource.Observed) (out []resource.Observed) {
				for _, o := range all {
					if o.Ref.Kind == "tap" {
						out = append(out, o)
					}
				}
				return out
			}
		}
		return k, ok
	}
	destroyed := func(name string) comparator.Difference {
		ref := usedRef(name)
		return comparator.Difference{Type: comparator.Unwanted, Ref: ref, Observed: &resource.Observed{
			Ref: ref, ID: name, Ownership: resource.Proven,
		}}
	}
	first, last := resource.DestroyFirst, resource.CreateFirst
	for name, c := range map[string]struct {
		live     []resource.Observed
		strategy resource.Strategy
		more     []comparator.Difference
		want     string
	}{
		"another stack's, destroy-first": {
			live: []resource.Observed{shop}, strategy: first,
			want: "server/server-shop of stack shop uses it, and this plan does not delete it before: delete " +
				"server/server-shop of stack shop first, or let it use another network",
		},
		"another stack's, create-first": {
			live: []resource.Observed{shop}, strategy: last,
			want: "warning: server/server-shop of stack shop uses it, and this plan does not change it: network-a stays until then",
		},
		"several": {
			live: []resource.Observed{shop, alien}, strategy: first,
			want: "server/server-shop of stack shop and the unmanaged server server-x use it, and this plan does not delete " +
				"them before: delete server/server-shop of stack shop and the unmanaged server server-x first, or let them use " +
				"another network",
		},
		"a weak reference":       {live: []resource.Observed{weak}, strategy: first},
		"a part of another":      {live: []resource.Observed{part}, strategy: first},
		"an own one":             {live: []resource.Observed{own}, strategy: first},
		"without a reference":    {live: []resource.Observed{tap}, strategy: last, want: "tap/tap-own uses it, and this plan does not delete it before: delete tap/tap-own first, or let it use another network"},
		"and deleted":            {live: []resource.Observed{tap}, strategy: first, more: []comparator.Difference{destroyed("tap-own")}},
		"and replaced elsewhere": {live: []resource.Observed{tap}, strategy: last, more: []comparator.Difference{followsReplaced("tap-own", true, resource.InPlace)}},
		"and replaced without waiting": {
			live: []resource.Observed{tap}, strategy: first,
			more: []comparator.Difference{followsReplaced("tap-own", true, resource.InPlace)},
			want: "tap/tap-own uses it, and this plan does not delete it before: delete tap/tap-own first, or let it use another network",
		},
	} {
		d := followsReplaced("network-a", true, resource.InPlace)
		d.Desired = &resource.Desired{Ref: d.Ref, Replace: c.strategy}
		p, err := decider.Decide(comparator.Result{Differences: append(c.more, d)}, kinds, decider.Facts{
			Rules: map[string]rules.Rules{"web": {}},
			Live:  map[resource.Scope]resource.Snapshot{d.Ref.Scope(): {Resources: c.live}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range p.Decisions {
			for _, b := range d.Blockers {
				got += b.Reason + ": " + b.Suggestion
			}
			for _, w := range d.Warnings {
				got += "warning: " + w.Text
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWhatOthersUseIsNotDeleted: a delete that the system would refuse is blocked before anything begins, and one that
// it would allow is a warning.
func TestWhatOthersUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	user := func(name, stack string, o resource.Ownership, attr, id string) resource.Observed {
		return resource.Observed{
			Ref: usedRef(name).In(stack), ID: name, Ownership: o, Attrs: resource.Attrs{{Name: attr, Value: resource.String(id)}},
		}
	}
	shop := user("server-shop", "shop", resource.Proven, "network", "network-a")
	own := user("server-own", "web", resource.Proven, "network", "network-a")
	logs := user("server-log", "shop", resource.Proven, "log", "wire-a")
	key := user("server-key", "shop", resource.Proven, "key", "arn-a")
	profile := user("server-profile", "shop", resource.Proven, "profile", "also-a")
	outlives := user("rack-own", "web", resource.Proven, "network", "network-a")
	tap := user("tap-own", "web", resource.Proven, "port", "port-a")
	kinds := func(provider, name string) (resource.Kind, bool) {
		k, ok := usedKinds(provider, name)
		switch name {
		case "network":
			k.UsedBy = func(_ resource.Observed, all []resource.Observed) []resource.Observed {
				return slices.DeleteFunc(slices.Clone(all), func(o resource.Observed) bool { return o.Ref.Kind != "tap" })
			}
		case "server":
			k.Attrs = append(k.Attrs, resource.Attribute{Name: "key", RefKind: "wire", RefPath: "arn", Weak: true},
				resource.Attribute{Name: "profile", RefKind: "wire", NamesAttr: "aliases", Weak: true})
		case "rack":
			k.Attrs = []resource.Attribute{{Name: "network", RefKind: "network"}}
			k.Outlives = []string{"network"}
		case "link":
			k.Attrs = []resource.Attribute{{Name: "network", RefKind: "network"}, {Name: "server", RefKind: "server"}}
		case "plug":
			k.Attrs = []resource.Attribute{{Name: "tap", RefKind: "tap", Weak: true}}
		}
		return k, ok
	}
	deleted := func(name string, attrs ...resource.Attr) comparator.Difference {
		ref := usedRef(name)
		return comparator.Difference{Type: comparator.Unwanted, Ref: ref, Observed: &resource.Observed{
			Ref: ref, ID: name, Ownership: resource.Proven, Attrs: attrs,
		}}
	}
	updated := func(to resource.Value) comparator.Difference {
		d := followsReplaced("server-own", false, resource.InPlace, "network=network-a")
		d.Changes[0].To, d.Changes[0].KnownAfterApply = to, false
		return d
	}
	network := deleted("network-a")
	linked := followsReplaced("link-own", false, resource.InPlace, "network=network-a")
	linked.Changes[0].To, linked.Changes[0].KnownAfterApply = resource.String("network-b"), false
	linked.Observed.Attrs = linked.Observed.Attrs.With("server", resource.String("server-shop"))
	wire := deleted("wire-a", resource.Attr{Name: "aliases", Value: resource.List{resource.String("also-a")}},
		resource.Attr{Name: "arn", Value: resource.String("arn-a")})
	before := ", and this plan does not delete it before: delete "
	change := ", and this plan does not change it"
	for name, c := range map[string]struct {
		in   []comparator.Difference
		live []resource.Observed
		want string
	}{
		"another stack's": {
			in: []comparator.Difference{network}, live: []resource.Observed{shop},
			want: "server/server-shop of stack shop uses it" + before +
				"server/server-shop of stack shop first, or let it use another network",
		},
		"its own stack's, by its ID": {
			in: []comparator.Difference{network}, live: []resource.Observed{own},
			want: "server/server-own uses it" + before + "server/server-own first, or let it use another network",
		},
		"its own stack's, by another resource": {
			in:   []comparator.Difference{network},
			live: []resource.Observed{user("server-odd", "web", resource.Proven, "network", "network-a")},
		},
		"through a part that is deleted": {
			in: []comparator.Difference{network, deleted("link-own", resource.Attr{Name: "network", Value: resource.String("network-a")},
				resource.Attr{Name: "server", Value: resource.String("server-shop")})},
			live: []resource.Observed{shop},
		},
		"through a part that is updated": {
			in: []comparator.Difference{network, linked}, live: []resource.Observed{shop},
		},
		"deleted too": {
			in: []comparator.Difference{network, deleted("server-own")}, live: []resource.Observed{own},
		},
		"updated to another": {
			in: []comparator.Difference{network, updated(resource.String("network-b"))}, live: []resource.Observed{own},
		},
		"updated otherwise": {
			in:   []comparator.Difference{network, followsReplaced("server-own", false, resource.InPlace, "other=x")},
			live: []resource.Observed{own},
			want: "server/server-own uses it" + before + "server/server-own first, or let it use another network",
		},
		"of a kind that outlives it": {in: []comparator.Difference{network}, live: []resource.Observed{outlives}},
		"without a reference": {
			in: []comparator.Difference{network}, live: []resource.Observed{tap},
			want: "tap/tap-own uses it" + before + "tap/tap-own first, or let it use another network",
		},
		"without a reference, and deleted": {
			in: []comparator.Difference{network, deleted("tap-own")}, live: []resource.Observed{tap},
		},
		"without a reference, and what refers to it is deleted": {
			in: []comparator.Difference{
				network, deleted("plug-own", resource.Attr{Name: "tap", Value: resource.String("tap-own")}),
			},
			live: []resource.Observed{tap},
		},
		"a weak one": {
			in: []comparator.Difference{wire}, live: []resource.Observed{logs},
			want: "warning: server/server-log of stack shop uses it" + change,
		},
		"a weak one by an attribute": {
			in: []comparator.Difference{wire}, live: []resource.Observed{key},
			want: "warning: server/server-key of stack shop uses it" + change,
		},
		"a weak one by one of its names": {
			in: []comparator.Difference{wire}, live: []resource.Observed{profile},
			want: "warning: server/server-profile of stack shop uses it" + change,
		},
		"many": {
			in: []comparator.Difference{wire},
			live: []resource.Observed{
				user("server-1", "", resource.Unmanaged, "wire", "wire-a"), user("server-2", "", resource.Unmanaged, "wire", "wire-a"),
				user("server-3", "", resource.Unmanaged, "wire", "wire-a"), user("server-4", "", resource.Unmanaged, "wire", "wire-a"),
				user("server-5", "", resource.Unmanaged, "wire", "wire-a"), user("server-6", "", resource.Unmanaged, "wire", "wire-a"),
			},
			want: "the unmanaged server server-1, the unmanaged server server-2, the unmanaged server server-3, the unmanaged " +
				"server server-4 and 2 more use it, and this plan does not delete them before: delete the unmanaged server " +
				"server-1, the unmanaged server server-2, the unmanaged server server-3, the unmanaged server server-4 and 2 " +
				"more first, or let them use another wire",
		},
	} {
		p, err := decider.Decide(comparator.Result{Differences: c.in}, kinds, decider.Facts{
			Rules: map[string]rules.Rules{"web": {}},
			Live:  map[resource.Scope]resource.Snapshot{network.Ref.Scope(): {Resources: c.live}},
			LastConfigured: func(r resource.Ref) resource.Attrs {
				if r == own.Ref {
					return own.Attrs
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range p.Decisions {
			for _, b := range d.Blockers {
				got += b.Reason + ": " + b.Suggestion
			}
			for _, w := range d.Warnings {
				got += "warning: " + w.Text
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
