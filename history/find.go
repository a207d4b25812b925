package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// FindRef finds a thing on record by a spelling people use: the whole ref, the ref without
// the account, kind/name, the name, or the provider's id. Things that are there come before
// those of which only the past is known. An *AmbiguousError if it fits several, ErrNotFound
// if none.
func (l *Reader) FindRef(ctx context.Context, spelling string) (resource.Ref, error) {
	if refs, err := l.called(ctx, spelling); err != nil || len(refs) == 1 {
		return first(refs), err
	}
	there, err := l.fitting(ctx, rows.KeyResource, spelling)
	if err != nil {
		return resource.Ref{}, err
	}
	if len(there) == 0 {
		for _, prefix := range []string{rows.KeyActions, rows.KeyDecided, rows.KeyBlessed} {
			past, err := l.fitting(ctx, prefix, spelling)
			if err != nil {
				return resource.Ref{}, err
			}
			there = append(there, past...)
		}
	}
	slices.SortFunc(there, resource.Ref.Compare)
	there = slices.Compact(there)
	switch len(there) {
	case 0:
		return l.unregistered(ctx, spelling)
	case 1:
		return there[0], nil
	}
	return resource.Ref{}, &AmbiguousError{spelling, there}
}

// called are the things that a spelling with kind and name means, found by asking for each
// place that was ever looked at: those that are there, else those of which only the past is
// known. It reads a key a place and not the world.
func (l *Reader) called(ctx context.Context, spelling string) (refs []resource.Ref, err error) {
	parts := strings.Split(spelling, "/")
	if len(parts) < 2 {
		return nil, nil
	}
	kind, name := parts[len(parts)-2], parts[len(parts)-1]
	scans, err := l.Scans(ctx, storage.Now)
	if err != nil {
		return nil, err
	}
	for _, prefix := range []string{rows.KeyResource, rows.KeyActions, rows.KeyDecided, rows.KeyBlessed} {
		for _, s := range scans {
			ref := resource.Ref{Provider: s.Scope.Provider, Location: s.Scope.Location, Kind: kind, Name: name}
			if !Fits(ref, spelling) {
				continue
			}
			e, err := l.Get(ctx, prefix+ref.String(), storage.Now)
			if err != nil {
				return nil, err
			}
			if e.Value != nil && !slices.Contains(refs, ref) {
				refs = append(refs, ref)
			}
		}
		if prefix == rows.KeyResource && len(refs) > 0 {
			break
		}
	}
	return refs, nil
}

func first(refs []resource.Ref) resource.Ref {
	if len(refs) == 0 {
		return resource.Ref{}
	}
	return refs[0]
}

// fitting are the refs under a prefix of the store that the spelling fits. An exact fit
// stands alone.
func (l *Reader) fitting(ctx context.Context, prefix, spelling string) (refs []resource.Ref, err error) {
	id := []byte(`"id":"` + spelling + `"`)
	err = l.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
		ref, err := resource.ParseRef(e.Key[len(prefix):])
		if err == nil && (Fits(ref, spelling) || prefix == rows.KeyResource && strings.Contains(string(e.Value), string(id))) {
			refs = append(refs, ref)
		}
		return err
	})
	for _, r := range refs {
		if r.String() == spelling {
			return []resource.Ref{r}, err
		}
	}
	return refs, err
}

// unregistered looks for a whole ref among things of which only old revisions know.
func (l *Reader) unregistered(ctx context.Context, spelling string) (resource.Ref, error) {
	if ref, err := resource.ParseRef(spelling); err == nil {
		for _, err := range l.Store().History(ctx, rows.KeyResource+spelling) {
			return ref, err
		}
	}
	return resource.Ref{}, fmt.Errorf("ledger: %q is %w: ovi status and ovi inventory list what is", spelling, ledger.ErrNotFound)
}

// Fits says whether a spelling that people use means a ref: the whole of it, without the
// account, without the place, kind/name, or the name alone.
func Fits(r resource.Ref, spelling string) bool {
	_, region, ok := strings.Cut(r.Location, "/")
	short := r.Kind + "/" + r.Name
	switch spelling {
	case r.Name, short, r.Provider + "/" + short, r.Location + "/" + short, r.String():
		return true
	}
	return ok && (spelling == region+"/"+short || spelling == r.Provider+"/"+region+"/"+short)
}
