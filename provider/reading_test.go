package provider_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// slowly lists a kind after the time that its name says: "instant" and "panic" answer at once.
func slowly(ctx context.Context, kind string) provider.Listing {
	switch kind {
	case "instant":
		return provider.Listing{Resources: []resource.Observed{{ID: "i-1", Ref: resource.Ref{Kind: kind, Name: "a"}}}}
	case "failing":
		return provider.Listing{Err: errors.New("access denied")}
	case "panic":
		panic("an index")
	case "deaf":
		time.Sleep(time.Hour)
		return provider.Listing{}
	}
	d, err := time.ParseDuration(kind)
	if err != nil {
		panic(err)
	}
	select {
	case <-time.After(d):
		return provider.Listing{Resources: []resource.Observed{{ID: kind, Ref: resource.Ref{Kind: kind, Name: "b"}}}}
	case <-ctx.Done():
		return provider.Listing{Err: context.Cause(ctx)}
	}
}

func read(ctx context.Context, r provider.ObserveRequest, kinds ...string) (resource.Snapshot, error) {
	return provider.SnapshotOf(resource.Scope{}, time.Time{}, provider.ReadKinds(ctx, r, kinds, time.Now, slowly))
}

func TestAKindThatHangsCostsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s, err := read(t.Context(), provider.ObserveRequest{Patience: 30 * time.Second}, "instant", "90s", "failing", "panic", "deaf")
		if err != nil || time.Since(start) != 30*time.Second {
			t.Fatalf("after %s: %v", time.Since(start), err)
		}
		if diff := cmp.Diff([]string{"instant"}, s.Complete); diff != "" || len(s.Resources) != 1 {
			t.Errorf("complete (-want +got):\n%s resources %v", diff, s.Resources)
		}
		for _, kind := range []string{"90s", "deaf"} {
			var still *provider.StillReadingError
			if !errors.As(s.Unreachable[kind], &still) || still.Kind != kind || !still.Since.Equal(start) {
				t.Errorf("%s: %v", kind, s.Unreachable[kind])
			}
		}
		if err := s.Unreachable["panic"]; err == nil || !strings.Contains(err.Error(), "an index") {
			t.Errorf("the panic: %v", err)
		}
		time.Sleep(2 * time.Hour) // the deaf kind ends
	})
}

func TestWithoutAReceiverALateReadIsCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		provider.ReadKinds(t.Context(), provider.ObserveRequest{Patience: time.Second}, []string{"x"}, time.Now,
			func(ctx context.Context, _ string) provider.Listing {
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return provider.Listing{}
			})
		if err := <-ended; !errors.Is(err, provider.ErrNoAnswer) {
			t.Errorf("canceled with %v", err)
		}
	})
}

func TestALateKindIsDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		type delivery struct {
			provider.Listing
			at, when time.Time
		}
		var got []delivery
		reading := map[string]time.Time{}
		life, end := context.WithCancel(t.Context())
		observation, done := context.WithCancel(t.Context())
		r := provider.ObserveRequest{Patience: time.Second, Late: &provider.Late{
			Context: life,
			Reading: func(kind string, since time.Time) { reading[kind] = since },
			Deliver: func(l provider.Listing, at time.Time) { got = append(got, delivery{l, at, time.Now()}) },
		}}
		s, err := read(observation, r, "instant", "5s", "1h")
		if err != nil || len(s.Complete) != 1 || len(s.Unreachable) != 2 {
			t.Fatalf("%v, %v", s, err)
		}
		if diff := cmp.Diff(map[string]time.Time{"5s": start, "1h": start}, reading); diff != "" {
			t.Errorf("read on (-want +got):\n%s", diff)
		}
		done() // the observation is over: the reads go on
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(got) != 1 || got[0].Kind != "5s" || got[0].Err != nil || len(got[0].Resources) != 1 ||
			!got[0].at.Equal(start) || got[0].when.Sub(start) != 5*time.Second {
			t.Fatalf("delivered: %+v", got)
		}
		end()
		synctest.Wait()
		if len(got) != 2 || got[1].Kind != "1h" || !errors.Is(got[1].Err, context.Canceled) {
			t.Errorf("at the end: %+v", got)
		}
	})
}

func TestTheEndOfAnObservationEndsItsReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, errors.New("interrupted"))
		defer cancel()
		r := provider.ObserveRequest{Patience: time.Minute, Late: &provider.Late{
			Context: t.Context(),
			Reading: func(kind string, _ time.Time) { t.Errorf("%s is read on", kind) },
			Deliver: func(l provider.Listing, _ time.Time) { t.Errorf("delivered %s", l.Kind) },
		}}
		s, err := read(ctx, r, "instant", "1h")
		if err != nil || s.Unreachable["1h"] == nil || s.Unreachable["1h"].Error() != "interrupted" {
			t.Errorf("%v, %v", s, err)
		}
		synctest.Wait()
	})
}

func TestNothingReadIsAnError(t *testing.T) {
	if _, err := read(t.Context(), provider.ObserveRequest{}, "panic", "failing"); err == nil || err.Error() != "access denied" {
		t.Errorf("want the error of the first kind, got %v", err)
	}
	if s, err := read(t.Context(), provider.ObserveRequest{}); err != nil || s.Complete == nil {
		t.Errorf("no kinds: %v, %v", s, err)
	}
}
