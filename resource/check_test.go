package resource_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

func bound(n int64) *int64 { return &n }

// houseKind has every type of rule that Check checks.
func houseKind() resource.Kind {
	return resource.Kind{
		Provider: "fake", Name: "house", NamePattern: "[a-z]+", NameDoc: "lowercase letters only",
		Attrs: []resource.Attribute{
			{Name: "size", Type: resource.TInt, Required: true, Min: bound(1), Max: bound(9), Example: "3"},
			{Name: "color", Type: resource.TString, Default: resource.String("white"), Enum: []string{"white", "green", "black"}},
			{Name: "code", Type: resource.TString, Pattern: "[0-9]{2}", Example: `"42"`},
			{Name: "motto", Type: resource.TString, Max: bound(3)},
			{Name: "open", Type: resource.TBool},
			{Name: "ratio", Type: resource.TFloat},
			{Name: "rooms", Type: resource.TList, Min: bound(1), Elem: &resource.Attribute{Type: resource.TObject, Fields: []resource.Attribute{
				{Name: "name", Type: resource.TString, Required: true},
				{Name: "doors", Type: resource.TInt, Default: resource.Int(1), CreateDefault: resource.Int(9)},
				{Name: "paint", Type: resource.TString, CreateDefault: resource.String("lime")},
			}}},
			{Name: "ports", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TInt, Min: bound(1)}},
			{Name: "labels", Type: resource.TMap},
			{Name: "street", Type: resource.TString, RefKind: "street"},
			{Name: "key", Type: resource.TString, Secret: true},
			{Name: "roof", Type: resource.TObject, Fields: []resource.Attribute{{Name: "slope", Type: resource.TInt, Default: resource.Int(30)}}},
			{Name: "tint", Type: resource.TString, CreateDefault: resource.String("none")},
			{Name: "address", Type: resource.TString, Computed: true},
		},
	}
}

func TestCheckReportsProblems(t *testing.T) {
	t.Parallel()
	secret := resource.NewSecret("example-hush", "d")
	for name, c := range map[string]struct {
		in   resource.Attrs
		want string // path: summary (suggestion)
	}{
		"required missing":       {attrs(), "size: size is required (for example, size: 3)"},
		"required given as null": {attrs("size", nil), "size: size is required (for example, size: 3)"},
		"unknown, near one":      {attrs("size", 1, "colur", "white"), "colur: unknown attribute \"colur\" for kind house (use color)"},
		"unknown, near none":     {attrs("size", 1, "helicopter", 1), "helicopter: unknown attribute \"helicopter\" for kind house ()"},
		"computed":               {attrs("size", 1, "address", "x"), "address: address is read-only: the provider reports it (remove address)"},
		"too small":              {attrs("size", 0), "size: size is 0, the minimum is 1 ()"},
		"too large":              {attrs("size", 10), "size: size is 10, the maximum is 9 ()"},
		"number in quotes":       {attrs("size", "3"), `size: size must be a whole number, got "3" (use 3 without quotes)`},
		"not a number":           {attrs("size", "big"), `size: size must be a whole number, got "big" (for example, size: 3)`},
		"whole float":            {attrs("size", 3.0), "size: size must be a whole number, got 3.0 (use 3)"},
		"yes for true":           {attrs("size", 1, "open", "yes"), `open: open must be true or false, got "yes" (use true)`},
		"a float for a string":   {attrs("size", 1, "code", 1.1), `code: code must be a string, got 1.1 (quote the value)`},
		"a bool for a string":    {attrs("size", 1, "code", true), `code: code must be a string, got true (quote the value)`},
		"not in the choice":      {attrs("size", 1, "color", "gren"), `color: invalid color "gren" (use green)`},
		"far from the choice":    {attrs("size", 1, "color", "#ff00ff"), `color: invalid color "#ff00ff" (use one of white, green, black)`},
		"pattern is of all":      {attrs("size", 1, "code", "142"), `code: invalid code "142": it must match [0-9]{2} (for example, code: "42")`},
		"too long in letters":    {attrs("size", 1, "motto", "äöüß"), "motto: motto has 4 characters, the maximum is 3 ()"},
		"one for a list":         {attrs("size", 1, "ports", 80), "ports: ports must be a list, got 80 (use [80])"},
		"empty list":             {attrs("size", 1, "rooms", list{}), "rooms: rooms has 0 elements, the minimum is 1 ()"},
		"deep in a list":         {attrs("size", 1, "rooms", list{attrs("name", "a"), attrs("door", 1)}), "rooms[1].door: unknown attribute \"door\" for kind house (use doors)\nrooms[1].name: name is required ()"},
		"null in a list":         {attrs("size", 1, "ports", list{nil}), "ports[0]: an element is empty (remove it)"},
		"an element's bounds":    {attrs("size", 1, "ports", list{0}), "ports[0]: ports[0] is 0, the minimum is 1 ()"},
		"a list for an object":   {attrs("size", 1, "roof", list{}), "roof: roof must be an object, got [] ()"},
		"a number in a map":      {attrs("size", 1, "labels", attrs("a", true)), "labels.a: a must be a string, got true (quote the value)"},
		"secret in the open":     {attrs("size", 1, "key", "hush"), "key: key is a secret and must not be written as plain text (use ${env:NAME})"},
		"secret where it shows":  {attrs("size", 1, "motto", secret), "motto: motto is not a secret attribute: its value is shown and recorded ()"},
		"reference out of place": {attrs("open", ref("fake/h/street/s"), "size", 1), "open: open must be true or false, got an id ()"},
		"reference of a kind":    {attrs("size", 1, "street", ref("fake/h/house/s")), "street: street must be of kind street, got fake/h/house/s of kind house ()"},
		"several at once":        {attrs("size", 0, "open", 1), "open: open must be true or false, got 1 ()\nsize: size is 0, the minimum is 1 ()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := resource.Check(houseKind(), c.in)
			var got []string
			for _, p := range problems {
				got = append(got, p.Path+": "+p.Summary+" ("+p.Suggestion+")")
			}
			if d := cmp.Diff(c.want, strings.Join(got, "\n")); d != "" {
				t.Errorf("problems (-want +got):\n%s", d)
			}
		})
	}
}

