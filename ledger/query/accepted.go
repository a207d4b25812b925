package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/storage"
)

// Sources reads the last accepted configurations of sources, and the parts of sources that could not be read.
type Sources struct{ *Reader }

// Sources returns the reader of accepted configurations.
func (r *Reader) Sources() Sources { return Sources{r} }

// Parts returns the last accepted parts of a stack's source, by part. The part without a name has the settings.
func (r Sources) Parts(ctx context.Context, stack string) (map[string]rows.Source, error) {
	out := map[string]rows.Source{}
	err := r.Entries(ctx, rows.SourcesOf(stack), storage.Now, func(e storage.Entry) error {
		var v rows.Source
		_, part, err := rows.ParseSource(e.Key)
		if err = errors.Join(err, json.Unmarshal(e.Value, &v)); err == nil {
			out[part] = v
		}
		return err
	})
	return out, err
}

// Resources returns the resources of a stack as its source configured them when it was accepted last, sorted by ref.
func (r Sources) Resources(ctx context.Context, stack string) ([]event.AcceptedResource, error) {
	var out []event.AcceptedResource
	err := r.Entries(ctx, rows.AcceptedIn(stack), storage.Now, func(e storage.Entry) error {
		var v event.AcceptedResource
		err := json.Unmarshal(e.Value, &v)
		out = append(out, v)
		return err
	})
	slices.SortFunc(out, func(a, b event.AcceptedResource) int { return a.Ref.Compare(b.Ref) })
	return out, err
}

// At returns the position of a resource in the configuration that was accepted last, as of a revision. A resource that
// it does not have has the zero Position.
func (r Sources) At(ctx context.Context, ref resource.Ref, at storage.Revision) (position.Position, error) {
	var v event.AcceptedResource
	if _, err := r.Load(ctx, rows.AcceptedOf(ref), at, &v); err != nil {
		return position.Position{}, fmt.Errorf("ledger: read the accepted configuration of %s: %w", ref, err)
	}
	return v.At, nil
}

// Settings returns the settings of the configurations that were accepted last, by stack, as of a revision.
func (r Sources) Settings(ctx context.Context, at storage.Revision) (map[string]event.AcceptedSettings, error) {
	out := map[string]event.AcceptedSettings{}
	err := r.Entries(ctx, rows.KeySource, at, func(e storage.Entry) error {
		stack, part, err := rows.ParseSource(e.Key)
		if err != nil || part != "" {
			return err
		}
		var v rows.Source
		if err = json.Unmarshal(e.Value, &v); err == nil && v.Settings != nil {
			out[stack] = *v.Settings
		}
		return err
	})
	return out, err
}

// Resource returns a resource of the configuration that was accepted last, as of a revision; false if the configuration
// does not have the resource.
func (r Sources) Resource(
	ctx context.Context, ref resource.Ref, at storage.Revision,
) (v event.AcceptedResource, is bool, err error) {
	if is, err = r.Load(ctx, rows.AcceptedOf(ref), at, &v); err != nil {
		err = fmt.Errorf("ledger: read the accepted configuration of %s: %w", ref, err)
	}
	return v, is, err
}

// From returns the stacks that were accepted from a source, sorted.
func (r Sources) From(ctx context.Context, from string) (stacks []string, err error) {
	err = r.Entries(ctx, rows.KeySource, storage.Now, func(e storage.Entry) error {
		stack, part, err := rows.ParseSource(e.Key)
		if err != nil || part != "" {
			return err
		}
		var v rows.Source
		if err = json.Unmarshal(e.Value, &v); err == nil && v.Settings != nil && v.Settings.From == from {
			stacks = append(stacks, stack)
		}
		return err
	})
	slices.SortFunc(stacks, strings.Compare)
	return stacks, err
}

// Unread returns the parts of a stack's source that its last plan could not read, and the time of that plan.
func (r Sources) Unread(ctx context.Context, stack string) ([]event.Unread, time.Time, error) {
	var v rows.Plan
	_, err := r.Load(ctx, rows.PlanOf(stack), storage.Now, &v)
	return v.Unread, v.At, err
}

// UnreadOf returns the part of a source that a resource is in, if it could not be read when the
// last plan of its stack was made. An unread part without a name means the whole source, and so
// every resource of it.
func (r Sources) UnreadOf(ctx context.Context, ref resource.Ref) (event.Unread, bool, error) {
	all, _, err := r.Unread(ctx, ref.Stack)
	if err != nil || len(all) == 0 {
		return event.Unread{}, false, err
	}
	var a event.AcceptedResource
	if _, err := r.Load(ctx, rows.AcceptedOf(ref), storage.Now, &a); err != nil {
		return event.Unread{}, false, fmt.Errorf("ledger: read the accepted configuration of %s: %w", ref, err)
	}
	for _, u := range all {
		if u.Part == "" || u.Part == a.Part || slices.Contains(u.Refs, ref) {
			return u, true, nil
		}
	}
	return event.Unread{}, false, nil
}

// RoomFor returns the configuration for which a resource, or another one, was deleted; zero if none was.
func (r Sources) RoomFor(ctx context.Context, ref resource.Ref) (rows.Room, error) {
	var v rows.Room
	if _, err := r.Load(ctx, rows.Of(rows.KeyRoom, ref), storage.Now, &v); err != nil {
		return rows.Room{}, fmt.Errorf("ledger: read the room that %s made: %w", ref, err)
	}
	return v, nil
}
