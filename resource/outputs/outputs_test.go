package outputs_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

var web = resource.Ref{Stack: "s", Provider: "aws", Location: "l", Kind: "ec2", Name: "web"}

func refer(path string) resource.Reference { return resource.Reference{Ref: web, Path: path} }

// answer knows the attributes of web.
func answer(r resource.Reference) outputs.Answer {
	switch r.Path {
	case "ip":
		return outputs.Answer{Value: resource.String("10.0.0.1")}
	case "port":
		return outputs.Answer{Value: resource.Int(80)}
	case "nets":
		return outputs.Answer{Value: resource.List{resource.String("a"), resource.String("b")}}
	case "late":
		return outputs.Answer{Late: true}
	case "password":
		return outputs.Answer{Value: resource.Digest("hmac:1")}
	case "nested":
		return outputs.Answer{Value: resource.List{resource.Attrs{{Name: "p", Value: resource.Digest("hmac:1")}}}}
	}
	if r.Path == "never" {
		return outputs.Answer{Missing: "box/a has no never"}
	}
	return outputs.Answer{Why: "box/a was not observed"}
}

func TestAValueIsResolvedWithItsType(t *testing.T) {
	t.Parallel()
	text := func(parts ...resource.Value) resource.Value { return resource.Text(parts) }
	for name, c := range map[string]struct {
		in   resource.Value
		want string // JSON; "late", or "" for no value
	}{
		"a plain value":            {resource.Int(1), "1"},
		"a list of a resource":     {refer("nets"), `["a","b"]`},
		"a number stays one":       {refer("port"), "80"},
		"a text":                   {text(resource.String("http://"), refer("ip"), resource.String(":"), refer("port")), `"http://10.0.0.1:80"`},
		"a list in a text":         {text(resource.String("x"), refer("nets")), ""},
		"inside a map and a list":  {resource.Attrs{{Name: "a", Value: resource.List{refer("ip")}}}, `{"a":["10.0.0.1"]}`},
		"no value":                 {refer("none"), ""},
		"late":                     {refer("late"), "late"},
		"late and none":            {resource.List{refer("late"), refer("none")}, ""},
		"a secret":                 {refer("password"), ""},
		"a secret in a text":       {text(resource.String("x"), refer("password")), ""},
		"a secret below a value":   {refer("nested"), ""},
		"a text with a late value": {text(resource.String("x"), refer("late")), "late"},
	} {
		got := outputs.Resolve(c.in, answer)
		text := ""
		switch {
		case got.Late:
			text = "late"
		case got.Value != nil:
			text = string(outputs.Plain(got.Value))
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// TestChangesAreThoseThatDiffer: an output whose value is not known keeps its record.
func TestChangesAreThoseThatDiffer(t *testing.T) {
	t.Parallel()
	was := []outputs.Recorded{
		{Name: "gone", Value: resource.String("x")},
		{Name: "ip", Value: resource.String("10.0.0.1")},
		{Name: "port", Value: resource.Int(81)},
		{Name: "unknown", Value: resource.String("y")},
		{Name: "kind", Value: resource.String("80")},
		{Name: "later", Value: resource.String("z")},
		{Name: "lost", Value: resource.String("l")},
		{Name: "none", Missing: "box/a has no never"},
		{Name: "other", Missing: "box/a has no other"},
		{Name: "back", Missing: "box/a has no port"},
		{Name: "removed", Missing: "box/a has no removed"},
	}
	now := resource.NewAttrs(
		resource.Attr{Name: "ip", Value: refer("ip")}, resource.Attr{Name: "port", Value: refer("port")},
		resource.Attr{Name: "unknown", Value: refer("none")}, resource.Attr{Name: "new", Value: resource.Bool(true)},
		resource.Attr{Name: "kind", Value: refer("port")}, resource.Attr{Name: "later", Value: refer("late")},
		resource.Attr{Name: "lost", Value: refer("never")}, resource.Attr{Name: "none", Value: refer("never")},
		resource.Attr{Name: "other", Value: refer("never")}, resource.Attr{Name: "back", Value: refer("port")},
		resource.Attr{Name: "both", Value: resource.List{refer("never"), refer("none")}},
	)
	want := []outputs.Change{
		{Stack: "s", Name: "back", To: resource.Int(80)},
		{Stack: "s", Name: "gone", From: resource.String("x")},
		{Stack: "s", Name: "kind", From: resource.String("80"), To: resource.Int(80)},
		{Stack: "s", Name: "later", From: resource.String("z"), Late: true},
		{Stack: "s", Name: "lost", From: resource.String("l"), Missing: "box/a has no never"},
		{Stack: "s", Name: "new", To: resource.Bool(true)},
		{Stack: "s", Name: "other", Missing: "box/a has no never"},
		{Stack: "s", Name: "port", From: resource.Int(81), To: resource.Int(80)},
		{Stack: "s", Name: "removed"},
	}
	got, unknown := outputs.Changes("s", was, now, answer)
	const why = "box/a was not observed"
	if diff := cmp.Diff([]outputs.Unknown{{"s", "both", why}, {"s", "unknown", why}}, unknown); diff != "" {
		t.Error(diff)
	}
	if got[len(got)-1].Action() != "delete" || got[0].Action() != "create" {
		t.Errorf("%s, %s", got[0].Action(), got[len(got)-1].Action())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b, err := json.Marshal(got)
	var again []outputs.Change
	if err == nil {
		err = json.Unmarshal(b, &again)
	}
	if diff := cmp.Diff(want, again); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for i := range got {
		if !got[i].Equal(again[i]) {
			t.Errorf("%+v", got[i])
		}
	}
}

func TestPlainJSONHasTheNamesAsWritten(t *testing.T) {
	t.Parallel()
	v := resource.Attrs{{Name: "$ref", Value: resource.String("<a>")}, {Name: "f", Value: resource.Float(1)}}
	if got := string(outputs.Plain(v)); got != `{"$ref":"<a>","f":1.0}` {
		t.Error(got)
	}
	if f, ok := outputs.Field(v, "f"); !ok || f != resource.Float(1) {
		t.Error(f, ok)
	}
	list := resource.Attrs{{Name: "a", Value: resource.List{resource.Int(1), resource.Attrs{{Name: "b", Value: resource.List{resource.Int(2)}}}}}}
	for path, want := range map[string]resource.Value{"a[0]": resource.Int(1), "a[1].b[0]": resource.Int(2)} {
		if got, ok := outputs.Field(list, path); !ok || got != want {
			t.Errorf("%s is %v, %v", path, got, ok)
		}
	}
	for _, path := range []string{"a[2]", "a[-1]", "a[00]", "a[", "a[]", "a[x]", "a.0", "[0]", "a[0][0]", "a[0].b"} {
		if got, ok := outputs.Field(list, path); ok {
			t.Errorf("%s is %v", path, got)
		}
	}
	for _, path := range []string{"f.g", "h"} {
		if _, ok := outputs.Field(v, path); ok {
			t.Error(path)
		}
	}
}

func TestTheRecordDecidesWhereTheNameOfAStackEnds(t *testing.T) {
	t.Parallel()
	recorded := []outputs.Recorded{
		{Stack: "a", Name: "b", Value: resource.String("of a")},
		{Stack: "a.b", Name: "c", Value: resource.Attrs{{Name: "d", Value: resource.Int(1)}}},
	}
	for text, want := range map[string]string{
		"a.b":     `"of a"`,
		"a.b.c":   `{"d":1}`,
		"a.b.c.d": "1",
		"a.b.c.e": "output c of stack a.b has no key e; run `ovi output c --stack a.b`",
		"a.x":     "stack a has no recorded output x; add it to outputs of stack a, and apply that stack first; it has b",
		"a.b.cc":  "stack a.b has no recorded output cc; add it to outputs of stack a.b, and apply that stack first; it has c",
		"none.x":  "this store has no stack none; apply stack none first, with the same store",
		"empty.x": "stack empty has no recorded output x; add it to outputs of stack empty, and apply that stack first",
		"emty.x":  "this store has no stack emty; use ${stack/empty.x}, or apply stack emty first, with the same store",
	} {
		_, v, why, next := outputs.Find(text, recorded, []string{"a", "a.b", "empty"})
		got := why + "; " + next
		if v != nil && why == "" {
			got = string(outputs.Plain(v))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