func TestCheckBringsTheCanonicalForm(t *testing.T) {
	t.Parallel()
	street := ref("fake/h/street/s")
	in := attrs("size", 3, "code", 42, "ratio", 2, "open", nil, "ports", list{443, 80, 443}, "roof", attrs(),
		"rooms", list{attrs("name", "hall")}, "labels", attrs("b", "2", "a", 1, "c", nil), "street", street, "key", resource.NewSecret("example-hush", "d"))
	want := attrs("size", 3, "code", "42", "ratio", 2.0, "color", "white", "ports", list{443, 80}, "roof", attrs("slope", 30),
		"rooms", list{attrs("name", "hall", "doors", 1)}, "labels", attrs("a", "1", "b", "2"), "street", street, "key", resource.Digest("d"))
	got, problems := resource.Check(houseKind(), in)
	if len(problems) > 0 || !got.Equal(want) {
		t.Errorf("%v\ngot  %s\nwant %s", problems, got.AppendJSON(nil), want.AppendJSON(nil))
	}
	again, problems := resource.Check(houseKind(), got)
	if len(problems) > 0 || !again.Equal(got) {
		t.Errorf("checked twice: %v %s", problems, again.AppendJSON(nil))
	}
}

func TestCanonicalRunsLast(t *testing.T) {
	t.Parallel()
	k := houseKind()
	calls := 0
	k.Canonical = func(a resource.Attrs) (resource.Attrs, []resource.Problem) {
		calls++
		return a.With("motto", resource.String("hi")), []resource.Problem{{Path: "size", Summary: "odd"}}
	}
	got, problems := resource.Check(k, attrs("size", 3))
	if v, _ := got.Get("motto"); !resource.Equal(v, resource.String("hi")) || len(problems) != 1 || problems[0].Summary != "odd" {
		t.Errorf("%s, %v", got.AppendJSON(nil), problems)
	}
	if _, problems = resource.Check(k, attrs("size", 0)); len(problems) != 1 || calls != 1 {
		t.Errorf("Canonical ran on invalid attributes: %v", problems)
	}
}

