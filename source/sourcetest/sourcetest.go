// Package sourcetest holds a source to what source.Source promises: it reads completely or
// returns an error, reports all problems at once with their positions, gives the same intent
// for the same input, takes no identity from a position, keeps secrets secret, and writes
// nothing.
package sourcetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
)

// Spec is one resource that the suite configures, in no syntax.
type Spec struct {
	Kind, Name string
	Count      int               // 0 means no count
	Attrs      map[string]any    // string or int; a string may hold ${kind/name.path}
	Secrets    map[string]string // attributes whose value must come from outside
	DependsOn  []string
}

// Harness writes configurations in the syntax of one source.
type Harness struct {
	// Write writes the resources as one stack below dir, in this order, and opens them with
	// Options.
	Write func(t *testing.T, dir string, specs []Spec) source.Source
	// Break makes a part of what Write wrote unreadable.
	Break func(t *testing.T, dir string)
	// NoLines: the source has files without lines.
	NoLines bool
}

// secret is what must not be shown anywhere.
const secret = "not-a-real-secret-41c7"

// good is a stack with a reference of each form.
func good() []Spec {
	return []Spec{
		{Kind: "net", Name: "main", Attrs: map[string]any{"cidr": "10.0.0.0/16"}},
		{
			Kind: "app", Name: "db", Attrs: map[string]any{"size": 2, "net": "main"},
			Secrets: map[string]string{"password": secret},
		},
		{
			Kind: "app", Name: "web", Count: 2,
			Attrs:     map[string]any{"size": 1, "net": "net-0abc", "motd": "db is ${app/db.address}"},
			DependsOn: []string{"net/main"},
		},
		{Kind: "app", Name: "plain", Attrs: map[string]any{"size": 1, "motd": "100"}},
	}
}

// Run holds a source to its promises.
func Run(t *testing.T, h Harness) {
	t.Run("AStackIsReadCompletely", h.complete)
	t.Run("WhatCannotBeReadIsAnError", h.broken)
	t.Run("AllProblemsAreReportedAtOnce", h.problems)
	t.Run("TheSameInputGivesTheSameIntent", h.same)
	t.Run("AnotherConfigurationIsAnotherVersion", h.versions)
	t.Run("NoIdentityFromAPosition", h.moved)
	t.Run("SecretsAreSecret", h.secrets)
	t.Run("NothingIsWritten", h.writesNothing)
}

// Fixed is a source whose form has no place for the resources of the suite: a table of one kind.
type Fixed struct {
	// Good writes a stack below dir and opens it.
	Good func(t *testing.T, dir string) source.Source
	// Want are the resources of Good, sorted by ref, without their positions.
	Want []resource.Desired
	// Moved writes the same stack in another order, with one more resource, called inserted.
	Moved func(t *testing.T, dir string) source.Source
	// Wrong writes a stack with several problems, whose summaries match Problems.
	Wrong    func(t *testing.T, dir string) source.Source
	Problems []string
	// Break makes a part of what Good wrote unreadable.
	Break func(t *testing.T, dir string)
	// NoLines: the source has files without lines.
	NoLines bool
}

// RunFixed holds such a source to the same promises, except for secrets, which it cannot have.
func RunFixed(t *testing.T, h Fixed) {
	lines := Harness{NoLines: h.NoLines}
	t.Run("AStackIsReadCompletely", func(t *testing.T) {
		in := load(t, h.Good(t, t.TempDir()))
		named(t, in)
		lines.equal(t, h.Want, in.Resources, nil)
	})
	t.Run("WhatCannotBeReadIsAnError", func(t *testing.T) { broken(t, h.Good, h.Break) })
	t.Run("AllProblemsAreReportedAtOnce", func(t *testing.T) { lines.allProblems(t, h.Wrong(t, t.TempDir()), h.Problems) })
	t.Run("TheSameInputGivesTheSameIntent", func(t *testing.T) { same(t, h.Good(t, t.TempDir())) })
	t.Run("NoIdentityFromAPosition", func(t *testing.T) { moved(t, h.Good(t, t.TempDir()), h.Moved(t, t.TempDir())) })
	t.Run("NothingIsWritten", func(t *testing.T) { writesNothing(t, h.Good) })
}

