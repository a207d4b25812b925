package fake_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

// broken is a cloud that breaks single promises: each function, if set, replaces a verb.
type broken struct {
	*fake.Cloud
	kinds   func() []resource.Kind
	observe func(context.Context, provider.ObserveRequest) (resource.Snapshot, error)
	create  func(context.Context, provider.Request) (resource.Observed, error)
	update  func(context.Context, provider.Request) (resource.Observed, error)
	mark    func(context.Context, provider.Request) (resource.Observed, error)
	remove  func(context.Context, provider.Request) error
}

func (b *broken) Kinds() []resource.Kind {
	if b.kinds != nil {
		return b.kinds()
	}
	return b.Cloud.Kinds()
}

func (b *broken) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	if b.observe != nil {
		return b.observe(ctx, r)
	}
	return b.Cloud.Observe(ctx, r)
}

func (b *broken) Create(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if b.create != nil {
		return b.create(ctx, r)
	}
	return b.Cloud.Create(ctx, r)
}

func (b *broken) Update(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if b.update != nil {
		return b.update(ctx, r)
	}
	return b.Cloud.Update(ctx, r)
}

func (b *broken) Mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
	if b.mark != nil {
		return b.mark(ctx, r)
	}
	return b.Cloud.Mark(ctx, r)
}

func (b *broken) Delete(ctx context.Context, r provider.Request) error {
	if b.remove != nil {
		return b.remove(ctx, r)
	}
	return b.Cloud.Delete(ctx, r)
}

// snapshots breaks what observe answers.
func (b *broken) snapshots(change func(*resource.Snapshot)) {
	b.observe = func(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
		snap, err := b.Cloud.Observe(ctx, r)
		snap.Resources = slices.Clone(snap.Resources)
		change(&snap)
		return snap, err
	}
}

