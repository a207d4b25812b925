package toys_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/provider/toys/nest"
	"github.com/ovi-project/ovi/provider/toys/post"
	"github.com/ovi-project/ovi/provider/toys/shelf"
	"github.com/ovi-project/ovi/provider/toys/slow"
	"github.com/ovi-project/ovi/resource"
)

func attrs(pairs ...any) resource.Attrs {
	m := map[string]resource.Value{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1].(resource.Value)
	}
	return resource.AttrsOf(m)
}

func sample(ref resource.Ref, want, then resource.Attrs) providertest.Sample {
	return providertest.Sample{Desired: resource.Desired{Ref: ref, Attrs: want}, Then: then}
}

func text(s string) resource.Value { return resource.String(s) }

// boxes is a harness of p, which acts on b.
func boxes(b *box.Provider, p provider.Provider) providertest.Harness {
	at := func(kind, name string) resource.Ref {
		return resource.Ref{Provider: "box", Location: "here", Kind: kind, Name: name}
	}
	byHand := func(t *testing.T, do func(*shelf.Shelf)) {
		if err := b.Shelf.Do(t.Context(), func() error { do(&b.Shelf); return nil }); err != nil {
			t.Error(err)
		}
	}
	return providertest.Harness{
		Provider: p, Scope: at("", "").Scope(),
		Samples: []providertest.Sample{
			sample(at("volume", "data"), attrs("size", resource.Int(10)), attrs("size", resource.Int(20))),
			sample(at("box", "web"), attrs("image", text("web:1")), attrs("size", resource.Int(2))),
			sample(at("pod", "web"), attrs("image", text("web:1")), nil),
			sample(at("route", "web"), attrs("to", text("pod-1")), attrs("to", text("pod-2"))),
		},
		Unmanaged: func(t *testing.T) string {
			byHand(t, func(s *shelf.Shelf) {
				s.Put(resource.Observed{Ref: at("volume", "other"), ID: "other", UID: "uid-x", Health: resource.Healthy})
			})
			return "other"
		},
		Recreate: func(t *testing.T, o resource.Observed) {
			byHand(t, func(s *shelf.Shelf) { s.Remove(o.Ref, o.ID) })
			if _, err := b.Create(t.Context(), provider.Request{Desired: resource.Desired{Ref: o.Ref}}); err != nil {
				t.Error(err)
			}
		},
	}
}

func TestBox(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(*testing.T) providertest.Harness {
		b := box.New()
		return boxes(b, b)
	})
}

func TestNest(t *testing.T) {
	t.Parallel()
	cluster := resource.Ref{Provider: "nest", Location: "here", Kind: "cluster", Name: "main"}
	t.Run("cluster", func(t *testing.T) {
		providertest.Run(t, func(*testing.T) providertest.Harness {
			p := nest.New()
			return providertest.Harness{
				Provider: p, Scope: cluster.Scope(), Elsewhere: []string{"app"},
				Samples: []providertest.Sample{sample(cluster, nil, attrs("nodes", resource.Int(3)))},
				Strip: func(t *testing.T, o resource.Observed) {
					o.Marks = resource.Marks{}
					if err := p.Shelf.Do(t.Context(), func() error { p.Shelf.Put(o); return nil }); err != nil {
						t.Error(err)
					}
				},
			}
		})
	})
	t.Run("inside", func(t *testing.T) {
		providertest.Run(t, func(t *testing.T) providertest.Harness {
			p, inside := nest.New(), nest.Inside(cluster)
			if _, err := p.Create(t.Context(), provider.Request{Key: "c", Desired: resource.Desired{Ref: cluster}}); err != nil {
				t.Fatal(err)
			}
			app := resource.Ref{Provider: "nest", Location: inside.Location, Kind: "app", Name: "web"}
			return providertest.Harness{
				Provider: p, Scope: inside, Elsewhere: []string{"cluster"},
				Samples: []providertest.Sample{sample(app, attrs("version", text("1")), attrs("version", text("2")))},
			}
		})
	})
}

func TestPost(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		p := post.New(time.Now, nil)
		app := resource.Ref{Provider: "post", Location: "berlin/n1", Kind: "app", Name: "web"}
		report := func(t *testing.T) {
			if err := p.Report(context.WithoutCancel(t.Context()), app.Scope()); err != nil {
				t.Error(err)
			}
		}
		report(t)
		return providertest.Harness{
			Provider: p, Scope: app.Scope(), Ready: report,
			Samples: []providertest.Sample{sample(app, attrs("version", text("1")), attrs("version", text("2")))},
		}
	})
}

func TestSlow(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(*testing.T) providertest.Harness {
		var minutes atomic.Int64
		start := time.Now()
		p := slow.New(time.Minute, func() time.Time { return start.Add(time.Duration(minutes.Load()) * time.Minute) })
		job := resource.Ref{Provider: "slow", Location: "here", Kind: "job", Name: "build"}
		return providertest.Harness{
			Provider: p, Scope: job.Scope(), Ready: func(*testing.T) { minutes.Add(1) },
			Samples: []providertest.Sample{sample(job, attrs("version", text("1")), attrs("version", text("2")))},
		}
	})
}
