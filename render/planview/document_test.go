package planview

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

const readPolicy = `{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["s3:GetObject"],
 "Resource": "arn:aws:s3:::acme-assets-of-production/*", "Condition": {"Bool": {"aws:SecureTransport": "true"}}}]}`

func screen(t *testing.T, v View) string {
	t.Helper()
	var b strings.Builder
	v.Names, v.Verb = NewNames(), "Plan"
	if err := v.Write(&b, term.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAPolicyIsShownAsADocument(t *testing.T) {
	got := screen(t, View{Plan: decider.Plan{Decisions: []decider.Decision{
		creation("a", 1, to("policy", resource.String(readPolicy)), to("trust", resource.String(`{"a": [1, "1", null]}`))),
	}}})
	want := `aws/us-east-1
  + ec2/a  create
    policy
      Version: 2012-10-17
      Statement:
        - Effect: Allow
          Action: [s3:GetObject]
          Resource: arn:aws:s3:::acme-assets-of-production/*
          Condition: {Bool: {aws:SecureTransport: "true"}}
    trust   {a: [1, "1", null]}

Plan: 1 to create.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDocumentsAreComparedByPath(t *testing.T) {
	changed := strings.NewReplacer(`["s3:GetObject"]`, `["s3:GetObject", "s3:PutObject"]`, `"true"`, `"false"`).Replace(readPolicy)
	removed, added, ok := compareDocuments(resource.String(readPolicy), resource.String(changed))
	if diff := cmp.Diff([]string{"Statement[0].Condition.Bool.aws:SecureTransport: \"true\""}, removed); diff != "" || !ok {
		t.Error(ok, diff)
	}
	if diff := cmp.Diff([]string{
		"Statement[0].Action[1]: s3:PutObject", "Statement[0].Condition.Bool.aws:SecureTransport: \"false\"",
	}, added); diff != "" {
		t.Error(diff)
	}
}

func TestAStringThatIsNoPlainDocumentStaysAString(t *testing.T) {
	for _, s := range []string{"", "{}", "{", `{"a": 1, "a": 2}`, `{"a": 1} {"b": 2}`, `["a"]`, "{a: 1}", `{"a": 1}x`} {
		if _, ok := documentOf(resource.String(s)); ok {
			t.Errorf("%q is shown as a document", s)
		}
	}
}

// anyJSON draws a value with few different parts, so that values are often nearly equal.
func anyJSON(depth int) *rapid.Generator[any] {
	leaves := rapid.SampledFrom([]any{"a", "b", "1", "true", "null", "a: b", "a, b", "[a]", "", true, nil, 1.0})
	if depth == 0 {
		return leaves
	}
	return rapid.OneOf(leaves,
		rapid.Map(rapid.SliceOfN(anyJSON(depth-1), 0, 3), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"k", "l", "a.b", "1"}), anyJSON(depth-1), 0, 3),
			func(v map[string]any) any { return v }))
}

// No two different documents look alike, and a difference of documents is never empty.
func TestDifferentDocumentsLookDifferent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (resource.Value, any) {
			v := map[string]any{"top": anyJSON(3).Draw(t, label)}
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return resource.String(b), v
		}
		a, x := draw("a")
		b, y := draw("b")
		m, isA := documentOf(a)
		n, isB := documentOf(b)
		if !isA || !isB {
			t.Fatalf("not documents: %s %s", a, b)
		}
		same := reflect.DeepEqual(x, y)
		if (m.flow() == n.flow()) != same {
			t.Fatalf("%s and %s are shown as %s and %s", a, b, m.flow(), n.flow())
		}
		if _, _, differs := compareDocuments(a, b); differs == same {
			t.Fatalf("%s and %s: differs %t, same %t", a, b, differs, same)
		}
	})
}

func tag(key, value string) resource.Change {
	return resource.Change{On: resource.OnTag, Path: "tags." + key, To: resource.String(value)}
}

func TestTagsThatAllShareAreWrittenOnce(t *testing.T) {
	plan := decider.Plan{Decisions: []decider.Decision{
		creation("a", 1, tag("env", "dev"), tag("team", "shop")),
		creation("b", 2, tag("env", "dev"), tag("team", "web")),
	}}
	want := `aws/us-east-1
  # tags of each new resource: env dev
  + ec2/a  create
    tags.team  shop
  + ec2/b  create
    tags.team  web

Plan: 2 to create.
`
	if diff := cmp.Diff(want, screen(t, View{Plan: plan})); diff != "" {
		t.Error(diff)
	}
	if got := screen(t, View{Plan: plan, Full: true}); strings.Count(got, "tags.env   dev") != 2 {
		t.Errorf("the full plan has not every tag:\n%s", got)
	}
	plan.Decisions = append(plan.Decisions, creation("c", 3))
	if got := screen(t, View{Plan: plan}); strings.Contains(got, "each new") {
		t.Errorf("a resource without tags shares none:\n%s", got)
	}
}

func TestOnlyHarmlessDefaultsAreOmitted(t *testing.T) {
	kinds := func(string, string) (resource.Kind, bool) {
		return resource.Kind{Attrs: []resource.Attribute{
			{Name: "public", Type: resource.TBool, Default: resource.Bool(false), HarmlessDefault: true},
			{Name: "open", Type: resource.TBool, Default: resource.Bool(true)},
			{Name: "disk", Type: resource.TString, CreateDefault: resource.String("ssd"), HarmlessDefault: true},
			{Name: "backup", Type: resource.TBool, CreateDefault: resource.Bool(false)},
		}}, true
	}
	plan := func(public bool) decider.Plan {
		return decider.Plan{Decisions: []decider.Decision{
			creation("a", 1, to("open", resource.Bool(true)), to("public", resource.Bool(public))),
		}}
	}
	want := `aws/us-east-1
  + ec2/a  create
    backup  false  # default, set at creation
    open    true   # default

Safe defaults are not shown (` + "`--verbose`" + `).
Plan: 1 to create.
`
	if diff := cmp.Diff(want, screen(t, View{Plan: plan(false), Kinds: kinds})); diff != "" {
		t.Error(diff)
	}
	if got := screen(t, View{Plan: plan(true), Kinds: kinds}); !strings.Contains(got, "public  true\n") {
		t.Errorf("a value that is not the default is omitted:\n%s", got)
	}
	for _, v := range []View{{Full: true}, {Verbose: true}} {
		v.Plan, v.Kinds = plan(false), kinds
		if got := screen(t, v); !strings.Contains(got, "disk    ssd") || !strings.Contains(got, "public  false") {
			t.Errorf("a default is omitted:\n%s", got)
		}
	}
}
