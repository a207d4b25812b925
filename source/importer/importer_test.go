package importer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/importer"
)

// schemas is a provider with a kind that has an ID and a name tag, one that is called by an attribute and refers to
// its own kind, and one whose ID is its name.
type schemas map[string]resource.Kind

func (s schemas) Kind(_, kind string) (resource.Kind, bool) {
	k, ok := s[kind]
	return k, ok
}

func kinds() schemas {
	text := func(name string) resource.Attribute { return resource.Attribute{Name: name, Type: resource.TString} }
	size, ram, group := text("size"), text("ram"), text("group")
	size.Required, ram.Default = true, resource.String("small")
	group.RefKind, group.IDPrefix = "group", "g-"
	usual := resource.Attribute{
		Name: "hops", Type: resource.TInt,
		Omit: func(v resource.Value) bool { return resource.Equal(v, resource.Int(1)) },
	}
	secret, computed := text("password"), text("address")
	secret.Secret, computed.Computed = true, true
	peers := resource.Attribute{
		Name: "peers", Type: resource.TSet,
		Elem: &resource.Attribute{Type: resource.TObject, Fields: []resource.Attribute{group, text("why")}},
	}
	called := text("called")
	called.Computed = true
	labels := resource.Attribute{Name: "labels", Type: resource.TMap, Elem: &resource.Attribute{Type: resource.TString}}
	return schemas{
		"vm": {
			Name: "vm", NameTag: "Name", NamePattern: `[a-z][a-z0-9-]*`, State: resource.StateRunning,
			Attrs: []resource.Attribute{size, ram, group, usual, secret, computed, labels},
		},
		"group":  {Name: "group", NameAttr: "called", Attrs: []resource.Attribute{peers, called}},
		"bucket": {Name: "bucket", Attrs: []resource.Attribute{text("motd")}},
	}
}

func observed(kind, id string, attrs map[string]resource.Value, tags ...string) resource.Observed {
	all := map[string]string{}
	for i := 0; i < len(tags); i += 2 {
		all[tags[i]] = tags[i+1]
	}
	return resource.Observed{
		Ref: resource.Ref{Provider: "toy", Location: "here", Kind: kind, Name: id}, ID: id, Health: resource.Healthy,
		Attrs: resource.AttrsOf(attrs), Tags: resource.TagsOf(all),
	}
}

func namesOf(items []importer.Item) []string {
	var out []string
	for _, i := range items {
		out = append(out, i.Ref().Short()+" "+i.Resource.ID)
	}
	return out
}

func TestNames(t *testing.T) {
	former := observed("vm", "v-5", nil)
	former.Marks.Ref = resource.Ref{Provider: "toy", Kind: "vm", Name: "old"}
	all := []resource.Observed{
		observed("vm", "v-1", nil, "Name", "web"),
		observed("vm", "v-2", nil, "Name", "web"),
		observed("vm", "v-3", nil, "Name", "Web Server (blue)"),
		observed("vm", "v-4", nil),
		former,
		observed("vm", "v-6", nil, "Name", "by console"),
		observed("group", "g-1", map[string]resource.Value{"called": resource.String("default")}),
		observed("bucket", "logs", nil, "Name", "other"),
	}
	got := namesOf(importer.Names(kinds(), all, map[string]string{"v-6": "app-0", "logs": "renamed"}))
	want := []string{
		"bucket/logs logs", "group/default g-1", "vm/vm-v-3 v-3", "vm/app-0 v-6", "vm/old v-5", "vm/v-4 v-4",
		"vm/web v-1", "vm/web-2 v-2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEveryNameIsValidAndOfOneResource holds for whatever resources are called.
func TestEveryNameIsValidAndOfOneResource(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		var all []resource.Observed
		for _, id := range rapid.SliceOfNDistinct(rapid.StringMatching(`v-[0-9a-f]{1,2}`), 1, 12, rapid.ID).Draw(t, "ids") {
			all = append(all, observed("vm", id, nil, "Name",
				rapid.OneOf(rapid.StringMatching(`[a-c](-2)?`), rapid.String()).Draw(t, "name")))
		}
		check, err := resource.NewChecker(kinds()["vm"])
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, i := range importer.Names(kinds(), all, nil) {
			if bad := check.CheckName(i.Name); len(bad) > 0 || seen[i.Name] {
				t.Errorf("%q of %s: %v, again: %v", i.Name, i.Resource.ID, bad, seen[i.Name])
			}
			seen[i.Name] = true
		}
	})
}

