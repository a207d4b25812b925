package comparator_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

var here = resource.Scope{Provider: "fake", Location: "a"}

func bindKinds(_, kind string) (resource.Kind, bool) {
	return resource.Kind{Name: kind, ReusedIDs: kind == "bucket"}, true
}

func bindAll(bindings []resource.Binding, all ...resource.Observed) (resource.Snapshot, []resource.Binding) {
	s := resource.Snapshot{Scope: here, Resources: all}
	return s, comparator.Bind(s, comparator.Evidence{Bindings: bindings, Owner: "ann", Kinds: bindKinds})
}

func named(kind, name string) resource.Ref {
	return resource.Ref{Provider: "fake", Location: "a", Kind: kind, Name: name}
}

// web is a name in the stack web.
func web(kind, name string) resource.Ref { return named(kind, name).In("web") }

func marksOf(ref resource.Ref) resource.Marks {
	return resource.Marks{Ref: ref, Owner: "ann", Key: "key"}
}

// TestBindTable tests each combination of binding and marks.
func TestBindTable(t *testing.T) {
	x, y := web("server", "x"), web("server", "y")
	live := resource.Binding{Ref: x, ID: "i-1", UID: "u-1", Key: "key", Seq: 7}
	ended := live
	ended.Ended = true
	bucket := web("bucket", "b")
	kept := resource.Binding{Ref: bucket, ID: "b", Key: "key", Seq: 8}
	observed := func(id, uid string, m resource.Marks) resource.Observed {
		return resource.Observed{Ref: named("server", id), ID: id, UID: uid, Marks: m}
	}
	otherOwner := marksOf(x)
	otherOwner.Owner = "bob"
	otherStack := marksOf(x)
	otherStack.Ref.Stack = "shop"
	noStack := marksOf(x.Bare())
	attested := observed("i-2", "", marksOf(y))
	attested.Attested = true
	theirs := attested
	theirs.Marks.Owner = "bob"
	elsewhere := marksOf(resource.Ref{Stack: "web", Provider: "fake", Location: "b", Kind: "server", Name: "x"})
	for name, c := range map[string]struct {
		have     resource.Observed
		bindings []resource.Binding
		want     resource.Ownership
		ref      resource.Ref
		ended    int
	}{
		"bound id, same UID, marks right":                     {observed("i-1", "u-1", marksOf(x)), []resource.Binding{live}, resource.Proven, x, 0},
		"bound id, marks lost":                                {observed("i-1", "u-1", resource.Marks{}), []resource.Binding{live}, resource.Proven, x, 0},
		"bound id, another owner's mark":                      {observed("i-1", "u-1", otherOwner), []resource.Binding{live}, resource.Proven, x, 0},
		"bound id, another UID, no marks":                     {observed("i-1", "u-2", resource.Marks{}), []resource.Binding{live}, resource.Unmanaged, named("server", "i-1"), 1},
		"bound id, another UID, copied marks":                 {observed("i-1", "u-2", marksOf(x)), []resource.Binding{live}, resource.Copied, x, 1},
		"bound id, marks of another ref":                      {observed("i-1", "u-1", marksOf(y)), []resource.Binding{live}, resource.Disputed, x, 0},
		"bound id, marks of another stack":                    {observed("i-1", "u-1", otherStack), []resource.Binding{live}, resource.Disputed, x, 0},
		"another id, marks of a recorded ref":                 {observed("i-2", "", marksOf(x)), []resource.Binding{live}, resource.Copied, x, 0},
		"another id, marks of a ref recorded earlier":         {observed("i-2", "", marksOf(x)), []resource.Binding{ended}, resource.Copied, x, 0},
		"marks of a ref never recorded, attested":             {attested, []resource.Binding{live}, resource.Attested, y, 0},
		"the same of another owner":                           {theirs, []resource.Binding{live}, resource.Unproven, y, 0},
		"marks of a ref never recorded, not attested":         {observed("i-2", "", marksOf(y)), nil, resource.Unproven, y, 0},
		"an id bound earlier":                                 {observed("i-1", "u-1", marksOf(x)), []resource.Binding{ended}, resource.Former, x, 0},
		"neither marks nor binding":                           {observed("i-2", "", resource.Marks{}), []resource.Binding{live}, resource.Unmanaged, named("server", "i-2"), 0},
		"another id, marks of the same name in another stack": {observed("i-2", "", otherStack), []resource.Binding{live}, resource.Unproven, x.In("shop"), 0},
		"marks without a stack":                               {observed("i-2", "", noStack), []resource.Binding{live}, resource.Unproven, named("server", "i-2"), 0},
		"marks of another location":                           {observed("i-2", "", elsewhere), []resource.Binding{live}, resource.Copied, named("server", "i-2"), 0},
		"a dismissed id":                                      {observed("i-2", "", marksOf(x)), []resource.Binding{live, {Ref: x, ID: "i-2", Dismissed: true}}, resource.Unmanaged, named("server", "i-2"), 0},
		"a reusable id with the recorded key":                 {resource.Observed{Ref: bucket.Bare(), ID: "b", Marks: resource.Marks{Ref: bucket, Key: "key"}}, []resource.Binding{kept}, resource.Proven, bucket, 0},
		"a reusable id with another key":                      {resource.Observed{Ref: bucket.Bare(), ID: "b", Marks: resource.Marks{Ref: bucket, Key: "other"}}, []resource.Binding{kept}, resource.Disputed, bucket, 0},
		"a reusable id without marks, created outside":        {resource.Observed{Ref: bucket.Bare(), ID: "b"}, []resource.Binding{kept}, resource.Disputed, bucket, 0},
		"a reusable id that could not be read":                {resource.Observed{Ref: bucket.Bare(), ID: "b", Condition: resource.Unreadable, Message: "denied"}, []resource.Binding{kept}, resource.Proven, bucket, 0},
		"moved, and the marks still name the former name":     {observed("i-1", "u-1", marksOf(y)), []resource.Binding{live, {Ref: y, ID: "i-1", Ended: true}}, resource.Proven, x, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, ended := bindAll(c.bindings, c.have)
			o := got.Resources[0]
			if o.Ownership != c.want || o.Ref != c.ref || len(ended) != c.ended {
				t.Errorf("it is %s as %s, and %d bindings ended: want %s as %s, and %d", o.Ownership, o.Ref, len(ended), c.want, c.ref, c.ended)
			}
		})
	}
}

