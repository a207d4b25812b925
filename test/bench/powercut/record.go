//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/local"
	"github.com/ovi-project/ovi/resource"
)

// writers is how many goroutines act at once, each on refs of its own.
const writers = 4

// recordTraffic is what an apply writes: claims, actions under them, and observations.
type recordTraffic struct{ heard }

func openRecord(dir string) (*ledger.Ledger, error) {
	return local.Open(context.Background(), ledger.Config{Dir: dir, User: "powercut", LogOptions: logOptions()})
}

// write implements traffic.
func (t *recordTraffic) write(dir string) error {
	l, err := openRecord(dir)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	w := &writer{l: l, claims: coordinator.New(l.Claims(),
		coordinator.Identity{Instance: l.Run(), Host: host, Run: l.Run(), PID: os.Getpid()})}
	var all sync.WaitGroup
	for n := range writers {
		all.Go(func() {
			for i := 0; w.act(n, i) == nil; i++ {
			}
		})
	}
	all.Wait() // each until the power is off
	return nil
}

type writer struct {
	l      *ledger.Ledger
	claims *coordinator.Claims
	mu     sync.Mutex
}

// say prints a line to the parent.
func (w *writer) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Printf(format+"\n", args...)
}

// said reports an acknowledgment, or why there are no more.
func (w *writer) said(what string, r ledger.Receipt, err error) error {
	if err != nil {
		w.say("error %v", err)
		return err
	}
	w.say("record %d %d %s", r.Last, r.Revision, what)
	return nil
}

// act is one action from its claim to its result, and sometimes an observation.
func (w *writer) act(n, i int) error {
	ref := resource.Ref{
		Stack: "web", Provider: "practice", Location: "here", Kind: "box",
		Name: fmt.Sprintf("w%d-%d", n, i%7),
	}
	err := w.claims.Hold(context.Background(), ref.String(), func(ctx context.Context, c coordinator.Claim) error {
		w.say("claim %s %d", ref, c.Token)
		// The engine records an action so: its start, then its result.
		guard := coordinator.Guard(c.Ref, c.Token)
		key := fmt.Sprintf("%s-%d", ref.Name, c.Token)
		r, err := w.l.RecordUnder(ctx, guard, event.Started{Ref: ref, Key: key, Action: decider.Update, Token: c.Token})
		if err := w.said("started "+key, r, err); err != nil {
			return err
		}
		made := box(ref, key)
		r, err = w.l.RecordUnder(ctx, guard, event.Finished{
			Ref: ref, Key: key, Action: decider.Update, Token: c.Token,
			Outcome: event.Done, Resource: &made,
		})
		return w.said("finished "+key, r, err)
	})
	if err != nil {
		w.say("error %v", err)
		return err
	}
	if i%5 != 4 {
		return nil
	}
	r, err := w.l.RecordObservation(context.Background(), look(n, i), ledger.ObservationOptions{Since: -1})
	return w.said("observed "+scope(n).Location, r, err)
}

func box(ref resource.Ref, size string) resource.Observed {
	return resource.Observed{
		Ref: ref, ID: "id-" + ref.Name, Ownership: resource.Proven, Health: resource.Healthy,
		Attrs: resource.NewAttrs(resource.Attr{Name: "size", Value: resource.String(size)}),
	}
}

func scope(n int) resource.Scope {
	return resource.Scope{Provider: "practice", Location: fmt.Sprintf("there-%d", n)}
}

// look is a scope with 30 resources, of which one in three changes between observations.
func look(n, i int) resource.LiveState {
	snap := resource.Snapshot{Scope: scope(n), At: time.Now()}
	for k := range 30 {
		ref := resource.Ref{
			Stack: "web", Provider: "practice", Location: snap.Scope.Location, Kind: "box",
			Name: fmt.Sprintf("seen-%02d", k),
		}
		size := "same"
		if k%3 == 0 {
			size = fmt.Sprint("look ", i)
		}
		snap.Resources = append(snap.Resources, box(ref, size))
	}
	return resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{snap.Scope: snap}}
}

// freeClaims deletes the claims of the killed writer, so that the next one need not wait.
func freeClaims(l *ledger.Ledger) error {
	c := coordinator.New(l.Claims(), coordinator.Identity{Instance: l.Run()})
	all, err := c.List(context.Background())
	for _, held := range all {
		if _, err2 := c.Revoke(context.Background(), held.Ref, held.Token); !errors.Is(err2, coordinator.ErrNotClaimed) {
			err = errors.Join(err, err2)
		}
	}
	return errors.Join(err, c.Close(context.Background()))
}
