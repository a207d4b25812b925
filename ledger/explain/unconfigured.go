package explain

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
)

// Unconfigured keeps the changes of a resource that were made outside ovi to what its configuration does not
// mention: other tags, and attributes without a configured value. Drift has the rest. Computed attributes and
// ignored paths are omitted, because no configuration can adopt them.
func Unconfigured(changes []resource.Change, want resource.Desired, kind resource.Kind) []resource.Change {
	var out []resource.Change
	for _, c := range changes {
		if c.On != resource.OnAttribute || slices.Contains([]string{"id", "health", "managed", "content"}, c.Path) {
			continue
		}
		if key, tag := strings.CutPrefix(c.Path, "tags."); tag {
			if _, is := want.Tags.Get(key); !is && !rules.MatchPath(want.Ignore, c.Path) {
				out = append(out, c)
			}
			continue
		}
		schema := slices.IndexFunc(kind.Attrs, func(a resource.Attribute) bool { return a.Name == c.Path })
		_, configured := want.Attrs.Get(c.Path)
		if schema >= 0 && !kind.Attrs[schema].Computed && !configured && !rules.MatchPath(want.Ignore, c.Path) {
			out = append(out, c)
		}
	}
	return out
}