// TestLaw10_ProofBeforeDestruction: whatever the marks on resources say, only what a live
// binding proves is changed or destroyed, and no resource that exists is created again.
func TestLaw10_ProofBeforeDestruction(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		refs := []resource.Ref{web("server", "x"), web("server", "y"), web("bucket", "b")}
		ids := []string{"i-1", "i-2", "i-3", "b"}
		ref := rapid.SampledFrom(refs)
		bound := map[string]resource.Binding{}
		var bindings []resource.Binding
		for _, id := range ids {
			if rapid.Bool().Draw(t, "bound") {
				b := resource.Binding{
					Ref: ref.Draw(t, "ref"), ID: id, UID: rapid.SampledFrom([]string{"", "u-1"}).Draw(t, "uid"), Key: "key",
					Ended: rapid.Bool().Draw(t, "ended"), Former: rapid.Bool().Draw(t, "former"), Seq: uint64(len(bindings) + 1),
				}
				bindings, bound[b.Ref.Kind+"/"+id] = append(bindings, b), b
			}
		}
		var all []resource.Observed
		for _, id := range ids {
			if rapid.Bool().Draw(t, "exists") {
				kind := rapid.SampledFrom([]string{"server", "bucket"}).Draw(t, "kind")
				o := resource.Observed{Ref: named(kind, id), ID: id, UID: rapid.SampledFrom([]string{"", "u-1", "u-2"}).Draw(t, "uid"), Attested: rapid.Bool().Draw(t, "attested")}
				if rapid.Bool().Draw(t, "marked") {
					o.Marks = resource.Marks{
						Ref:   ref.Draw(t, "claims").In(rapid.SampledFrom([]string{"web", "shop", ""}).Draw(t, "stack")),
						Owner: rapid.SampledFrom([]string{"ann", "bob"}).Draw(t, "owner"), Key: rapid.SampledFrom([]string{"", "key", "forged"}).Draw(t, "key"),
						Blessed: rapid.Bool().Draw(t, "blessed"),
					}
				}
				all = append(all, o)
			}
		}
		s, _ := bindAll(bindings, all...)
		var intent resource.Intent
		intent.Stack = "web"
		for _, r := range refs {
			if rapid.Bool().Draw(t, "configured") {
				intent.Resources = append(intent.Resources, resource.Desired{Ref: r})
			}
		}
		live := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: s}}
		found, err := comparator.Compare(comparator.Input{Intents: []resource.Intent{intent}, Live: live, Kinds: bindKinds, Owner: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found.Differences {
			if d.Type == comparator.Drifted || d.Type == comparator.Unwanted {
				b, ok := bound[d.Observed.Ref.Kind+"/"+d.Observed.ID]
				if !ok || !b.Live() || b.Ref != d.Ref || b.UID != "" && d.Observed.UID != "" && b.UID != d.Observed.UID {
					t.Fatalf("%s of %s (%s) rests on no live binding: %+v", d.Type, d.Ref, d.Observed.ID, b)
				}
			}
			if d.Type != comparator.Missing {
				continue
			}
			for i := range s.Resources {
				if o := &s.Resources[i]; o.Ref == d.Ref {
					t.Fatalf("%s is missing, and %s exists under that name as %s", d.Ref, o.ID, o.Ownership)
				}
			}
		}
	})
}

