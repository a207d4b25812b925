package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// Revision is the newest revision of the store.
func (r *Reader) Revision(ctx context.Context) (storage.Revision, error) {
	_, rev, err := r.store.Range(ctx, rows.KeyLog, storage.Now)
	return rev, err
}

// LiveState is everything as recorded at a revision (Now: the newest). A scope that was never
// observed completely is unreachable, with its last error. All is read at one revision, so that the
// resources of one commit never appear under the observation of another.
func (r *Reader) LiveState(ctx context.Context, at storage.Revision) (resource.LiveState, storage.Revision, error) {
	w := resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}}
	scans, rev, err := r.ScansAt(ctx, at)
	if err != nil {
		return w, 0, err
	}
	for _, s := range scans {
		if s.Confirmed.IsZero() {
			w.Unreachable[s.Scope] = errors.New(s.Error)
			continue
		}
		w.Scopes[s.Scope] = resource.Snapshot{Scope: s.Scope, At: s.Confirmed}
	}
	err = r.Resources(ctx, rows.KeyResource, rev, func(o resource.Observed, _ storage.Entry) {
		s := w.Scopes[o.Ref.Scope()]
		s.Scope = o.Ref.Scope() // known by an action in a scope that was never observed completely
		s.Resources = append(s.Resources, o)
		w.Scopes[s.Scope] = s
	})
	for _, s := range w.Scopes {
		slices.SortFunc(s.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	}
	return w, rev, err
}

