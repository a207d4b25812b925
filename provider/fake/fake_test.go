package fake_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/fake"
	"github.com/ovi-project/ovi/resource"
)

var here = resource.Scope{Provider: "fake", Location: "here"}

func request(i int, key string) provider.Request {
	return provider.Request{Key: key, Owner: "ovi", Desired: fake.Desired("web", "fake", "here", i)}
}

func TestOneKeyCreatesOneResource(t *testing.T) {
	t.Parallel()
	c := fake.New("fake")
	a, err := c.Create(t.Context(), request(1, "k1"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.Create(t.Context(), request(1, "k1"))
	if err != nil || !a.Equal(b) {
		t.Errorf("the second answer is %+v, %v; want %+v", b, err, a)
	}
	if n := len(c.Resources(here)); n != 1 {
		t.Errorf("%d resources, want 1", n)
	}
}

func TestALostAnswerLeavesTheResource(t *testing.T) {
	t.Parallel()
	c := fake.New("fake")
	c.Break(fake.Faults{After: fake.Nth(fake.Create, 1, fake.ErrLost)})
	if _, err := c.Create(t.Context(), request(1, "k1")); provider.CauseOf(err) != provider.UnknownResult {
		t.Errorf("got %v, want an uncertain error", err)
	}
	if _, err := c.Create(t.Context(), request(1, "k1")); err != nil {
		t.Error(err)
	}
	if n := len(c.Resources(here)); n != 1 {
		t.Errorf("%d resources, want 1", n)
	}
}

func TestLagHidesWhatWasJustCreated(t *testing.T) {
	t.Parallel()
	c := fake.New("fake")
	c.Break(fake.Faults{Lag: 2})
	if _, err := c.Create(t.Context(), request(1, "k1")); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 0, 1} {
		s, err := c.Observe(t.Context(), provider.ObserveRequest{Scope: here})
		if err != nil || len(s.Resources) != want {
			t.Errorf("observation %d: %d resources, %v; want %d", i+1, len(s.Resources), err, want)
		}
	}
}

func TestASnapshotStaysAsItWas(t *testing.T) {
	t.Parallel()
	c := fake.New("fake")
	c.Fill("here", "web", 3)
	before, _ := c.Observe(t.Context(), provider.ObserveRequest{Scope: here})
	c.Remove(here, before.Resources[0].ID)
	if _, err := c.Create(t.Context(), request(0, "k")); err != nil {
		t.Fatal(err)
	}
	if before.Resources[0].ID != "disk-0000000" || before.Resources[1].ID != "disk-0000001" {
		t.Errorf("the snapshot changed: %v", before.Resources)
	}
}

func TestDelayEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := fake.New("fake")
		c.Break(fake.Faults{Delay: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := c.Create(ctx, request(1, "k"))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if n := len(c.Resources(here)); n != 0 {
			t.Errorf("%d resources created after the end", n)
		}
	})
}

func TestMistakesOfACallerAreRefused(t *testing.T) {
	t.Parallel()
	c := fake.New("fake")
	server := resource.Ref{Provider: "fake", Location: "here", Kind: "server", Name: "s"}
	net := resource.Ref{Provider: "fake", Location: "here", Kind: "network", Name: "n"}
	ask := func(v resource.Value) error {
		_, err := c.Create(t.Context(), provider.Request{Key: "s", Desired: resource.Desired{
			Ref: server, Attrs: resource.Attrs{{Name: "network", Value: v}},
		}})
		return err
	}
	if err := ask(resource.Reference{Ref: net}); provider.CauseOf(err) != provider.Configuration {
		t.Errorf("a reference that is not resolved: %v", err)
	}
	if err := ask(resource.String("network-9")); !provider.Absent(err) {
		t.Errorf("an id that does not exist: %v", err)
	}
	n, err := c.Create(t.Context(), provider.Request{Key: "n", Desired: resource.Desired{Ref: net}})
	if err != nil {
		t.Fatal(err)
	}
	if err := ask(resource.String(n.ID)); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), provider.Request{Have: n}); provider.CauseOf(err) != provider.InUse {
		t.Errorf("deleting what is in use: %v", err)
	}
	have, _, _ := c.Find(server)
	_, err = c.Update(t.Context(), provider.Request{Desired: resource.Desired{Ref: server}, Have: have, Changes: []resource.Change{
		{Path: "image", To: resource.String("x"), Effect: resource.Replace},
	}})
	if !errors.Is(err, provider.ErrReplace) {
		t.Errorf("changing what is immutable: %v", err)
	}
}

func TestWhatFillCreatesIsAsConfigured(t *testing.T) {
	t.Parallel()
	c := fake.New("fake")
	c.Fill("here", "web", 1200)
	snap, err := c.Observe(t.Context(), provider.ObserveRequest{Scope: here})
	if err != nil || len(snap.Resources) != 1200 {
		t.Fatalf("%d resources, %v", len(snap.Resources), err)
	}
	disk := resource.Kind{}
	for _, k := range c.Kinds() {
		if k.Name == "disk" {
			disk = k
		}
	}
	for i, o := range snap.Resources {
		desired := fake.Desired("web", "fake", "here", i)
		attrs, problems := resource.Check(disk, desired.Attrs)
		if o.Marks.Ref != desired.Ref || len(problems) > 0 {
			t.Fatalf("resource %d is %+v, configured %+v: %v", i, o, desired, problems)
		}
		if d := resource.Diff(attrs, o.Attrs, disk, resource.DiffOptions{}); len(d) > 0 || !o.Tags.Equal(desired.Tags) {
			t.Fatalf("resource %d differs from its configuration: %v", i, d)
		}
	}
}