func TestForCreateAddsCreateDefaults(t *testing.T) {
	t.Parallel()
	got := houseKind().ForCreate(attrs("size", 1, "rooms", list{attrs("name", "hall", "doors", 2)}))
	want := attrs("size", 1, "tint", "none", "rooms", list{attrs("name", "hall", "doors", 2, "paint", "lime")})
	if !got.Equal(want) {
		t.Errorf("got  %s\nwant %s", got.AppendJSON(nil), want.AppendJSON(nil))
	}
	if again := houseKind().ForCreate(attrs("tint", "red")); !again.Equal(attrs("tint", "red")) {
		t.Errorf("a configured value is overwritten: %s", again.AppendJSON(nil))
	}
	k := resource.Kind{Attrs: []resource.Attribute{{Name: "from"}, {Name: "size", CreateDefault: resource.Int(7), DefaultUnless: "from"}}}
	if got := k.ForCreate(attrs("from", "backup")); !got.Equal(attrs("from", "backup")) {
		t.Errorf("a default beside what decides instead: %s", got.AppendJSON(nil))
	}
	if got := k.ForCreate(nil); !got.Equal(attrs("size", 7)) {
		t.Errorf("no default without what would decide: %s", got.AppendJSON(nil))
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	c, err := resource.NewChecker(houseKind())
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"hut": true, "": false, "Hut": false, "hut2": false, "a/b": false, "a\nb": false} {
		if problems := c.CheckName(name); (len(problems) == 0) != ok {
			t.Errorf("%q: %v", name, problems)
		}
	}
}

func TestAnInvalidSchemaIsAnError(t *testing.T) {
	t.Parallel()
	k := resource.Kind{Name: "k", Attrs: []resource.Attribute{{Name: "a", Elem: &resource.Attribute{Pattern: "("}}}}
	if _, err := resource.NewChecker(k); err == nil || !strings.Contains(err.Error(), "a: ") {
		t.Errorf("got %v", err)
	}
	if _, problems := resource.Check(k, nil); len(problems) != 1 {
		t.Errorf("got %v", problems)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"size", "image", "subnet", "security_groups", "key_name", "user_data"}
	for word, want := range map[string]string{
		"sizes": "size", "iamge": "image", "subent": "subnet", "security_group": "security_groups",
		"securitygroups": "security_groups", "userdata": "user_data", "zzz": "", "": "", "x": "", "keyname": "key_name", "foo": "", "needs": "",
	} {
		if got, ok := resource.Nearest(word, words); got != want || ok != (want != "") {
			t.Errorf("nearest of %q is %q, want %q", word, got, want)
		}
	}
}

// What Check accepts matches itself, and so does what is created from it.
func TestWhatIsCreatedAsConfiguredDoesNotDiffer(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		in := attrs("size", int(rapid.IntRange(1, 9).Draw(t, "size")))
		maybe := func(name string, v any) {
			if rapid.Bool().Draw(t, name) {
				in = in.With(name, value(v))
			}
		}
		maybe("code", rapid.IntRange(10, 99).Draw(t, "n"))
		maybe("ports", list{rapid.IntRange(1, 3).Draw(t, "p"), rapid.IntRange(1, 3).Draw(t, "q")})
		maybe("rooms", list{attrs("name", "a"), attrs("name", "b", "doors", rapid.IntRange(0, 2).Draw(t, "doors"))})
		maybe("labels", attrs("a", rapid.StringN(0, 2, -1).Draw(t, "label")))
		maybe("roof", attrs())
		k := houseKind()
		desired, problems := resource.Check(k, in)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		made := k.ForCreate(desired).With("address", resource.String("somewhere"))
		for what, there := range map[string]resource.Attrs{"itself": desired, "what is created from it": made} {
			if c := resource.Diff(desired, there, k, resource.DiffOptions{}); len(c) > 0 {
				t.Errorf("it differs from %s: %v", what, c)
			}
		}
	})
}

