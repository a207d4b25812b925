package toys_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys"
	"github.com/ovi-project/ovi/provider/toys/nest"
	"github.com/ovi-project/ovi/provider/toys/post"
	"github.com/ovi-project/ovi/provider/toys/slow"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/offline"
)

// TestAProviderIsAFolderAndALine: besides its folder, only the table names a toy: its import
// and its line. Tests and docs aside, no other file of the repository does.
func TestAProviderIsAFolderAndALine(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const prefix = `"github.com/ovi-project/ovi/provider/toys/`
	named := map[string][]string{} // files by toy
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		for _, e := range toys.Table() {
			inside := strings.HasPrefix(filepath.ToSlash(rel), "provider/toys/"+e.Name+"/")
			if strings.Contains(string(b), prefix+e.Name+`"`) && !inside {
				named[e.Name] = append(named[e.Name], filepath.ToSlash(rel))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range toys.Table() {
		if diff := cmp.Diff([]string{"provider/toys/table.go"}, named[e.Name]); diff != "" {
			t.Errorf("%s is named outside its folder (-want +got):\n%s", e.Name, diff)
		}
	}
	table, err := os.ReadFile("table.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range toys.Table() {
		if n := strings.Count(string(table), e.Name+".Entry()"); n != 1 {
			t.Errorf("%s has %d lines in the table", e.Name, n)
		}
	}
	folders, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		listed := slices.ContainsFunc(toys.Table(), func(e provider.Entry) bool { return e.Name == f.Name() })
		if f.IsDir() && f.Name() != "shelf" && !listed {
			t.Errorf("the folder %s has no line in the table", f.Name())
		}
	}
}

// TestEntriesOpen: each line opens a provider with the kinds it lists.
func TestEntriesOpen(t *testing.T) {
	t.Parallel()
	for _, e := range toys.Table() {
		p, err := e.Open(t.Context(), provider.Config{
			Clock: time.Now,
			Options: func(key string) string {
				for _, o := range e.Options {
					if o.Key == key {
						return o.Default
					}
				}
				return ""
			},
		})
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		for i, k := range e.Kinds() {
			if k.Provider != e.Name || p.Kinds()[i].Name != k.Name {
				t.Errorf("%s lists the kind %s of %s, and opens with %s", e.Name, k.Name, k.Provider, p.Kinds()[i].Name)
			}
		}
	}
}

func TestReportsGrowOld(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	var woken []resource.Scope
	p := post.New(func() time.Time { return now }, func(s resource.Scope) { woken = append(woken, s) })
	app := resource.Ref{Provider: "post", Location: "berlin/n1", Kind: "app", Name: "web"}
	look := provider.ObserveRequest{Scope: app.Scope()}
	if _, err := p.Observe(t.Context(), look); !errors.Is(err, offline.Err) {
		t.Errorf("a node that has never reported: %v", err)
	}
	if err := p.Report(t.Context(), app.Scope()); err != nil || len(woken) != 1 {
		t.Fatalf("%v, woken %v", err, woken)
	}
	reported := now
	now = now.Add(post.Lease)
	if s, err := p.Observe(t.Context(), look); err != nil || !s.At.Equal(reported) {
		t.Errorf("observed at %v, %v; want the report of %v", s.At, err, reported)
	}
	if o, err := p.Create(t.Context(), provider.Request{Key: "k", Desired: resource.Desired{Ref: app}}); err != nil || o.Health != resource.Pending {
		t.Errorf("accepted: %+v, %v", o, err)
	}
	if s, _ := p.Observe(t.Context(), look); len(s.Resources) != 0 {
		t.Errorf("%v is observed before the node reports it", s.Resources)
	}
	now = now.Add(time.Second)
	if _, err := p.Observe(t.Context(), look); !errors.Is(err, offline.Err) {
		t.Errorf("a report older than the lease: %v", err)
	}
	if err := p.Delete(t.Context(), provider.Request{Have: resource.Observed{Ref: app, ID: "app-1"}}); !errors.Is(err, offline.Err) || !provider.Passes(err) {
		t.Errorf("a request to a node that is offline: %v", err)
	}
}

func TestTheInsideOfAClusterIsReachableWhileItRuns(t *testing.T) {
	t.Parallel()
	p := nest.New()
	cluster := resource.Ref{Provider: "nest", Location: "here", Kind: "cluster", Name: "main"}
	inside := nest.Inside(cluster)
	look := func() error {
		_, err := p.Observe(t.Context(), provider.ObserveRequest{Scope: inside})
		return err
	}
	if err := look(); !provider.Absent(err) {
		t.Errorf("inside a cluster that does not exist: %v", err)
	}
	c, err := p.Create(t.Context(), provider.Request{Key: "c", Desired: resource.Desired{Ref: cluster}})
	if err != nil || look() != nil {
		t.Fatalf("%v, %v", err, look())
	}
	app := resource.Ref{Provider: "nest", Location: inside.Location, Kind: "app", Name: "web"}
	if _, err := p.Create(t.Context(), provider.Request{Key: "a", Desired: resource.Desired{Ref: app}}); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), provider.Request{Have: c}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Create(t.Context(), provider.Request{Key: "c2", Desired: resource.Desired{Ref: cluster}}); err != nil {
		t.Fatal(err)
	}
	s, err := p.Observe(t.Context(), provider.ObserveRequest{Scope: inside})
	if err != nil || len(s.Resources) != 0 {
		t.Errorf("a new cluster holds %v, %v", s.Resources, err)
	}
}

func TestJobsAreAcceptedAndDoneLater(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	p := slow.New(time.Minute, func() time.Time { return now })
	ref := resource.Ref{Provider: "slow", Location: "here", Kind: "job", Name: "build"}
	health := func() resource.Health {
		s, err := p.Observe(context.Background(), provider.ObserveRequest{Scope: ref.Scope()})
		if err != nil || len(s.Resources) != 1 {
			t.Fatalf("%v, %v", s.Resources, err)
		}
		return s.Resources[0].Health
	}
	o, err := p.Create(t.Context(), provider.Request{Key: "k", Desired: resource.Desired{Ref: ref, Attrs: attrs("version", text("1"))}})
	if err != nil || o.Health != resource.Pending || health() != resource.Pending {
		t.Errorf("accepted: %+v, %v", o, err)
	}
	now = now.Add(time.Minute)
	if h := health(); h != resource.Healthy {
		t.Errorf("done: %s", h)
	}
	change := []resource.Change{{Path: "version", To: text("bad")}}
	if _, err := p.Update(t.Context(), provider.Request{Have: o, Changes: change}); err != nil || health() != resource.Pending {
		t.Errorf("updated: %s, %v", health(), err)
	}
	now = now.Add(time.Minute)
	if h := health(); h != resource.Failing {
		t.Errorf("a bad version: %s", h)
	}
}
