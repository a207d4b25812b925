package resource_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

func TestRefsComeBack(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		r := drawRef(t)
		back, err := resource.ParseRef(r.String())
		if err != nil || back != r {
			t.Fatalf("%#v came back as %#v, %v", r, back, err)
		}
		b, err := json.Marshal(map[resource.Ref]resource.Scope{r: r.Scope()})
		var m map[resource.Ref]resource.Scope
		if err != nil || json.Unmarshal(b, &m) != nil || m[r] != r.Scope() {
			t.Fatalf("%s, %v", b, err)
		}
	})
}

func TestRefsSortByScopeThenKindThenNameThenStack(t *testing.T) {
	t.Parallel()
	sorted := []string{"a/a/z/z", "a/b/a/b", "a/b/b/a", "x:a/b/b/a", "y:a/b/b/a", "a/b/b/b", "a/b/c/k/a", "b/a/a/a"}
	for i := 1; i < len(sorted); i++ {
		x, _ := resource.ParseRef(sorted[i-1])
		y, _ := resource.ParseRef(sorted[i])
		if x.Compare(y) >= 0 || y.Compare(x) <= 0 || x.Compare(x) != 0 {
			t.Errorf("%s does not sort before %s", x, y)
		}
	}
}

func TestEqualComparesTypeAndContent(t *testing.T) {
	t.Parallel()
	values := []resource.Value{
		nil, resource.String(""), resource.String("1"), resource.Int(1), resource.Float(1), resource.Bool(true),
		resource.List{},
		resource.List{nil},
		list1("1"),
		resource.Attrs{},
		attrs("a", "1"), attrs("b", "1"), attrs("a", "2"), attrs("a", "1", "b", "1"),
		resource.Digest("1"), resourceRef("a"), resourceRef("b"),
	}
	for i, a := range values {
		for j, b := range values {
			if resource.Equal(a, b) != (i == j) {
				t.Errorf("%#v and %#v: %v", a, b, i != j)
			}
		}
	}
}

func list1(s string) resource.List { return resource.List{resource.String(s)} }

func resourceRef(name string) resource.Value { return resource.Reference{Ref: res(name)} }

func TestTheDigestIsOfTheContent(t *testing.T) {
	t.Parallel()
	base := resource.Desired{Ref: res("a"), Attrs: attrs("size", 1), Tags: resource.Tags{{Key: "k", Value: "v"}}}
	moved := base
	moved.At, moved.Ignore, moved.DependsOn = position.Position{File: "x", Line: 3}, []string{"size"}, []resource.Ref{res("b")}
	moved.Ref = res("b")
	if base.Digest() != moved.Digest() {
		t.Error("the name or the position of a resource changes its digest")
	}
	other := []resource.Desired{base, base, base}
	other[0].Attrs = attrs("size", "1")
	other[1].Tags = nil
	other[2].Blessed = true
	for i, o := range other {
		if o.Digest() == base.Digest() {
			t.Errorf("configuration %d has the digest of another", i)
		}
	}
	if d := base.Digest(); len(d) != 64 {
		t.Errorf("%q is not a SHA-256", d)
	}
}

func TestSecretsHideFromEveryVerb(t *testing.T) {
	t.Parallel()
	s := resource.NewSecret("example-hush", "d")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, v := range []any{s, &s, resource.Attrs{{Name: "p", Value: s}}, []any{s}} {
			if got := fmt.Sprintf(verb, v); !cmp.Equal(got, noPlain(got)) {
				t.Errorf("%s shows the secret: %s", verb, got)
			}
		}
	}
	if !resource.Equal(s, resource.Digest("d")) || resource.Equal(s, resource.Digest("e")) || resource.Equal(s, resource.String("d")) {
		t.Error("a secret is not equal by its digest alone")
	}
}

// noPlain gives "" for a text that shows the secret in letters or in hex.
func noPlain(s string) string {
	for _, bad := range []string{"hush", "68757368"} {
		if len(s) >= len(bad) {
			for i := range len(s) - len(bad) + 1 {
				if s[i:i+len(bad)] == bad {
					return ""
				}
			}
		}
	}
	return s
}

func TestRefsListsEachDependencyOnce(t *testing.T) {
	t.Parallel()
	d := resource.Desired{DependsOn: []resource.Ref{res("b")}, Attrs: attrs("x", list{resource.Reference{Ref: res("a")}, resource.Reference{Ref: res("b")}}, "y", resource.Reference{Ref: res("a")})}
	if diff := cmp.Diff([]resource.Ref{res("b"), res("a")}, d.Refs()); diff != "" {
		t.Error(diff)
	}
}
