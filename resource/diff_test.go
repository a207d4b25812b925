package resource_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// serverKind has one attribute for each case of Diff.
func serverKind() resource.Kind {
	port := []resource.Attribute{{Name: "from", Type: resource.TInt}, {Name: "to", Type: resource.TInt}}
	return resource.Kind{Provider: "fake", Name: "server", Attrs: []resource.Attribute{
		{Name: "size", Type: resource.TString, Effect: resource.Restart},
		{Name: "image", Type: resource.TString, Effect: resource.Replace},
		{Name: "weight", Type: resource.TFloat},
		{Name: "network", Type: resource.TString, RefKind: "network", Effect: resource.Replace},
		{Name: "groups", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TString, RefKind: "group"}},
		{Name: "ports", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Fields: port}},
		{Name: "hosts", Type: resource.TList, Elem: &resource.Attribute{Type: resource.TString}},
		{Name: "env", Type: resource.TMap},
		{Name: "disk", Type: resource.TObject, Effect: resource.Restart, Fields: []resource.Attribute{
			{Name: "size", Type: resource.TInt},
			{Name: "kind", Type: resource.TString, Effect: resource.Replace},
			{Name: "seed", Type: resource.TString, WriteOnly: true},
		}},
		{Name: "password", Type: resource.TString, Secret: true},
		{Name: "script", Type: resource.TString, WriteOnly: true, Effect: resource.Replace},
		{Name: "address", Type: resource.TString, Computed: true},
		{Name: "hint", Type: resource.TString, WriteOnly: true, Default: resource.String("none")},
		{Name: "guard", Type: resource.TBool, WriteOnly: true, CreateDefault: resource.Bool(false)},
		{Name: "users", Type: resource.TList, Elem: &resource.Attribute{Type: resource.TObject, Fields: []resource.Attribute{
			{Name: "name", Type: resource.TString}, {Name: "key", Type: resource.TString, WriteOnly: true},
		}}},
	}}
}

func attrs(pairs ...any) resource.Attrs {
	var out []resource.Attr
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, resource.Attr{Name: pairs[i].(string), Value: value(pairs[i+1])})
	}
	return resource.NewAttrs(out...)
}

func value(v any) resource.Value {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return resource.String(v)
	case int:
		return resource.Int(v)
	case bool:
		return resource.Bool(v)
	case float64:
		return resource.Float(v)
	case []any:
		out := resource.List{}
		for _, e := range v {
			out = append(out, value(e))
		}
		return out
	}
	return v.(resource.Value)
}

func ref(s string) resource.Reference {
	r, err := resource.ParseRef(s)
	if err != nil {
		panic(err)
	}
	return resource.Reference{Ref: r}
}

type list = []any