// Snapshot returns the recorded state of one scope: its last complete observation, with the changes
// of actions since. It returns ErrNotFound if there was no observation. The resources are read
// after the observation, so they may be newer than its time, never older.
func (r *Reader) Snapshot(ctx context.Context, s resource.Scope) (resource.Snapshot, error) {
	var scan rows.Scan
	found, err := r.Load(ctx, rows.KeyScan+s.String(), storage.Now, &scan)
	if err != nil {
		return resource.Snapshot{}, err
	}
	if !found || scan.Confirmed.IsZero() {
		return resource.Snapshot{}, fmt.Errorf("ledger: a complete observation of %s is %w", s, ErrNotFound)
	}
	out := resource.Snapshot{Scope: s, At: scan.Confirmed}
	err = r.Resources(ctx, rows.ResourcePrefix(s), storage.Now, func(o resource.Observed, _ storage.Entry) {
		if o.Ref.Scope() == s {
			out.Resources = append(out.Resources, o)
		}
	})
	slices.SortFunc(out.Resources, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	return out, err
}

// Resources decodes the resources under a prefix.
func (r *Reader) Resources(
	ctx context.Context, prefix string, at storage.Revision, each func(resource.Observed, storage.Entry),
) error {
	return r.Entries(ctx, prefix, at, func(e storage.Entry) error {
		o, err := resource.ParseObserved(e.Value)
		if err == nil {
			each(o, e)
		}
		return err
	})
}

// UnmanagedOf counts the recorded resources of a kind that ovi does not manage, those that are not reported aside.
func (r *Reader) UnmanagedOf(ctx context.Context, s resource.Scope, kind string) (n int, err error) {
	err = r.Resources(ctx, rows.ResourcePrefix(s)+kind+"/", storage.Now, func(o resource.Observed, _ storage.Entry) {
		if o.Ref.Scope() == s && !o.Managed() && o.Reported() {
			n++
		}
	})
	return n, err
}

// Resource is one resource at a revision, or ErrNotFound.
func (r *Reader) Resource(ctx context.Context, ref resource.Ref, at storage.Revision) (ResourceState, error) {
	e, err := r.Get(ctx, rows.Of(rows.KeyResource, ref), at)
	if err != nil {
		return ResourceState{}, err
	}
	if e.Value == nil {
		return ResourceState{}, fmt.Errorf("ledger: %s is %w", ref, ErrNotFound)
	}
	o, err := resource.ParseObserved(e.Value)
	return ResourceState{o, e.Created, e.Modified}, err
}

// Scans are the last observations of all scopes, sorted.
func (r *Reader) Scans(ctx context.Context, at storage.Revision) ([]rows.Scan, error) {
	out, _, err := r.ScansAt(ctx, at)
	return out, err
}

// AwaitScans returns nil as soon as ready accepts the scans. It reads them when the store reports a
// new one, and every ten seconds. It ends with the cause of the context, or with the error of a
// read.
func (r *Reader) AwaitScans(ctx context.Context, ready func([]rows.Scan) bool) error {
	return storage.Await(ctx, r.store, rows.KeyScan, 10*time.Second, func(ctx context.Context) (bool, error) {
		scans, err := r.Scans(ctx, storage.Now)
		return err == nil && ready(scans), err
	})
}

// ScansAt is Scans with the revision that was read.
func (r *Reader) ScansAt(ctx context.Context, at storage.Revision) ([]rows.Scan, storage.Revision, error) {
	entries, rev, err := r.store.Range(ctx, rows.KeyScan, at)
	if err != nil {
		return nil, 0, err
	}
	var out []rows.Scan
	for e, err := range entries {
		if err != nil {
			return nil, 0, err
		}
		var s rows.Scan
		if err := errors.Join(json.Unmarshal(e.Value, &s),
			s.Scope.UnmarshalText([]byte(e.Key[len(rows.KeyScan):]))); err != nil {
			return nil, 0, fmt.Errorf("ledger: %s: %w", e.Key, err)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b rows.Scan) int { return a.Scope.Compare(b.Scope) })
	return out, rev, nil
}

// Scopes are the scopes where the stack owns something, sorted.
func (r *Reader) Scopes(ctx context.Context, stack string) ([]resource.Scope, error) {
	var out []resource.Scope
	err := r.Entries(ctx, rows.KeyStack, storage.Now, func(e storage.Entry) error {
		if name, s, ok := rows.ParseStack(e.Key); ok && name == stack {
			out = append(out, s)
		}
		return nil
	})
	slices.SortFunc(out, resource.Scope.Compare)
	return out, err
}

// OpenActions are the actions without a recorded result, oldest first.
func (r *Reader) OpenActions(ctx context.Context) ([]rows.OpenAction, error) {
	var out []rows.OpenAction
	err := r.Entries(ctx, rows.KeyOpen, storage.Now, func(e storage.Entry) error {
		var o rows.OpenAction
		err := json.Unmarshal(e.Value, &o)
		out = append(out, o)
		return err
	})
	slices.SortStableFunc(out, func(a, b rows.OpenAction) int { return a.At.Compare(b.At) })
	return out, err
}

// Tries are the recorded attempts of one configuration that did not succeed.
type Tries struct {
	decider.Attempts
	// Key is the idempotency key of a create that may still take effect: the same configuration is
	// tried again with the same key.
	Key string
	// Kept is the old resource of a replacement that was reverted by the last failure; "" if the last
	// failure did not revert a replacement.
	Kept string
	Past bool // another configuration was applied since
	// RecreateOnly are the paths that the provider could not change on the resource with ID.
	RecreateOnly []string
	ID           string
}

// ResourceTries are the Tries of a resource, the configuration that was tried last at the end.
type ResourceTries []Tries

// Of returns the tries of one configuration, or the zero Tries if there are none.
func (t ResourceTries) Of(desired string) Tries {
	for i := range t {
		if t[i].Desired == desired {
			return t[i]
		}
	}
	return Tries{}
}

// Last returns the tries of the configuration that was tried last. It returns the zero Tries if there are none, and if
// another configuration was applied since.
func (t ResourceTries) Last() Tries {
	if len(t) == 0 || t[len(t)-1].Past {
		return Tries{}
	}
	return t[len(t)-1]
}

// Attempts are the resources whose last actions failed, or may have had no effect.
func (r *Reader) Attempts(ctx context.Context) (map[resource.Ref]ResourceTries, error) {
	all, err := byRef[rows.Tries](ctx, r, rows.KeyTries, storage.Now)
	out := make(map[resource.Ref]ResourceTries, len(all))
	for ref, tries := range all {
		for _, t := range tries.Of {
			out[ref] = append(out[ref], Tries{decider.Attempts{
				Desired: t.Desired, Failures: t.Failures, Configuration: t.Configuration, Lost: t.Lost, Other: t.Other,
				Since: t.Since, Last: t.Last, Cause: t.Cause, Error: t.Error,
			}, t.Key, t.Kept, t.Past, t.RecreateOnly, t.ID})
		}
	}
	return out, err
}

// Down are the managed resources that are not healthy, as recorded at a revision.
func (r *Reader) Down(ctx context.Context, at storage.Revision) (map[resource.Ref]rows.Down, error) {
	out := map[resource.Ref]rows.Down{}
	err := r.Entries(ctx, rows.KeyDown, at, func(e storage.Entry) error { return json.Unmarshal(e.Value, &out) })
	return out, err
}

// DownIn returns the resources of one scope that are recorded as down now.
func (r *Reader) DownIn(ctx context.Context, s resource.Scope) (map[resource.Ref]rows.Down, error) {
	out := map[resource.Ref]rows.Down{}
	_, err := r.Load(ctx, rows.DownIn(s), storage.Now, &out)
	return out, err
}

// Restarts are the last restarts of resources because of their state.
func (r *Reader) Restarts(ctx context.Context) (map[resource.Ref]rows.Restarts, error) {
	return byRef[rows.Restarts](ctx, r, rows.KeyRestarts, storage.Now)
}

// Fights are the values of resources that were set back outside ovi.
func (r *Reader) Fights(ctx context.Context) (map[resource.Ref]rows.Fights, error) {
	return byRef[rows.Fights](ctx, r, rows.KeyFights, storage.Now)
}

// Until is the deadline of an accepted action: the time for which its scope was offline does not
// count.
func (r *Reader) Until(ctx context.Context, o rows.OpenAction) (time.Time, error) {
	var s rows.Scan
	_, err := r.Load(ctx, rows.KeyScan+o.Ref.Scope().String(), storage.Now, &s)
	return o.Deadline.Add(max(0, s.Away-o.Away)), err
}

// ResourceState is a resource as recorded at a revision.
type ResourceState struct {
	resource.Observed
	First   storage.Revision // when it was first observed
	Changed storage.Revision // when it was last observed to differ
}
