package removal

import (
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// Recorded returns a function that returns the reason of why or, if that knows none, the recorded one: a blocked delete
// has lost its reason, because the configuration that was accepted last has no position of the resource.
func Recorded(
	why func(resource.Ref) string, at func(resource.Ref) position.Position, recorded func(resource.Ref) string,
) func(resource.Ref) string {
	return func(r resource.Ref) string {
		if text := why(r); text != "" || at(r).File != "" {
			return text
		}
		return recorded(r)
	}
}