func load(t *testing.T, s source.Source) resource.Intent {
	t.Helper()
	intents, err := source.Load(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(intents) != 1 {
		t.Fatalf("%d stacks instead of one", len(intents))
	}
	return intents[0]
}

// complete also shows that every ref, wherever it is, has the stack of the source.
func (h Harness) complete(t *testing.T) {
	in := load(t, h.Write(t, t.TempDir(), good()))
	ref := func(kind, name string) resource.Ref {
		return resource.Ref{Stack: in.Stack, Provider: Provider, Location: Location, Kind: kind, Name: name}
	}
	named(t, in)
	db, net := ref("app", "db"), ref("net", "main")
	address := resource.Reference{Ref: db, Path: "address"}
	want := []resource.Desired{
		{Ref: db, DependsOn: []resource.Ref{net}},
		{Ref: ref("app", "plain"), Attrs: attrs("motd", resource.String("100"), "size", resource.Int(1))},
	}
	for _, name := range []string{"web-0", "web-1"} {
		want = append(want, resource.Desired{
			Ref: ref("app", name), DependsOn: []resource.Ref{db, net},
			Attrs: attrs("motd", resource.Text{resource.String("db is "), address}, "net", resource.String("net-0abc"), "size",
				resource.Int(1)),
		})
	}
	want = append(want, resource.Desired{Ref: net, Attrs: attrs("cidr", resource.String("10.0.0.0/16"))})
	h.equal(t, want, in.Resources, func(d *resource.Desired) {
		if d.Ref == db {
			d.Attrs = nil // with a secret in it; see secrets
		}
	})
}

// named checks what an intent is called.
func named(t *testing.T, in resource.Intent) {
	t.Helper()
	if in.Stack == "" || in.Source == "" || in.Version == "" {
		t.Errorf("stack %q, source %q, version %q: none may be empty", in.Stack, in.Source, in.Version)
	}
}

// equal compares resources, which must have positions, without them.
func (h Harness) equal(t *testing.T, want, have []resource.Desired, except func(*resource.Desired)) {
	t.Helper()
	got := slices.Clone(have)
	for i := range got {
		if got[i].At.File == "" || !h.NoLines && got[i].At.Line == 0 || h.NoLines && got[i].At.Cell == "" {
			t.Errorf("%s has no position: %+v", got[i].Ref, got[i].At)
		}
		got[i].At, got[i].Tags, got[i].Set = position.Position{}, nil, nil // not every source has counts
		got[i].Part = ""
		if except != nil {
			except(&got[i])
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func attrs(pairs ...any) resource.Attrs {
	var out []resource.Attr
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, resource.Attr{Name: pairs[i].(string), Value: pairs[i+1].(resource.Value)})
	}
	return resource.NewAttrs(out...)
}

// good writes the stack of the suite.
func (h Harness) good(t *testing.T, dir string) source.Source { return h.Write(t, dir, good()) }

func (h Harness) broken(t *testing.T) { broken(t, h.good, h.Break) }

func broken(t *testing.T, write func(*testing.T, string) source.Source, destroy func(*testing.T, string)) {
	t.Helper()
	dir := t.TempDir()
	s := write(t, dir)
	destroy(t, dir)
	drafts, err := s.Load(context.Background())
	for _, d := range drafts {
		err = errors.Join(err, d.Err)
	}
	if err != nil {
		return
	}
	if intents, problems := source.Resolve(drafts); len(problems) == 0 {
		t.Errorf("a part cannot be read, and there is no error: %v", intents)
	}
}

func (h Harness) problems(t *testing.T) {
	specs := append(good(),
		Spec{Kind: "app", Name: "a", Attrs: map[string]any{"sise": 1}},
		Spec{Kind: "app", Name: "b", Attrs: map[string]any{"size": 1, "net": "nowhere"}},
		Spec{Kind: "app", Name: "c", Attrs: map[string]any{"size": 0, "motd": "${app/db.addr}"}},
		Spec{Kind: "ap", Name: "d"},
		Spec{Kind: "app", Name: "e", Attrs: map[string]any{"size": 1, "motd": "${app/db.password}"}})
	h.allProblems(t, h.Write(t, t.TempDir(), specs), []string{
		`unknown \w+ "(.*\.)?sise"`, `unknown net "nowhere"`, `size is 0`, `unknown attribute "addr"`,
		`unknown \w+ "(Cute)?[aA]p"`, `is a secret`,
	})
}

// allProblems checks that all problems are reported, with positions and suggestions.
func (h Harness) allProblems(t *testing.T, s source.Source, patterns []string) {
	t.Helper()
	_, err := source.Load(context.Background(), s)
	var all source.Problems
	if !errors.As(err, &all) {
		t.Fatalf("no problems, but %v", err)
	}
	for _, want := range patterns {
		if !slices.ContainsFunc(all, func(p source.Problem) bool { return regexp.MustCompile(want).MatchString(p.Summary) }) {
			t.Errorf("not reported: %s", want)
		}
	}
	for _, p := range all {
		if p.At.File == "" || !h.NoLines && (p.At.Line == 0 || p.At.Column == 0) || h.NoLines && p.At.Cell == "" {
			t.Errorf("a problem without a position: %+v", p)
		}
		if p.Suggestion == "" {
			t.Errorf("a problem without a suggestion: %s", p)
		}
	}
}

func (h Harness) same(t *testing.T) { same(t, h.good(t, t.TempDir())) }

func same(t *testing.T, s source.Source) {
	t.Helper()
	first := load(t, s)
	if diff := cmp.Diff(first, load(t, s), cmp.AllowUnexported(resource.Secret{})); diff != "" {
		t.Errorf("two loads differ:\n%s", diff)
	}
	w, ok := s.(source.Watcher)
	if !ok {
		return
	}
	a, err := w.Version(context.Background())
	b, err2 := w.Version(context.Background())
	if err != nil || err2 != nil || a == "" || a != b {
		t.Errorf("versions of an unchanged source: %q %v, %q %v", a, err, b, err2)
	}
}

func (h Harness) moved(t *testing.T) {
	specs := append([]Spec{{Kind: "net", Name: "inserted"}}, good()...)
	slices.Reverse(specs[1:])
	moved(t, h.good(t, t.TempDir()), h.Write(t, t.TempDir(), specs))
}

func moved(t *testing.T, before, after source.Source) {
	t.Helper()
	first, second := load(t, before), load(t, after)
	second.Resources = slices.DeleteFunc(second.Resources,
		func(d resource.Desired) bool { return d.Ref.Name == "inserted" })
	if diff := cmp.Diff(first.Resources, second.Resources, cmp.AllowUnexported(resource.Secret{}),
		cmpopts.IgnoreFields(resource.Desired{}, "At", "Part")); diff != "" {
		t.Errorf("moving resources changes them:\n%s", diff)
	}
}

// versions changes an attribute, and a secret that is not in the files with the resources.
func (h Harness) versions(t *testing.T) {
	s := h.Write(t, t.TempDir(), good())
	one := load(t, s).Version
	if again := load(t, s).Version; again != one {
		t.Errorf("an unchanged source has the versions %s and %s", one, again)
	}
	attribute, another := good(), good()
	attribute[1].Attrs["size"] = 3
	another[1].Secrets["password"] = secret + "-2"
	for what, specs := range map[string][]Spec{"attribute": attribute, "secret": another} {
		if v := load(t, h.Write(t, t.TempDir(), specs)).Version; v == one {
			t.Errorf("another %s has the same version, %s", what, v)
		}
	}
}

func (h Harness) secrets(t *testing.T) {
	in := load(t, h.Write(t, t.TempDir(), good()))
	password, _ := in.Resources[0].Attrs.Get("password")
	s, ok := password.(resource.Secret)
	if !ok || s.Reveal() != secret {
		t.Fatalf("password is %T", password)
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	wrong := good()
	wrong[1].Kind = "net" // which has no password
	_, err = source.Load(context.Background(), h.Write(t, t.TempDir(), wrong))
	for what, shown := range map[string]string{
		"JSON": string(text), "the intent": fmt.Sprintf("%+v %#v", in, in),
		"a problem": fmt.Sprintf("%v %+v", err, err),
	} {
		if strings.Contains(shown, secret) {
			t.Errorf("%s shows the secret: %s", what, shown)
		}
	}
	plain := good()
	plain[1].Secrets, plain[1].Attrs = nil, map[string]any{"size": 1, "password": "example-in-the-open"}
	if _, err := source.Load(context.Background(), h.Write(t, t.TempDir(), plain)); err == nil {
		t.Error("a secret in the open is accepted")
	}
}

func (h Harness) writesNothing(t *testing.T) { writesNothing(t, h.good) }

func writesNothing(t *testing.T, write func(*testing.T, string) source.Source) {
	t.Helper()
	dir := t.TempDir()
	s := write(t, dir)
	before := contents(t, dir)
	load(t, s)
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("a load changes its source:\n%s", diff)
	}
}

// contents are all files below a folder, with their times.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = info.ModTime().String() + "\n" + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
