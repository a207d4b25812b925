package history

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// FindRef finds a recorded resource by a name that users call it (resource.Ref.Fits), or by the provider's
// id. The first 12 digits of a long hexadecimal id are enough (phrase.ID). Existing resources come before
// deleted ones, and resources that a stack names before others. The error is an *AmbiguousError if several
// fit, and ErrNotFound if none does.
func (l *Reader) FindRef(ctx context.Context, spelling string) (resource.Ref, error) {
	found, err := l.called(ctx, spelling)
	if err == nil && len(found) == 0 {
		found, err = l.fitting(ctx, spelling)
	}
	if err != nil {
		return resource.Ref{}, err
	}
	found = meant(found, spelling)
	switch len(found) {
	case 0:
		return l.unregistered(ctx, spelling)
	case 1:
		return found[0], nil
	}
	return resource.Ref{}, &AmbiguousError{spelling, found}
}

// meant narrows the matches: a whole ref is the only match, and a resource that a stack names comes before
// one whose ID at the provider happens to match.
func meant(found []resource.Ref, spelling string) []resource.Ref {
	slices.SortFunc(found, resource.Ref.Compare)
	found = slices.Compact(found)
	for i, r := range found {
		if r.String() == spelling {
			return found[i : i+1]
		}
	}
	if named := slices.DeleteFunc(slices.Clone(found), func(r resource.Ref) bool {
		return r.Stack == ""
	}); len(named) > 0 {
		return named
	}
	return found
}

// pastPrefixes are the prefixes of the resources that no longer exist.
func pastPrefixes() []string { return []string{rows.KeyActions, rows.KeyDecided, rows.KeyBlessed} }

// called are the resources that a spelling with kind and name fits, read key by key in each
// observed scope: the existing ones, else those that only the past has. It reads one short range
// per scope; reading all keys is left to fitting, which FindRef calls only if nothing was found
// here.
func (l *Reader) called(ctx context.Context, spelling string) (refs []resource.Ref, err error) {
	parts := strings.Split(spelling, "/")
	if len(parts) < 2 {
		return nil, nil
	}
	kind, name := parts[len(parts)-2], parts[len(parts)-1]
	if _, rest, ok := resource.CutStack(kind); ok {
		kind = rest
	}
	scans, err := l.Scans(ctx, storage.Now)
	if err != nil {
		return nil, err
	}
	for _, prefix := range append([]string{rows.KeyResource}, pastPrefixes()...) {
		for _, s := range scans {
			bare := resource.Ref{Provider: s.Scope.Provider, Location: s.Scope.Location, Kind: kind, Name: name}
			of, err := l.inStacks(ctx, prefix, bare)
			if err != nil {
				return nil, err
			}
			for _, r := range of {
				if r.Fits(spelling) {
					refs = append(refs, r)
				}
			}
		}
		if prefix == rows.KeyResource && len(refs) > 0 {
			break
		}
	}
	return refs, nil
}

// inStacks are the recorded refs of one name, in any stack or none: their keys follow each other.
func (l *Reader) inStacks(ctx context.Context, prefix string, bare resource.Ref) (refs []resource.Ref, err error) {
	entries, _, err := l.Store().Range(ctx, rows.Of(prefix, bare), storage.Now)
	if err != nil {
		return nil, err
	}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		r, err := rows.RefOf(prefix, e.Key)
		if err != nil || r.Bare() != bare {
			break // longer names come behind
		}
		refs = append(refs, r)
	}
	return refs, nil
}

// fitting reads all keys: for the existing resources that a spelling fits or that have it as their id,
// else for those that only the past has. An ID is searched in the recorded text of a resource, which is
// not decoded.
func (l *Reader) fitting(ctx context.Context, spelling string) (refs []resource.Ref, err error) {
	id := []byte(`"id":` + string(resource.AppendJSON(nil, resource.String(spelling))))
	if len(spelling) >= phrase.ShortID && strings.Trim(spelling, "0123456789abcdef") == "" {
		id = id[:len(id)-1] // without the closing quote: any id that begins so
	}
	for _, prefix := range append([]string{rows.KeyResource}, pastPrefixes()...) {
		err := l.Entries(ctx, prefix, storage.Now, func(e storage.Entry) error {
			ref, err := rows.RefOf(prefix, e.Key)
			if err == nil && (ref.Fits(spelling) || prefix == rows.KeyResource && bytes.Contains(e.Value, id)) {
				refs = append(refs, ref)
			}
			return err
		})
		if err != nil || prefix == rows.KeyResource && len(refs) > 0 {
			return refs, err
		}
	}
	return refs, nil
}

// stacks are those that own something, sorted.
func (l *Reader) stacks(ctx context.Context) (out []string, err error) {
	err = l.Entries(ctx, rows.KeyStack, storage.Now, func(e storage.Entry) error {
		if name, _, ok := rows.ParseStack(e.Key); ok {
			out = append(out, name)
		}
		return nil
	})
	slices.Sort(out)
	return slices.Compact(out), err
}

// unregistered finds a whole ref that only old revisions have. Only a complete ref is searched: a
// store has no index of names that no current key has. The error suggests the commands that list
// resources.
func (l *Reader) unregistered(ctx context.Context, spelling string) (resource.Ref, error) {
	ref, err := resource.ParseRef(spelling)
	if err == nil {
		all := []resource.Ref{ref}
		if ref.Stack == "" {
			stacks, err := l.stacks(ctx)
			if err != nil {
				return resource.Ref{}, err
			}
			for _, s := range stacks {
				all = append(all, ref.In(s))
			}
		}
		for _, r := range all {
			for _, err := range l.Store().History(ctx, rows.Of(rows.KeyResource, r)) {
				return r, err
			}
		}
	}
	return resource.Ref{}, fmt.Errorf("%q is %w: `ovi status` and `ovi inventory` list resources", spelling,
		ledger.ErrNotFound)
}