// breaks lists for each case of the suite a promise whose breaking it must find.
func breaks() map[string]func(*broken) {
	return map[string]func(*broken){
		"KindsAreSound": func(b *broken) {
			b.kinds = func() []resource.Kind {
				out := slices.Clone(b.Cloud.Kinds())
				out[0].Doc = ""
				return out
			}
		},
		"NamesAreReferences": func(b *broken) {
			b.kinds = func() []resource.Kind {
				out := slices.Clone(b.Cloud.Kinds())
				out[0].Attrs = append(slices.Clone(out[0].Attrs), resource.Attribute{
					Name: "peer_network", Type: resource.TString, Doc: "Another network.",
				})
				return out
			}
		},
		"WhatIsCreatedIsAsConfigured": func(b *broken) {
			b.create = func(ctx context.Context, r provider.Request) (resource.Observed, error) {
				r.Owner = ""
				return b.Cloud.Create(ctx, r)
			}
		},
		"ASnapshotIsInOrder": func(b *broken) {
			b.snapshots(func(s *resource.Snapshot) { slices.Reverse(s.Resources) })
		},
		"ASnapshotBelongsToItsReader": func(b *broken) {
			var kept resource.Snapshot
			b.observe = func(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
				if kept.Resources != nil {
					return kept, nil
				}
				var err error
				kept, err = b.Cloud.Observe(ctx, r)
				return kept, err
			}
		},
		"ProvidersReportEvidenceOnly": func(b *broken) {
			b.snapshots(func(s *resource.Snapshot) {
				for i := range s.Resources {
					s.Resources[i].Ownership = resource.Proven
				}
			})
		},
		"MarksAreThereFromTheFirstMoment": func(b *broken) {
			b.create = func(ctx context.Context, r provider.Request) (resource.Observed, error) {
				o, err := b.Cloud.Create(ctx, r)
				bare := o
				bare.Marks = resource.Marks{}
				b.Put(bare)
				time.Sleep(20 * time.Millisecond)
				b.Put(o)
				return o, err
			}
		},
		"OneKeyCreatesOneResource": func(b *broken) {
			n := 0
			b.create = func(ctx context.Context, r provider.Request) (resource.Observed, error) {
				n++
				r.Key += string(rune('a' + n))
				return b.Cloud.Create(ctx, r)
			}
		},
		"UpdateCanBeRepeated": func(b *broken) {
			b.update = func(_ context.Context, r provider.Request) (resource.Observed, error) { return r.Have, nil }
		},
		"TagsComeAndGo": func(b *broken) {
			b.update = func(ctx context.Context, r provider.Request) (resource.Observed, error) {
				o, err := b.Cloud.Update(ctx, r)
				o.Marks = resource.Marks{}
				b.Put(o)
				return o, err
			}
		},
		"ABlessingIsAMark": func(b *broken) {
			b.mark = func(ctx context.Context, r provider.Request) (resource.Observed, error) {
				r.Desired.Blessed = r.Desired.Blessed || r.Have.Marks.Blessed
				return b.Cloud.Mark(ctx, r)
			}
		},
		"LostMarksCanBeRepaired": func(b *broken) {
			b.mark = func(ctx context.Context, r provider.Request) (resource.Observed, error) {
				r.MarkKey = r.Key
				return b.Cloud.Mark(ctx, r)
			}
		},
		"WhatIsDeletedIsGone": func(b *broken) {
			b.remove = func(ctx context.Context, r provider.Request) error {
				if _, ok, _ := b.Find(r.Have.Marks.Ref); !ok {
					return errors.New("not found")
				}
				return b.Cloud.Delete(ctx, r)
			}
		},
		"AnEndedContextEndsCalls": func(b *broken) {
			b.remove = func(ctx context.Context, r provider.Request) error {
				return b.Cloud.Delete(context.WithoutCancel(ctx), r)
			}
		},
		"UnmanagedResourcesStayAsTheyAre": func(b *broken) {
			b.create = func(ctx context.Context, r provider.Request) (resource.Observed, error) {
				for _, o := range b.Resources(here) {
					o.Tags = r.Desired.Tags
					b.Put(o)
				}
				return b.Cloud.Create(ctx, r)
			}
		},
		"AnUnmanagedResourceCanBeAdopted": func(b *broken) {
			b.mark = func(ctx context.Context, r provider.Request) (resource.Observed, error) {
				o, err := b.Cloud.Mark(ctx, r)
				o.Tags = nil
				b.Put(o)
				return o, err
			}
		},
		"AFailedListCostsItsKind": func(b *broken) {
			b.snapshots(func(s *resource.Snapshot) { s.Complete, s.Unreachable = nil, nil })
		},
		"OnlyWhatWasAskedForIsCovered": func(b *broken) {
			b.snapshots(func(s *resource.Snapshot) { s.Complete = nil })
		},
		"KnownIDsAreFoundBeforeListsShowThem": func(b *broken) {
			b.observe = func(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
				r.Known = nil
				return b.Cloud.Observe(ctx, r)
			}
		},
	}
}

// TestEachCaseFailsOnItsBrokenPromise, and each broken promise fails its case.
func TestEachCaseFailsOnItsBrokenPromise(t *testing.T) {
	t.Parallel()
	for name, breaks := range breaks() {
		open := func(apply func(*broken)) func(*testing.T) providertest.Harness {
			return func(*testing.T) providertest.Harness {
				b := &broken{Cloud: fake.New("fake")}
				apply(b)
				return harness(b.Cloud, b)
			}
		}
		if found, ok := providertest.Find(t, name, open(func(*broken) {})); !ok || len(found) > 0 {
			t.Errorf("%s: with all promises kept: ran %v, found %q", name, ok, found)
		}
		if found, ok := providertest.Find(t, name, open(breaks)); !ok || len(found) == 0 {
			t.Errorf("%s finds nothing wrong with a provider that breaks its promise (ran %v)", name, ok)
		}
	}
}

// TestReusedIDsAreFound: a resource created by hand under the id of another one is not told
// from it where the provider reports no UID.
func TestReusedIDsAreFound(t *testing.T) {
	t.Parallel()
	found, _ := providertest.Find(t, "WhatIsCreatedAgainHasAnotherUID", func(*testing.T) providertest.Harness {
		c := fake.New("fake")
		h := harness(c, c)
		h.Recreate = func(_ *testing.T, o resource.Observed) {
			c.Remove(here, o.ID)
			o.Marks = resource.Marks{}
			c.Put(o)
		}
		return h
	})
	if len(found) == 0 {
		t.Error("an id that is used again without a UID is not found")
	}
}
