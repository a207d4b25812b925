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

	"github.com/ovi-project/ovi/position"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// Spec is one resource that the suite configures, in no syntax.
type Spec struct {
	Kind, Name string
	Count      int               // 0: no count
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
		{Kind: "app", Name: "db", Attrs: map[string]any{"size": 2, "net": "main"}, Secrets: map[string]string{"password": secret}},
		{Kind: "app", Name: "web", Count: 2, Attrs: map[string]any{"size": 1, "net": "net-0abc", "motd": "db is ${app/db.address}"}, DependsOn: []string{"net/main"}},
		{Kind: "app", Name: "plain", Attrs: map[string]any{"size": 1, "motd": "100"}},
	}
}

// Run holds a source to its promises.
func Run(t *testing.T, h Harness) {
	t.Run("AStackIsReadCompletely", h.complete)
	t.Run("WhatCannotBeReadIsAnError", h.broken)
	t.Run("AllProblemsAreReportedAtOnce", h.problems)
	t.Run("TheSameInputGivesTheSameIntent", h.same)
	t.Run("NoIdentityFromAPosition", h.moved)
	t.Run("SecretsAreSecret", h.secrets)
	t.Run("NothingIsWritten", h.writesNothing)
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
	if in.Stack == "" || in.Source == "" || in.Version == "" {
		t.Errorf("stack %q, source %q, version %q: none may be empty", in.Stack, in.Source, in.Version)
	}
	db, net := ref("app", "db"), ref("net", "main")
	address := resource.Reference{Ref: db, Path: "address"}
	want := []resource.Desired{
		{Ref: db, DependsOn: []resource.Ref{net}},
		{Ref: ref("app", "plain"), Attrs: attrs("motd", resource.String("100"), "size", resource.Int(1))},
	}
	for _, name := range []string{"web-0", "web-1"} {
		want = append(want, resource.Desired{
			Ref: ref("app", name), DependsOn: []resource.Ref{db, net},
			Attrs: attrs("motd", resource.Text{resource.String("db is "), address}, "net", resource.String("net-0abc"), "size", resource.Int(1)),
		})
	}
	want = append(want, resource.Desired{Ref: net, Attrs: attrs("cidr", resource.String("10.0.0.0/16"))})
	got := slices.Clone(in.Resources)
	for i := range got {
		if got[i].At.File == "" || !h.NoLines && got[i].At.Line == 0 {
			t.Errorf("%s has no position: %+v", got[i].Ref, got[i].At)
		}
		got[i].At, got[i].Tags = position.Position{}, nil
		if got[i].Ref == db {
			got[i].Attrs = nil // with a secret in it; see secrets
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

func (h Harness) broken(t *testing.T) {
	dir := t.TempDir()
	s := h.Write(t, dir, good())
	h.Break(t, dir)
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
	_, err := source.Load(context.Background(), h.Write(t, t.TempDir(), specs))
	var all source.Problems
	if !errors.As(err, &all) {
		t.Fatalf("no problems, but %v", err)
	}
	for _, want := range []string{
		`unknown \w+ "(.*\.)?sise"`, `unknown net "nowhere"`, `size is 0`, `unknown attribute "addr"`, `unknown \w+ "(Cute)?[aA]p"`, `is a secret`,
	} {
		if !slices.ContainsFunc(all, func(p source.Problem) bool { return regexp.MustCompile(want).MatchString(p.Summary) }) {
			t.Errorf("not reported: %s", want)
		}
	}
	for _, p := range all {
		if p.At.File == "" || !h.NoLines && (p.At.Line == 0 || p.At.Column == 0) {
			t.Errorf("a problem without a position: %+v", p)
		}
		if p.Suggestion == "" {
			t.Errorf("a problem without a suggestion: %s", p)
		}
	}
}

func (h Harness) same(t *testing.T) {
	s := h.Write(t, t.TempDir(), good())
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
	first := load(t, h.Write(t, t.TempDir(), good()))
	specs := append([]Spec{{Kind: "net", Name: "inserted"}}, good()...)
	slices.Reverse(specs[1:])
	second := load(t, h.Write(t, t.TempDir(), specs))
	second.Resources = slices.DeleteFunc(second.Resources, func(d resource.Desired) bool { return d.Ref.Name == "inserted" })
	if diff := cmp.Diff(first.Resources, second.Resources, cmp.AllowUnexported(resource.Secret{}), cmpopts.IgnoreFields(resource.Desired{}, "At")); diff != "" {
		t.Errorf("moving resources changes them:\n%s", diff)
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
	for what, shown := range map[string]string{"JSON": string(text), "the intent": fmt.Sprintf("%+v %#v", in, in), "a problem": fmt.Sprintf("%v %+v", err, err)} {
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

func (h Harness) writesNothing(t *testing.T) {
	dir := t.TempDir()
	s := h.Write(t, dir, good())
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
