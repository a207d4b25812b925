package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// liveState is a provider that reports n resources as the configuration declares them: nine attributes
// and six tags each, some of which differ between resources.
type liveState struct{ n int }

// words are the text attributes that all resources share.
var words = [...][2]string{
	{"engine", "postgres"},
	{"image", "ami-0123456789abcdef0"},
	{"email", "team-platform@example.com"},
	{"purpose", "orders and invoices"},
	{"zone", "us-east-1a"},
}

var labels = [...][2]string{
	{"cost-center", "4711"}, {"environment", "prod"}, {"project", "web-app"}, {"team", "platform"}, {"tier", "backend"},
}

func name(i int) string    { return fmt.Sprintf("thing-%07d", i) }
func address(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255) }

// Kinds implements provider.Provider.
func (liveState) Kinds() []resource.Kind {
	k := resource.Kind{Provider: "bench", Name: "thing", Doc: "A benchmark resource."}
	for _, w := range words {
		k.Attrs = append(k.Attrs, resource.Attribute{Name: w[0], Type: resource.TString})
	}
	k.Attrs = append(k.Attrs,
		resource.Attribute{Name: "address", Type: resource.TString},
		resource.Attribute{Name: "encrypted", Type: resource.TBool},
		resource.Attribute{Name: "price", Type: resource.TFloat},
		resource.Attribute{Name: "size", Type: resource.TInt})
	return []resource.Kind{k}
}

// Observe implements provider.Provider.
func (w liveState) Observe(_ context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	s := r.Scope
	out := resource.Snapshot{Scope: s, At: time.Now(), Resources: make([]resource.Observed, w.n)}
	var same []resource.Attr
	for _, word := range words {
		same = append(same, resource.Attr{Name: word[0], Value: resource.String(word[1])})
	}
	same = append(same, resource.Attr{Name: "encrypted", Value: resource.Bool(true)},
		resource.Attr{Name: "price", Value: resource.Float(0.25)})
	for i := range out.Resources {
		attrs := resource.NewAttrs(append(same[:len(same):len(same)],
			resource.Attr{Name: "address", Value: resource.String(address(i))},
			resource.Attr{Name: "size", Value: resource.Int(20)})...)
		tags := make(resource.Tags, 0, len(labels)+1)
		for _, l := range labels {
			tags = append(tags, resource.Tag{Key: l[0], Value: l[1]})
		}
		tags = append(tags, resource.Tag{Key: "unit", Value: name(i)})
		ref := resource.Ref{Provider: s.Provider, Location: s.Location, Kind: "thing", Name: name(i)}
		out.Resources[i] = resource.Observed{
			Ref: ref, ID: fmt.Sprintf("t-%d", i), Marks: resource.Marks{Ref: ref.In(stack), Owner: "ovi", Key: "k"},
			Health: resource.Healthy, Attrs: attrs, Tags: tags,
		}
	}
	return out, nil
}

var errReadOnly = errors.New("this provider is read-only")

// Create implements provider.Provider.
func (liveState) Create(context.Context, provider.Request) (resource.Observed, error) {
	return resource.Observed{}, errReadOnly
}

// Update implements provider.Provider.
func (liveState) Update(context.Context, provider.Request) (resource.Observed, error) {
	return resource.Observed{}, errReadOnly
}

// Delete implements provider.Provider.
func (liveState) Delete(context.Context, provider.Request) error { return errReadOnly }
