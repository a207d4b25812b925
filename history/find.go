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

// FindRef finds a recorded resource by a short spelling: the whole ref, the ref without the account,
// kind/name, the name, or the provider's id. Existing resources come before those that only the past
// has. An *AmbiguousError if several fit, ErrNotFound if none does.
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

// called are the resources that a spelling with kind and name fits, read key by key in each observed
// scope: the existing ones, else those that only the past has.
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

// fitting are the refs under a prefix of the store that the spelling fits. An exact fit is the only
// one.
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

// unregistered finds a whole ref that only old revisions have.
func (l *Reader) unregistered(ctx context.Context, spelling string) (resource.Ref, error) {
	if ref, err := resource.ParseRef(spelling); err == nil {
		for _, err := range l.Store().History(ctx, rows.KeyResource+spelling) {
			return ref, err
		}
	}
	return resource.Ref{}, fmt.Errorf("%q is %w: `ovi status` and `ovi inventory` list resources", spelling, ledger.ErrNotFound)
}

// Fits reports whether a short spelling fits a ref: the whole ref, the ref without the account,
// without the location, kind/name, or the name.
func Fits(r resource.Ref, spelling string) bool {
	_, region, ok := strings.Cut(r.Location, "/")
	short := r.Kind + "/" + r.Name
	switch spelling {
	case r.Name, short, r.Provider + "/" + short, r.Location + "/" + short, r.String():
		return true
	}
	return ok && (spelling == region+"/"+short || spelling == r.Provider+"/"+region+"/"+short)
}