func TestDiff(t *testing.T) {
	t.Parallel()
	known := ref("fake/here/network/known")
	newer := ref("fake/here/network/newer")
	hidden := ref("fake/there/network/hidden")
	change := func(path string, from, to any, e resource.Effect) resource.Change {
		return resource.Change{Path: path, From: value(from), To: value(to), Effect: e}
	}
	open := func(c resource.Change) resource.Change { c.KnownAfterApply = true; return c }
	for name, c := range map[string]struct {
		want, there, applied resource.Attrs
		ignore               []string
		changes              []resource.Change
	}{
		"not configured":            {want: attrs(), there: attrs("size", "big", "disk", attrs("size", 1))},
		"changed, effect of schema": {want: attrs("size", "big"), there: attrs("size", "small"), changes: []resource.Change{change("size", "small", "big", resource.Restart)}},
		"not observed":              {want: attrs("image", "a"), there: attrs(), changes: []resource.Change{change("image", nil, "a", resource.Replace)}},
		"nil removes":               {want: attrs("image", nil), there: attrs("image", "a"), changes: []resource.Change{change("image", "a", nil, resource.Replace)}},
		"whole float is an int":     {want: attrs("weight", 1.0), there: attrs("weight", 1)},
		"unknown to the schema":     {want: attrs("x", "1"), there: attrs("x", "2"), changes: []resource.Change{change("x", "2", "1", resource.InPlace)}},
		"computed is not compared":  {want: attrs("address", "1"), there: attrs("address", "2")},
		"list in another order":     {want: attrs("hosts", list{"a", "b"}), there: attrs("hosts", list{"b", "a"}), changes: []resource.Change{change("hosts", list{"b", "a"}, list{"a", "b"}, resource.InPlace)}},
		"list with an extra one":    {want: attrs("hosts", list{"a"}), there: attrs("hosts", list{"a", "b"}), changes: []resource.Change{change("hosts", list{"a", "b"}, list{"a"}, resource.InPlace)}},
		"empty list and none":       {want: attrs("hosts", list{}), there: attrs()},
		"set in another order":      {want: attrs("groups", list{"a", "b"}), there: attrs("groups", list{"b", "a"})},
		"set with another element":  {want: attrs("groups", list{"a", "c"}), there: attrs("groups", list{"b", "a"}), changes: []resource.Change{change("groups", list{"b", "a"}, list{"a", "c"}, resource.InPlace)}},
		"set element sets less":     {want: attrs("ports", list{attrs("from", 1), attrs("from", 2)}), there: attrs("ports", list{attrs("from", 2, "to", 2), attrs("from", 1, "to", 9)})},
		"specific element second": {
			want:  attrs("ports", list{attrs("from", 1), attrs("from", 1, "to", 2)}),
			there: attrs("ports", list{attrs("from", 1, "to", 2), attrs("from", 1, "to", 3)}),
		},
		"one cannot match two": {
			want:    attrs("ports", list{attrs("from", 1), attrs("from", 1, "to", 2)}),
			there:   attrs("ports", list{attrs("from", 1, "to", 2), attrs("from", 4, "to", 3)}),
			changes: []resource.Change{change("ports", list{attrs("from", 1, "to", 2), attrs("from", 4, "to", 3)}, list{attrs("from", 1), attrs("from", 1, "to", 2)}, resource.InPlace)},
		},
		"object by field":            {want: attrs("disk", attrs("size", 2)), there: attrs("disk", attrs("size", 1, "kind", "ssd")), changes: []resource.Change{change("disk.size", 1, 2, resource.Restart)}},
		"object's own effect":        {want: attrs("disk", attrs("kind", "hdd")), there: attrs("disk", attrs("kind", "ssd")), changes: []resource.Change{change("disk.kind", "ssd", "hdd", resource.Replace)}},
		"object absent":              {want: attrs("disk", attrs("size", 2)), there: attrs(), changes: []resource.Change{change("disk", nil, attrs("size", 2), resource.Restart)}},
		"map by key, extra removed":  {want: attrs("env", attrs("A", "1", "B", "2")), there: attrs("env", attrs("B", "3", "C", "4")), changes: []resource.Change{change("env.A", nil, "1", resource.InPlace), change("env.B", "3", "2", resource.InPlace), change("env.C", "4", nil, resource.InPlace)}},
		"map key ignored":            {want: attrs("env", attrs("A", "1")), there: attrs("env", attrs("C/D", "4")), ignore: []string{"env.C*"}, changes: []resource.Change{change("env.A", nil, "1", resource.InPlace)}},
		"ignored object":             {want: attrs("disk", attrs("size", 2)), there: attrs("disk", attrs("size", 1)), ignore: []string{"disk"}},
		"ignored by pattern":         {want: attrs("disk", attrs("size", 2)), there: attrs("disk", attrs("size", 1)), ignore: []string{"di*.size"}},
		"other path ignored":         {want: attrs("size", "b"), there: attrs("size", "a"), ignore: []string{"siz", "size.x", "[", "disk.*"}, changes: []resource.Change{change("size", "a", "b", resource.Restart)}},
		"secret by digest":           {want: attrs("password", resource.NewSecret("hush-example", "d1")), there: attrs("password", resource.Digest("d1"))},
		"another secret":             {want: attrs("password", resource.Digest("d2")), there: attrs("password", resource.Digest("d1")), changes: []resource.Change{change("password", resource.Digest("d1"), resource.Digest("d2"), resource.InPlace)}},
		"reference resolved":         {want: attrs("network", known), there: attrs("network", "net-1")},
		"reference to another ID":    {want: attrs("network", known), there: attrs("network", "net-2"), changes: []resource.Change{change("network", "net-2", known, resource.Replace)}},
		"reference not known":        {want: attrs("network", newer), there: attrs("network", "net-2"), changes: []resource.Change{open(change("network", "net-2", newer, resource.Replace))}},
		"reference unreachable":      {want: attrs("network", hidden), there: attrs("network", "net-2")},
		"references in a set":        {want: attrs("groups", list{known, "g"}), there: attrs("groups", list{"g", "net-1"})},
		"unreachable in a set":       {want: attrs("groups", list{hidden, "g"}), there: attrs("groups", list{"g", "x"})},
		"new in a set":               {want: attrs("groups", list{newer, "g"}), there: attrs("groups", list{"g", "x"}), changes: []resource.Change{open(change("groups", list{"g", "x"}, list{newer, "g"}, resource.InPlace))}},
		"write-only, unknown":        {want: attrs("script", "a"), there: attrs("script", "b")},
		"write-only, as applied":     {want: attrs("script", "a"), there: attrs(), applied: attrs("script", "a")},
		"write-only, changed":        {want: attrs("script", "a"), there: attrs(), applied: attrs("script", "b"), changes: []resource.Change{change("script", "b", "a", resource.Replace)}},
		"write-only, added since":    {want: attrs("disk", attrs("seed", "a")), there: attrs("disk", attrs()), applied: attrs("size", "x"), changes: []resource.Change{change("disk.seed", nil, "a", resource.Restart)}},
		"write-only, would replace":  {want: attrs("script", "a"), there: attrs(), applied: attrs("size", "x")},
		"write-only, as created":     {want: attrs("guard", false), there: attrs(), applied: resource.Attrs{}},
		"write-only, not as created": {want: attrs("guard", true), there: attrs(), applied: resource.Attrs{}, changes: []resource.Change{change("guard", false, true, resource.InPlace)}},
		"write-only, new default":    {want: attrs("hint", "none"), there: attrs(), applied: resource.Attrs{}},
		"write-only, in a list":      {want: attrs("users", list{attrs("name", "a", "key", "k")}), there: attrs("users", list{attrs("name", "a")})},
		"write-only, nested changed": {want: attrs("disk", attrs("seed", "a")), there: attrs("disk", attrs()), applied: attrs("disk", attrs("seed", "b")), changes: []resource.Change{change("disk.seed", "b", "a", resource.Restart)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := resource.Diff(c.want, c.there, serverKind(), resource.DiffOptions{
				Resolve:     func(r resource.Reference) (resource.Value, bool) { return resource.String("net-1"), r == known },
				Unreachable: func(r resource.Ref) bool { return r.Location == "there" },
				Ignore:      c.ignore,
				Applied:     c.applied,
			})
			if d := cmp.Diff(c.changes, got); d != "" {
				t.Errorf("changes (-want +got):\n%s", d)
			}
		})
	}
}

