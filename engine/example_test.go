package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// files is a provider of one kind: text files. A location is a directory below root.
type files struct{ root string }

func (files) Kinds() []resource.Kind {
	return []resource.Kind{{
		Provider: "files", Name: "file", Doc: "A text file.", NoTags: true, Carrier: resource.NoMarks,
		Attrs: []resource.Attribute{
			{Name: "content", Type: resource.TString, Required: true, Doc: "The text.", Example: "hello"},
		},
	}}
}

func (f files) Observe(_ context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	out := resource.Snapshot{Scope: r.Scope, At: time.Now()}
	entries, err := os.ReadDir(filepath.Join(f.root, r.Scope.Location)) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil // an empty location
	}
	for _, e := range entries {
		text, bad := os.ReadFile(filepath.Join(f.root, r.Scope.Location, e.Name()))
		err = errors.Join(err, bad)
		ref := resource.Ref{Provider: "files", Location: r.Scope.Location, Kind: "file", Name: e.Name()}
		out.Resources = append(out.Resources, observed(ref, string(text)))
	}
	return out, err // an error: nothing is concluded from this location
}

func observed(ref resource.Ref, text string) resource.Observed {
	attrs := resource.NewAttrs(resource.Attr{Name: "content", Value: resource.String(text)})
	return resource.Observed{Ref: ref, ID: ref.Name, Health: resource.Healthy, Attrs: attrs}
}

func (f files) Create(_ context.Context, r provider.Request) (resource.Observed, error) {
	v, _ := r.Desired.Attrs.Get("content")
	text, _ := v.(resource.String)
	ref := r.Desired.Ref
	path := filepath.Join(f.root, ref.Location, ref.Name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	return observed(ref, string(text)), err
}

func (f files) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	return f.Create(ctx, r) // writing the same text twice is harmless
}

func (f files) Delete(_ context.Context, r provider.Request) error {
	err := os.Remove(filepath.Join(f.root, r.Have.Ref.Location, r.Have.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // absent is success
	}
	return err
}

// keepLicenses is a policy: it blocks deleting a LICENSE.
type keepLicenses struct{}

func (keepLicenses) Name() string { return "keep_licenses" }

func (keepLicenses) Review(p decider.Plan, _ decider.Facts) (map[int]decider.Blocker, error) {
	out := map[int]decider.Blocker{}
	for i, d := range p.Decisions {
		if d.Proposed.Destroys() && d.Ref.Name == "LICENSE" {
			out[i] = decider.Blocker{Reason: "a license stays"}
		}
	}
	return out, nil
}

// configuration is the stack site: some files in one location.
func configuration(texts map[string]string) []resource.Intent {
	in := resource.Intent{Stack: "site", Scopes: []resource.Scope{{Provider: "files", Location: "www"}}}
	for name, text := range texts {
		attrs, problems := resource.Check(files{}.Kinds()[0], resource.NewAttrs(resource.Attr{Name: "content", Value: resource.String(text)}))
		if len(problems) > 0 {
			log.Fatal(problems)
		}
		in.Resources = append(in.Resources, resource.Desired{
			Ref: resource.Ref{Stack: "site", Provider: "files", Location: "www", Kind: "file", Name: name}, Attrs: attrs,
		})
	}
	return []resource.Intent{in}
}

// Example embeds the engine with a provider and a policy of its own, and a store in a file.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ovi")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := local.Open(ctx, ledger.Config{Dir: filepath.Join(dir, "data"), User: "example"})
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	claims := coordinator.New(l.Claims(), coordinator.Identity{Instance: l.Instance(), Run: l.Run(), User: "example"})
	defer claims.Close(ctx)
	e := engine.New(engine.Config{
		Providers: provider.Set{"files": files{root: dir}}, Ledger: l, Claims: claims,
	})

	reconcile := func(texts map[string]string) {
		intents := configuration(texts)
		p, err := e.Plan(ctx, intents, engine.PlanOptions{Policies: []decider.Policy{keepLicenses{}}})
		if err != nil {
			log.Fatal(err)
		}
		for _, d := range p.Plan.Decisions {
			line := fmt.Sprint(d.Action.Symbol(), " ", d.Proposed, " ", d.Ref.Name)
			for _, b := range d.Blockers {
				line += ", blocked by " + b.Policy + ": " + b.Reason
			}
			fmt.Println(line)
		}
		r, err := e.Apply(ctx, p, engine.ApplyOptions{})
		if err != nil {
			log.Fatal(err)
		}
		var done []string
		for _, o := range r.Outcomes {
			done = append(done, o.Ref.Name+" "+string(o.Status))
		}
		fmt.Println("applied:", strings.Join(done, ", "))
	}
	reconcile(map[string]string{"index.html": "hello", "LICENSE": "MIT", "old.html": "bye"})
	reconcile(map[string]string{"index.html": "hello, world"})

	// Output:
	// + create LICENSE
	// + create index.html
	// + create old.html
	// applied: LICENSE done, index.html done, old.html done
	// ! delete LICENSE, blocked by keep_licenses: a license stays
	// ~ update index.html
	// - delete old.html
	// applied: index.html done, old.html done
}
