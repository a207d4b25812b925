package engine

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// emptied are configurations without their resources, in the same locations.
func emptied(intents []resource.Intent) []resource.Intent {
	out := slices.Clone(intents)
	for i := range out {
		scopes := slices.Clone(out[i].Scopes)
		for j := range out[i].Resources {
			scopes = append(scopes, out[i].Resources[j].Ref.Scope())
		}
		slices.SortFunc(scopes, resource.Scope.Compare)
		out[i].Scopes, out[i].Resources = slices.Compact(scopes), nil
	}
	return out
}