func TestDiffTags(t *testing.T) {
	t.Parallel()
	tags := func(kv ...string) resource.Tags {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return resource.TagsOf(m)
	}
	got := resource.DiffTags(
		tags("a", "1", "b", "2", "z/y", "9"),
		tags("b", "3", "removed", "old", "changed", "outside ovi", "other", "x"),
		tags("a", "1", "removed", "old", "changed", "by ovi", "gone", "x"),
		[]string{"tags.z*"},
	)
	want := []resource.Change{
		{On: resource.OnTag, Path: "tags.a", To: resource.String("1")},
		{On: resource.OnTag, Path: "tags.b", From: resource.String("3"), To: resource.String("2")},
		{On: resource.OnTag, Path: "tags.removed", From: resource.String("old")},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tag changes (-want +got):\n%s", d)
	}
}

func TestDiffOfTheSameAllocatesNothing(t *testing.T) {
	k := serverKind()
	net := ref("fake/here/network/known")
	opt := resource.DiffOptions{Resolve: func(resource.Reference) (resource.Value, bool) { return resource.String("net-1"), true }}
	want := attrs("size", "a", "network", net, "hosts", list{"a"}, "disk", attrs("size", 3))
	there := attrs("size", "a", "network", "net-1", "hosts", list{"a"}, "disk", attrs("size", 3, "kind", "ssd"), "image", "i")
	n := testing.AllocsPerRun(100, func() {
		if c := resource.Diff(want, there, k, opt); c != nil {
			t.Fatalf("they differ: %v", c)
		}
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}
