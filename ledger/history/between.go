package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ResourceChange is how a resource differs between two revisions.
type ResourceChange struct {
	Ref           resource.Ref
	Before, After *resource.Observed // nil if it did not exist
	Last          storage.Revision   // that changed it, up to the later one
	At            time.Time          // when that was; zero: not known
	Action        bool               // ovi has done something to it in between
}

// Between lists the resources that differ between two revisions (Now: the newest), sorted by ref.
// It costs as much as there are changes, not resources. storage.ErrCompacted: the store no longer
// has the earlier one. The order of the two revisions does not matter for the list: Before is the
// state at from, After the state at the other revision. A resource that changed and changed back is
// not part of it.
func (l *Reader) Between(ctx context.Context, from, to storage.Revision) ([]ResourceChange, error) {
	if to == storage.Now {
		now, err := l.Revision(ctx)
		if err != nil {
			return nil, err
		}
		to = now
	}
	early, late := min(from, to), max(from, to)
	shifts, err := l.touchedBetween(ctx, early, late)
	if err != nil {
		return nil, err
	}
	clock, err := l.clock(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]ResourceChange, 0, len(shifts))
	for _, s := range shifts {
		if s.Before, err = l.resourceAt(ctx, s.Ref, from); err != nil {
			return nil, err
		}
		if s.After, err = l.resourceAt(ctx, s.Ref, to); err != nil {
			return nil, err
		}
		if s.Before == nil && s.After == nil || s.Before != nil && s.After != nil && s.Before.Equal(*s.After) {
			continue
		}
		t, _, err := clock.of(ctx, s.Last)
		if err != nil {
			return nil, err
		}
		s.At = t.head.At
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b ResourceChange) int { return a.Ref.Compare(b.Ref) })
	return out, nil
}

// touchedBetween finds what was written between two revisions, and whether by an action. Only the
// record of a finished action counts, not the record of a recovered one.
func (l *Reader) touchedBetween(
	ctx context.Context, early, late storage.Revision,
) (map[resource.Ref]*ResourceChange, error) {
	out := map[resource.Ref]*ResourceChange{}
	for e, err := range l.Store().Changes(ctx, rows.KeyResource, early, late) {
		if err != nil {
			return nil, fmt.Errorf("history: read the changes since revision %d: %w", early, err)
		}
		ref, err := rows.RefOf(rows.KeyResource, e.Key)
		if err != nil {
			return nil, err
		}
		if out[ref] == nil {
			out[ref] = &ResourceChange{Ref: ref}
		}
		out[ref].Last = e.Modified
	}
	for e, err := range l.Store().Changes(ctx, rows.KeyActions, early, late) {
		if err != nil {
			return nil, err
		}
		ref, err := rows.RefOf(rows.KeyActions, e.Key)
		if s := out[ref]; err == nil && s != nil && strings.Contains(string(e.Value), `"event":"finished"`) {
			s.Action = true
		}
	}
	return out, nil
}

// resourceAt is a resource at a revision; nil if it did not exist.
func (l *Reader) resourceAt(ctx context.Context, ref resource.Ref, at storage.Revision) (*resource.Observed, error) {
	t, err := l.Resource(ctx, ref, at)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &t.Observed, nil
}
