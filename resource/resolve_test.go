package resource_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

// appKind has one attribute for each way a reference can be used.
func appKind() resource.Kind {
	text := resource.Attribute{Type: resource.TString}
	return resource.Kind{Provider: "p", Name: "app", Attrs: []resource.Attribute{
		{Name: "args", Type: resource.TList, Elem: &text},
		{Name: "env", Type: resource.TMap},
		{Name: "motd", Type: resource.TString},
		{Name: "port", Type: resource.TInt},
		{Name: "script", Type: resource.TString, Secret: true, SecretInFile: true, WriteOnly: true},
		{Name: "subnet", Type: resource.TString, RefKind: "subnet"},
	}}
}

func refTo(name, path string) resource.Reference {
	return resource.Reference{Ref: resource.Ref{Provider: "p", Location: "here", Kind: "db", Name: name}, Path: path}
}

func digestOf(plain string) resource.Digest { return resource.Digest("keyed:" + plain) }

// keyed is a Digester that binds nothing.
type keyed struct{}

func (keyed) Digest(_ resource.Ref, _, plain string) resource.Digest { return digestOf(plain) }

func (keyed) Same(plain string, d resource.Digest) bool { return d == digestOf(plain) }

// answers is a Resolver over a few known values.
func answers(known map[resource.Reference]resource.Value) resource.Resolver {
	return resource.Resolver{Secrets: keyed{}, Lookup: func(r resource.Reference) (resource.Value, bool) {
		v, ok := known[r]
		return v, ok
	}}
}

func TestResolveReplacesReferencesByTheirValues(t *testing.T) {
	t.Parallel()
	endpoint, port, gone := refTo("orders", "endpoint"), refTo("orders", "port"), refTo("gone", "")
	in := attrs("args", list{"-db", resource.Text{endpoint, resource.String(":"), port}}, "env", attrs("DB", endpoint),
		"motd", port, "port", port, "script", resource.Text{resource.NewSecret("DB=", "d"), endpoint}, "subnet", gone)
	got := appKind().Resolve(in, answers(map[resource.Reference]resource.Value{
		endpoint: resource.String("orders.internal"), port: resource.Int(5432),
	}))
	want := attrs("args", list{"-db", "orders.internal:5432"}, "env", attrs("DB", "orders.internal"), "motd", "5432", "port", 5432,
		"script", digestOf("DB=orders.internal"), "subnet", gone)
	if !got.Equal(want) {
		t.Errorf("got  %s\nwant %s", got.AppendJSON(nil), want.AppendJSON(nil))
	}
	if s, _ := got.Get("script"); s.(resource.Secret).Reveal() != "DB=orders.internal" {
		t.Errorf("the provider gets %q", s.(resource.Secret).Reveal())
	}
	none := appKind().Resolve(in, resource.Resolver{})
	if !none.Equal(in) {
		t.Errorf("a resolver that knows nothing changed %s", none.AppendJSON(nil))
	}
}

// A plan has the digest of a referenced secret, an apply the secret: both must give the same.
func TestASecretByReferenceHasOneDigest(t *testing.T) {
	t.Parallel()
	password := refTo("orders", "password")
	in := attrs("script", resource.Text{resource.NewSecret("PW=", "a"), password})
	planned := appKind().Resolve(in, answers(map[resource.Reference]resource.Value{password: resource.Digest("x")}))
	applied := appKind().Resolve(in, answers(map[resource.Reference]resource.Value{password: resource.NewSecret("example-hush", "x")}))
	if !planned.Equal(applied) {
		t.Errorf("planned %s, applied %s", planned.AppendJSON(nil), applied.AppendJSON(nil))
	}
	if s, _ := applied.Get("script"); s.(resource.Secret).Reveal() != "PW=example-hush" {
		t.Error("the provider does not get the secret")
	}
	other := appKind().Resolve(in, answers(map[resource.Reference]resource.Value{password: resource.Digest("y")}))
	if planned.Equal(other) {
		t.Error("another secret has the same digest")
	}
	if shown := string(applied.AppendJSON(nil)); strings.Contains(shown, "hush") {
		t.Errorf("the canonical JSON shows the secret: %s", shown)
	}
}

func TestDiffOfATextFollowsWhatItRefersTo(t *testing.T) {
	t.Parallel()
	endpoint := refTo("orders", "endpoint")
	desired := attrs("motd", resource.Text{resource.String("db is "), endpoint}, "script", resource.Text{resource.NewSecret("DB=", "d"), endpoint})
	diff := func(value resource.Value, applied resource.Attrs, unreachable bool) []resource.Change {
		return resource.Diff(desired, attrs("motd", "db is a"), appKind(), resource.DiffOptions{
			Resolve:     func(resource.Reference) (resource.Value, bool) { return value, value != nil },
			Secrets:     keyed{},
			Unreachable: func(resource.Ref) bool { return unreachable },
			Applied:     applied,
		})
	}
	before := attrs("script", digestOf("DB=a"))
	if got := diff(resource.String("a"), before, false); len(got) > 0 {
		t.Errorf("the same value differs: %v", got)
	}
	want := []resource.Change{
		{Path: "motd", From: resource.String("db is a"), To: resource.String("db is b"), Note: "refers to db/orders.endpoint"},
		{Path: "script", From: digestOf("DB=a"), To: digestOf("DB=b"), Note: "refers to db/orders.endpoint"},
	}
	if d := cmp.Diff(want, diff(resource.String("b"), before, false), cmp.Comparer(resource.Equal)); d != "" {
		t.Errorf("another value (-want +got):\n%s", d)
	}
	for _, c := range diff(nil, before, false) {
		if !c.KnownAfterApply {
			t.Errorf("%s: a reference without a value is not known after apply", c.Path)
		}
	}
	if got := diff(nil, before, true); len(got) > 0 {
		t.Errorf("a reference to something unreachable is compared: %v", got)
	}
}

