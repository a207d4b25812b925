package recovery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/storage"
)

// ownedElsewhere notes the unmanaged resources that a binding in another location of the account has: each location
// lists the resources of such a kind, and one of them owns each.
func (e *Recovery) ownedElsewhere(ctx context.Context, live resource.LiveState) error {
	var open []*resource.Observed
	for _, s := range live.Scopes {
		for i := range s.Resources {
			o := &s.Resources[i]
			// A message explains already why a resource is unmanaged.
			if o.Ownership == resource.Unmanaged && o.Message == "" && e.Kind(o.Ref).Everywhere {
				open = append(open, o)
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	scans, err := e.Ledger.Scans(ctx, storage.Now)
	if err != nil {
		return fmt.Errorf("read the recorded locations: %w", err)
	}
	scopes := make([]resource.Scope, len(scans))
	for i := range scans {
		scopes[i] = scans[i].Scope
	}
	known, err := e.Ledger.BindingsIn(ctx, scopes)
	if err != nil {
		return fmt.Errorf("read who owns resources in other locations: %w", err)
	}
	for _, o := range open {
		for s, bindings := range known {
			// Only a location of the same account lists the same resources.
			if s == o.Ref.Scope() || s.Provider != o.Ref.Provider || groupOf(s.Location) != groupOf(o.Ref.Location) {
				continue
			}
			if slices.ContainsFunc(bindings, func(b resource.Binding) bool {
				return b.Live() && b.ID == o.ID && b.Ref.Kind == o.Ref.Kind
			}) {
				o.Message = resource.OwnedElsewhere
			}
		}
	}
	return nil
}

// groupOf returns the group of a location, such as the account of a region. A location without a slash is a group of
// its own.
func groupOf(location string) string {
	group, _, _ := strings.Cut(location, "/")
	return group
}
