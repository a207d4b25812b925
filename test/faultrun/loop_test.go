package faultrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ovi-project/ovi/coordinator"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// loopInterval is short, so that a run has many cycles.
const loopInterval = 3 * time.Second

// The pauses before a broken data directory is reopened, as in cmd/ovi/run.go, but with a lower
// maximum: a run is short.
const (
	reopenFirst = time.Second
	reopenMost  = 5 * time.Second
)

var errBack = errors.New("the loops ended")

// keep is `ovi run --auto-approve --allow-destroy`, wired as in cmd/ovi/run.go: loops, and the data
// directory reopened when it broke. Only the first attempt must succeed.
func (w *worker) keep(ctx context.Context) error {
	pause := reopenFirst
	for first := true; ctx.Err() == nil; first = false {
		started := time.Now()
		err := w.loop(ctx)
		if ctx.Err() != nil {
			break
		}
		if first && !errors.Is(err, errBack) && !errors.Is(err, ledger.ErrBroken) {
			return err
		}
		if time.Since(started) > reopenMost {
			pause = reopenFirst
		}
		w.say("the loops ended; the record is opened again in %s: %v", pause, err)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, reopenMost)
	}
	return nil
}

// loop opens the data directory and runs the loop until it ends.
func (w *worker) loop(ctx context.Context) error {
	if err := w.open(ctx); err != nil {
		return err
	}
	err := loop.Run(ctx, w.engine, []loop.Stack{w.stack()}, loop.RunOptions{
		Interval: w.Interval, Poll: min(max(w.TTL/20, 200*time.Millisecond), time.Second), Apply: true, Tell: w.told,
	})
	if bad := w.close(); bad != nil {
		w.say("closing: %v", bad)
	}
	if err != nil {
		return err
	}
	return errBack
}

func (w *worker) stack() loop.Stack {
	return loop.Stack{
		Name: "faults",
		Mark: func() string { v, _ := version(w.Desired); return v },
		Load: func(ctx context.Context) ([]resource.Intent, error) {
			intent, err := w.configured(ctx)
			w.loaded.Store(&intent.Version)
			return []resource.Intent{intent}, err
		},
	}
}

// configured reads the file.
func (w *worker) configured(ctx context.Context) (resource.Intent, error) {
	checks := source.Options{
		Schemas:  provider.Set{"aws": aws.New(aws.Options{})},
		Location: func(string) source.LocationRule { return source.LocationRule{Word: "region", Required: true} },
	}
	intents, err := source.Load(ctx, config.New([]string{w.Desired}, config.Options{Options: checks}))
	if err != nil {
		return resource.Intent{}, err
	}
	intent := intents[0]
	intent.Version, err = version(w.Desired)
	return intent, err
}

// told is called after each cycle of the loop.
func (w *worker) told(c loop.Cycle) {
	w.cycles++
	w.troubles(c.Result)
	if c.Err != nil {
		w.say("cycle (%s, led %v): %v", c.Why, c.Led, c.Err)
	}
	if c.Err != nil || c.Planned == nil {
		return
	}
	p := progress{Version: *w.loaded.Load(), Left: left(c.Planned), Cycles: w.cycles, Led: c.Led}
	if p.Left == 0 {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		opens, err := w.ledger.OpenActions(ctx)
		if err != nil {
			return
		}
		p.Left = len(opens)
	}
	w.tell(p)
}

// troubles lists failures other than those caused by another instance.
func (w *worker) troubles(r *engine.Result) {
	if r == nil {
		return
	}
	for _, o := range r.Outcomes {
		if o.Status == engine.Failed {
			w.say("%s %s: %v", o.Action, o.Ref, o.Err)
		}
	}
}

// left counts what a plan leaves to do: decisions to execute, and unreachable scopes.
func left(p *engine.Planned) int {
	n := len(p.Plan.Unreachable)
	for _, d := range p.Plan.Decisions {
		if d.Proposed.Executes() {
			n++
		}
	}
	return n
}

func (w *worker) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s %s: %s\n", time.Now().Format("15:04:05.000"), w.Name, fmt.Sprintf(format, args...))
}

// leading are claims that record the token under which this instance leads, 0 if it does not.
type leading struct {
	engine.Claims
	token *atomic.Int64
}

// Hold implements engine.Claims.
func (l leading) Hold(ctx context.Context, ref string, do func(context.Context, coordinator.Claim) error) error {
	if !strings.HasPrefix(ref, loop.Lead) {
		return l.Claims.Hold(ctx, ref, do)
	}
	return l.Claims.Hold(ctx, ref, func(ctx context.Context, c coordinator.Claim) error {
		l.token.Store(c.Token)
		defer l.token.Store(0)
		return do(ctx, c)
	})
}

// look is one line about an observation of the whole sandbox that an instance started.
type look struct {
	At    time.Time `json:"at"`
	Token int64     `json:"token,omitempty"` // of the leader claim
}

// Observe implements provider.Provider.
func (m marked) Observe(ctx context.Context, s provider.ObserveRequest) (resource.Snapshot, error) {
	m.observations()
	snapshot, err := m.Provider.Observe(ctx, s)
	snapshot.At = m.clock()
	return snapshot, err
}

// observed records the start of an observation. The token is read first, so that it is never too
// new.
func (w *worker) observed() {
	l := look{Token: w.leads.Load()}
	l.At = time.Now()
	b, err := json.Marshal(l)
	if err == nil {
		err = appendLine(filepath.Join(w.Dir, "looks.jsonl"), b)
	}
	if err != nil {
		panic(err) // without this record a run proves nothing
	}
}

func appendLine(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Close())
}
