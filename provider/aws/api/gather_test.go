package api

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhoWaitsAtOnceIsReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		g := &Gather[string]{Step: time.Second, Most: 5 * time.Second, Read: func(_ context.Context, ids []string) (map[string]string, error) {
			reads++
			out := map[string]string{}
			for _, id := range ids[:len(ids)-1] { // the last one is not listed yet
				out[id] = "read " + id
			}
			return out, nil
		}}
		var all sync.WaitGroup
		for n := range 100 {
			all.Go(func() {
				id := fmt.Sprintf("i-%02d", n)
				if v, ok, err := g.ReadOne(t.Context(), id); err != nil || ok != (n < 99) || ok && v != "read "+id {
					t.Errorf("%s: %q %v %v", id, v, ok, err)
				}
			})
		}
		all.Wait()
		if reads != 1 {
			t.Errorf("%d reads", reads)
		}
		for _, pause := range []time.Duration{5 * time.Second, time.Second} { // as for those before, then as for itself
			begun := time.Now()
			if _, ok, err := g.ReadOne(t.Context(), "a"); ok || err != nil || time.Since(begun) != pause {
				t.Errorf("alone: %v %v after %v, want %v", ok, err, time.Since(begun), pause)
			}
		}
	})
}

// One who gives up gives up alone: the read goes on for the others.
func TestAReadOfManyIsNotCanceledByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Gather[string]{Step: time.Second, Most: 5 * time.Second, Read: func(ctx context.Context, ids []string) (map[string]string, error) {
			return map[string]string{"b": "b"}, ctx.Err()
		}}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, _, err := g.ReadOne(ctx, "a"); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if v, ok, err := g.ReadOne(t.Context(), "b"); v != "b" || !ok || err != nil {
				t.Errorf("%q %v %v", v, ok, err)
			}
		})
		synctest.Wait()
		cancel()
		all.Wait()
	})
}