func TestReferencesAreFoundWhereverTheyAre(t *testing.T) {
	t.Parallel()
	a, b, c := refTo("a", ""), refTo("b", "x"), refTo("c", "")
	v := attrs("l", list{a, attrs("m", resource.Text{resource.String("s"), b})}, "z", c)
	if d := cmp.Diff([]resource.Reference{a, b, c}, slices.Collect(resource.References(v))); d != "" {
		t.Error(d)
	}
	mapped := resource.MapRefs(v, func(r resource.Reference) resource.Value { return resource.String(r.String()) })
	want := attrs("l", list{"db/a", attrs("m", resource.Text{resource.String("s"), resource.String("db/b.x")})}, "z", "db/c")
	if !resource.Equal(want, mapped) {
		t.Errorf("%s", resource.AppendJSON(nil, mapped))
	}
	for range resource.References(v) {
		break // must not go on
	}
}

// binding is a Digester as ovi's: it binds a digest to a resource and a path.
type binding struct{}

func (binding) Digest(ref resource.Ref, path, plain string) resource.Digest {
	return resource.Digest(ref.String() + "#" + path + ":" + plain)
}

func (binding) Same(plain string, d resource.Digest) bool {
	_, s, _ := strings.Cut(string(d), ":")
	return s == plain
}

func TestADigestIsBoundToItsAttribute(t *testing.T) {
	t.Parallel()
	secret := resource.NewSecret("x", "of nothing")
	in := attrs("args", list{secret, "plain"}, "env", attrs("A", "1", "B", secret), "motd", resource.Text{secret, refTo("orders", "")}, "size", 1)
	ref := refTo("one", "").Ref
	got := resource.Seal(ref, in, binding{})
	at := func(path string) resource.Secret { return resource.NewSecret("x", binding{}.Digest(ref, path, "x")) }
	want := attrs("args", list{at("args"), "plain"}, "env", attrs("A", "1", "B", at("env.B")), "motd", resource.Text{at("motd"), refTo("orders", "")}, "size", 1)
	if !got.Equal(want) {
		t.Errorf("got  %s\nwant %s", got.AppendJSON(nil), want.AppendJSON(nil))
	}
	if v, _ := in.Get("motd"); v.(resource.Text)[0].(resource.Secret).Digest() != "of nothing" {
		t.Error("what other resources share was changed")
	}
	plain := attrs("size", 1)
	if sealed := resource.Seal(ref, plain, binding{}); &sealed[0] != &plain[0] {
		t.Error("attributes without secrets were copied")
	}
}

// After a move the record has the digest of the old name: that is no change of the secret.
func TestASecretIsTheSameUnderAnotherName(t *testing.T) {
	t.Parallel()
	was, is := refTo("was", "").Ref, refTo("is", "").Ref
	before := attrs("script", binding{}.Digest(was, "script", "x"))
	for plain, changes := range map[string]int{"x": 0, "y": 1} {
		desired := resource.Seal(is, attrs("script", resource.NewSecret(plain, "")), binding{})
		got := resource.Diff(desired, nil, appKind(), resource.DiffOptions{Applied: before, Secrets: binding{}, Ref: is})
		if len(got) != changes {
			t.Errorf("%s: %v", plain, got)
		}
	}
}

// TestTextWithoutReferencesIsJoined: the references of a text can be replaced by values before it is resolved.
func TestTextWithoutReferencesIsJoined(t *testing.T) {
	k := resource.Kind{Attrs: []resource.Attribute{
		{Name: "a", Type: resource.TString},
		{Name: "n", Type: resource.TInt},
		{Name: "l", Type: resource.TList},
	}}
	text := resource.Text{resource.String("in "), resource.String("vpc-1")}
	attrs := resource.NewAttrs(resource.Attr{Name: "a", Value: text}, resource.Attr{Name: "n", Value: resource.Int(1)},
		resource.Attr{Name: "l", Value: resource.List{text}})
	got := k.Resolve(attrs, resource.Resolver{})
	want := resource.NewAttrs(resource.Attr{Name: "a", Value: resource.String("in vpc-1")},
		resource.Attr{Name: "n", Value: resource.Int(1)},
		resource.Attr{Name: "l", Value: resource.List{resource.String("in vpc-1")}})
	if !resource.Equal(got, want) || resource.HasReferences(got) || !resource.HasReferences(attrs) {
		t.Errorf("got %v", got)
	}
}