// TestBindFindsBindingsInAnyOrder: whether resources and bindings are in one order, so that they
// are merged, or not, so that they are looked up, each gets the binding of its ID; and a bound
// snapshot can be bound again, also from the record.
func TestBindFindsBindingsInAnyOrder(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		var bindings []resource.Binding
		var all []resource.Observed
		want := map[string]resource.Binding{}
		name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g"})
		kind := rapid.SampledFrom([]string{"disk", "server"})
		stack := rapid.SampledFrom([]string{"shop", "web"})
		for i := range rapid.IntRange(0, 12).Draw(t, "resources") {
			id := fmt.Sprintf("i-%02d", i)
			o := resource.Observed{Ref: named(kind.Draw(t, "kind"), name.Draw(t, "natural")), ID: id}
			all = append(all, o)
			for n := range rapid.IntRange(0, 2).Draw(t, "bindings") {
				b := resource.Binding{Ref: named(o.Ref.Kind, name.Draw(t, "recorded")).In(stack.Draw(t, "stack")), ID: id, Seq: uint64(len(bindings) + 1), Ended: n > 0}
				bindings = append(bindings, b)
				if n == 0 {
					want[id] = b
				}
			}
		}
		if rapid.Bool().Draw(t, "sorted") {
			slices.SortFunc(all, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
			slices.SortFunc(bindings, func(a, b resource.Binding) int {
				return cmp.Or(a.Ref.Compare(b.Ref), strings.Compare(a.ID, b.ID))
			})
		}
		was := slices.Clone(all)
		s, ended := bindAll(bindings, all...)
		if len(ended) > 0 {
			t.Fatalf("%d bindings ended", len(ended))
		}
		for _, o := range s.Resources {
			b, bound := want[o.ID]
			if o.Managed() != bound || bound && o.Ref != b.Ref {
				t.Fatalf("%s is %s as %s: want %+v", o.ID, o.Ownership, o.Ref, b)
			}
			i := slices.IndexFunc(was, func(x resource.Observed) bool { return x.ID == o.ID })
			if o.NaturalRef() != was[i].Ref {
				t.Fatalf("%s was reported as %s, and is said to have been %s", o.ID, was[i].Ref, o.NaturalRef())
			}
		}
		if !slices.IsSortedFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) }) {
			t.Fatalf("not sorted by ref: %+v", s.Resources)
		}
		var recorded []resource.Observed
		for i := range s.Resources {
			o, err := resource.ParseObserved(s.Resources[i].AppendJSON(nil))
			if err != nil {
				t.Fatal(err)
			}
			recorded = append(recorded, o)
		}
		again, _ := bindAll(bindings, recorded...)
		if d := gocmp.Diff(s, again); d != "" {
			t.Fatalf("bound from the record, it differs (-observed +recorded):\n%s", d)
		}
		bindAll(nil, s.Resources...)
		fresh, _ := bindAll(nil, was...)
		if d := gocmp.Diff(fresh, s); d != "" {
			t.Fatalf("bound again, it differs from one that never was (-never +again):\n%s", d)
		}
	})
}

// TestBindGivesTheSameForAnyOrder: ownership does not depend on the order of the input.
func TestBindGivesTheSameForAnyOrder(t *testing.T) {
	x := web("server", "x")
	b := []resource.Binding{{Ref: x, ID: "i-1", Seq: 1}}
	one := resource.Observed{Ref: named("server", "i-1"), ID: "i-1", Marks: marksOf(x)}
	two := resource.Observed{Ref: named("server", "i-2"), ID: "i-2", Marks: marksOf(x)}
	first, _ := bindAll(b, one, two)
	second, _ := bindAll(b, two, one)
	if d := gocmp.Diff(first, second); d != "" {
		t.Errorf("in another order (-first +second):\n%s", d)
	}
	if !first.Resources[0].Managed() || first.Resources[0].ID != "i-1" {
		t.Errorf("the proven resource is not first: %+v", first.Resources)
	}
}