// TestWrite: references are names, also in rules, except where two groups would name each other; a reference sign is
// escaped; defaults, what the system chooses, what is empty, secrets and what is read-only are not written.
func TestWrite(t *testing.T) {
	peers := func(ids ...string) resource.Value {
		var out resource.List
		for _, id := range ids {
			out = append(out, resource.AttrsOf(map[string]resource.Value{
				"group": resource.String(id),
				"why":   resource.String("x: y"),
			}))
		}
		return out
	}
	stopped := observed("vm", "v-2",
		map[string]resource.Value{
			"size": resource.String("s"), "ram": resource.String("big"),
			"group": resource.String("g-9"), "hops": resource.Int(2),
		}, "Name", "b", "team", "on")
	stopped.Health = resource.Stopped
	items := importer.Names(kinds(), []resource.Observed{
		observed("vm", "v-1", map[string]resource.Value{
			"size": resource.String("s"), "ram": resource.String("small"), "group": resource.String("g-1"),
			"password": resource.Digest("d"), "address": resource.String("10.0.0.1"), "hops": resource.Int(1),
			"labels": resource.Attrs{},
		}, "Name", "a"),
		stopped,
		observed("group", "g-1", map[string]resource.Value{"called": resource.String("one"), "peers": peers("g-1", "g-2")}),
		observed("group", "g-2", map[string]resource.Value{"called": resource.String("two"), "peers": peers("g-1")}),
		observed("bucket", "logs", map[string]resource.Value{"motd": resource.String("at ${HOME}")}),
	}, nil)
	got, notes, err := importer.Write(importer.Head{Stack: "s", Provider: "toy", Word: "host", Location: "here"}, kinds(),
		items)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	want := `version: v1
stack: s
provider: toy
host: here
resources:
  - type: bucket
    name: logs
    motd: at $${HOME}
  - type: group
    name: one
    peers:
      - {group: g-1, why: 'x: y'}
      - {group: two, why: 'x: y'}
  - type: group
    name: two
    peers:
      - {group: g-1, why: 'x: y'}
  - type: vm
    name: a
    size: s
    group: one
  - type: vm
    name: b
    state: stopped
    size: s
    ram: big
    group: g-9
    hops: 2
    tags:
      team: "on"
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestDefaultsInsideListsAreNotWritten: what an object of a list has by default, also in a list within it. What is
// required, or read-only, is not omitted: an object without it would be another one.
func TestDefaultsInsideListsAreNotWritten(t *testing.T) {
	text := func(name, usual string) resource.Attribute {
		a := resource.Attribute{Name: name, Type: resource.TString}
		if usual != "" {
			a.Default = resource.String(usual)
		}
		return a
	}
	list := func(name string, fields ...resource.Attribute) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TSet, Default: resource.List{},
			Elem: &resource.Attribute{Type: resource.TObject, Fields: fields},
		}
	}
	id, protocol, found := text("id", ""), text("protocol", ""), text("found", "")
	id.Required, id.Default, found.Computed = true, resource.String("all"), true
	protocol.Omit = func(v resource.Value) bool { return v == resource.String("tcp") }
	k := schemas{"box": {Name: "box", Attrs: []resource.Attribute{
		list("rules", id, protocol, text("prefix", "any"), list("moves", text("class", "warm"), text("why", ""))),
		list("odd", id, found),
	}}}
	rule := func(id, protocol, prefix string, moves ...resource.Value) resource.Value {
		if moves == nil {
			moves = []resource.Value{}
		}
		return resource.AttrsOf(map[string]resource.Value{
			"id": resource.String(id), "protocol": resource.String(protocol), "prefix": resource.String(prefix),
			"moves": resource.List(moves),
		})
	}
	move := func(class string) resource.Value {
		return resource.AttrsOf(map[string]resource.Value{"class": resource.String(class), "why": resource.String("x")})
	}
	got, notes, err := importer.Write(importer.Head{Provider: "toy"}, k, importer.Names(k, []resource.Observed{
		observed("box", "b", map[string]resource.Value{
			"rules": resource.List{rule("all", "tcp", "any"), rule("b", "udp", "logs", move("warm"), move("cold"))},
			"odd": resource.List{resource.AttrsOf(map[string]resource.Value{
				"id":    resource.String("c"),
				"found": resource.String("more"),
			})},
		}),
	}, nil))
	if err != nil || len(notes) > 0 {
		t.Errorf("%v, %+v", err, notes)
	}
	want := `version: v1
provider: toy
resources:
  - type: box
    name: b
    rules:
      - {id: all}
      - {id: b, moves: [{why: x}, {class: cold, why: x}], prefix: logs, protocol: udp}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsRequiredAndUnknownIsANote.
func TestWhatIsRequiredAndUnknownIsANote(t *testing.T) {
	_, notes, err := importer.Write(importer.Head{Provider: "toy"}, kinds(),
		importer.Names(kinds(), []resource.Observed{observed("vm", "v-1", nil)}, nil))
	if err != nil || len(notes) != 1 || notes[0].Path != "size" {
		t.Errorf("%v, %+v", err, notes)
	}
}

func TestMatch(t *testing.T) {
	o := observed("vm", "v-1", nil, "team", "web/api")
	for pattern, want := range map[string]bool{
		"vm/web-*": true, "web-1": true, "v-?": true, "*/v-1": true, "tag:team=web*": true, "tag:team=*": true,
		"group/web-*": false, "web": false, "tag:team=db": false, "tag:other=*": false,
	} {
		m, err := importer.NewMatcher([]string{"never", pattern})
		if err != nil || m.Match(&o, "web-1") != want {
			t.Errorf("%s: %v, not %v", pattern, err, want)
		}
	}
	for _, bad := range []string{"", "[", "tag:team"} {
		if _, err := importer.NewMatcher([]string{bad}); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	if all, _ := importer.NewMatcher(nil); !all.Match(&o, "web-1") {
		t.Error("no pattern does not match all")
	}
}

// FuzzParseIDs: what was parsed is found again in what is written of it.
func FuzzParseIDs(f *testing.F) {
	f.Add("# comment\nvm/web v-1\n\n  group/a b   g-2 ")
	f.Add("vm/web")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := importer.ParseIDs(text)
		if err != nil {
			return
		}
		for _, x := range got {
			if x.Name == "" || x.ID == "" || strings.ContainsAny(x.ID, " \t\n") || x.Line < 1 {
				t.Errorf("%+v of %q", x, text)
			}
		}
	})
}