// Applying the changes that Diff lists leaves no difference.
func TestApplyingTheChangesLeavesNoDifference(t *testing.T) {
	t.Parallel()
	k := serverKind()
	draw := func(t *rapid.T, label string) resource.Attrs {
		word := rapid.SampledFrom([]string{"x", "y", "z"})
		m := map[string]resource.Value{}
		for _, n := range []string{"size", "image", "network"} {
			if rapid.Bool().Draw(t, label+n) {
				m[n] = resource.String(word.Draw(t, n))
			}
		}
		for _, n := range []string{"groups", "hosts"} {
			if rapid.Bool().Draw(t, label+n) {
				m[n] = resource.List{resource.String(word.Draw(t, n)), resource.String(word.Draw(t, n))}
			}
		}
		for _, n := range []string{"env", "disk"} {
			if rapid.Bool().Draw(t, label+n) {
				m[n] = attrs("size", word.Draw(t, n), word.Draw(t, n), "v")
			}
		}
		return resource.AttrsOf(m)
	}
	drawn.Check(t, func(t *rapid.T) {
		desired, there := draw(t, "desired "), draw(t, "observed ")
		for _, c := range resource.Diff(desired, there, k, resource.DiffOptions{}) {
			head, rest, nested := strings.Cut(c.Path, ".")
			if !nested {
				there = there.With(head, c.To)
				continue
			}
			v, _ := there.Get(head)
			inner, _ := v.(resource.Attrs)
			if c.To == nil {
				inner = inner.Without(rest)
			} else {
				inner = inner.With(rest, c.To)
			}
			there = there.With(head, inner)
		}
		if left := resource.Diff(desired, there, k, resource.DiffOptions{}); len(left) > 0 {
			t.Errorf("desired %s, observed %s: still %v", desired.AppendJSON(nil), there.AppendJSON(nil), left)
		}
	})
}

func TestValidChecksWhatTypesCannot(t *testing.T) {
	odd := func(v resource.Value) []resource.Problem {
		if n, _ := v.(resource.Int); n%2 == 0 {
			return []resource.Problem{{Summary: "even"}}
		}
		return nil
	}
	pair := func(v resource.Value) []resource.Problem {
		if a, _ := v.(resource.Attrs); len(a) == 2 {
			return []resource.Problem{{Path: "n", Summary: "two"}, {Summary: "whole"}}
		}
		return nil
	}
	k := resource.Kind{Provider: "p", Name: "k", Attrs: []resource.Attribute{
		{Name: "n", Type: resource.TInt, Valid: odd},
		{Name: "l", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TObject, Valid: pair, Fields: []resource.Attribute{
			{Name: "n", Type: resource.TInt, Valid: odd}, {Name: "m", Type: resource.TInt},
		}}},
	}}
	num := func(n int64) resource.Attrs {
		return resource.NewAttrs(resource.Attr{Name: "n", Value: resource.Int(n)}, resource.Attr{Name: "m", Value: resource.Int(1)})
	}
	_, problems := resource.Check(k, resource.NewAttrs(
		resource.Attr{Name: "n", Value: resource.Int(2)},
		resource.Attr{Name: "l", Value: resource.List{num(2), num(1)}}))
	var got []string
	for _, p := range problems {
		got = append(got, p.Path+" "+p.Summary)
	}
	// The first element is invalid inside, so it is not checked as a whole.
	if diff := cmp.Diff([]string{"l[0].n even", "l[1].n two", "l[1] whole", "n even"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, problems := resource.Check(k, resource.NewAttrs(resource.Attr{Name: "n", Value: resource.String("x")})); len(problems) != 1 {
		t.Errorf("Valid ran on a value of the wrong type: %v", problems)
	}
}

func TestNoKindHasAReservedName(t *testing.T) {
	for _, name := range []string{"stack", "use", "vars"} {
		if _, err := resource.NewChecker(resource.Kind{Provider: "p", Name: name}); err == nil {
			t.Errorf("a kind can have the name %s", name)
		}
	}
}