func TestConflictsNameTheOwnership(t *testing.T) {
	for ownership, want := range map[resource.Ownership]string{
		resource.Unmanaged: "is unmanaged", resource.Disputed: "its tags name", resource.Copied: "copied", resource.Attested: "no record of it",
		resource.Unproven: "no record proves", resource.Former: "forgotten, replaced or deleted since", resource.Proven: "owned by stack",
	} {
		err := error(&comparator.OwnershipError{Have: resource.Observed{ID: "i-1", Ownership: ownership, Ref: web("server", "x"), Marks: marksOf(web("server", "y"))}})
		if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "i-1") {
			t.Errorf("%s: %q", ownership, err)
		}
	}
	bucket := resource.Observed{Ref: web("bucket", "b"), ID: "b", Ownership: resource.Disputed, Marks: marksOf(web("bucket", "b"))}
	if err := (&comparator.OwnershipError{Have: bucket}); !strings.Contains(err.Error(), "not the recorded key") {
		t.Errorf("with the right names and another key: %q", err)
	}
	bucket.Ref.Stack = "shop"
	if err := (&comparator.OwnershipError{Have: bucket}); !strings.Contains(err.Error(), "its tags name bucket/b of stack web") {
		t.Errorf("with the name of another stack: %q", err)
	}
}

// TestLaw1_AbsenceNeedsACompleteRead: no resource of a kind that was not read in full is
// missing, and a resource whose content was not read does not differ.
func TestLaw1_AbsenceNeedsACompleteRead(t *testing.T) {
	x := web("server", "x")
	b := web("bucket", "b")
	s, _ := bindAll([]resource.Binding{{Ref: b, ID: "b", Key: "key"}}, resource.Observed{Ref: b.Bare(), ID: "b", Condition: resource.Unreadable, Message: "access denied"})
	s.Unreachable = map[string]error{"server": errors.New("page 2 failed")}
	in := comparator.Input{
		Intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{{Ref: b, Attrs: attrs("size big")}, {Ref: x}}}},
		Live:    resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: s}},
		Kinds: func(_, kind string) (resource.Kind, bool) {
			return resource.Kind{Name: kind, Attrs: []resource.Attribute{{Name: "size"}}}, true
		},
	}
	found, err := comparator.Compare(in)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range found.Differences {
		got = append(got, fmt.Sprintf("%s %s: %v", d.Type, d.Ref.Name, d.Cause))
	}
	if d := gocmp.Diff([]string{"unreachable b: b could not be read: access denied", "unreachable x: page 2 failed"}, got); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
}

// TestLaw1_AbsenceNeedsACompleteRead_NothingIsConcludedOfTheUnread: a bucket that could not be read
// may be another one than the recorded one, so it is neither unwanted nor the end of a replacement.
func TestLaw1_AbsenceNeedsACompleteRead_NothingIsConcludedOfTheUnread(t *testing.T) { // style:ok
	b, v := web("bucket", "b"), web("server", "v")
	bindings := []resource.Binding{
		{Ref: b, ID: "b", Key: "key"},
		{Ref: v, ID: "i-1", Role: resource.RoleOld},
		{Ref: v, ID: "i-2", Role: resource.RoleNew},
	}
	all := []resource.Observed{
		{Ref: b.Bare(), ID: "b", Condition: resource.Unreadable, Message: "access denied"},
		{Ref: named("server", "i-1"), ID: "i-1"},
		{Ref: named("server", "i-2"), ID: "i-2", Condition: resource.Unreadable, Message: "access denied"},
	}
	replacing := func(r resource.Ref) (comparator.Replacing, bool) {
		return comparator.Replacing{Old: "i-1", Strategy: resource.CreateFirst}, r == v
	}
	for name, intent := range map[string]resource.Intent{
		"configured":     {Stack: "web", Resources: []resource.Desired{{Ref: b}, {Ref: v}}},
		"not configured": {Stack: "web"},
	} {
		s, _ := bindAll(bindings, all...)
		live := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: s}}
		found, err := comparator.Compare(comparator.Input{Intents: []resource.Intent{intent}, Live: live, Kinds: bindKinds, Replacing: replacing})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range found.Differences {
			got = append(got, fmt.Sprintf("%s %s of %s: %v", d.Type, d.Ref.Name, d.Ref.Stack, d.Cause))
		}
		want := []string{"unreachable b of web: b could not be read: access denied", "unreachable v of web: i-2 could not be read: access denied"}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
