package record

import (
	"fmt"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

func recordsOfRollouts(s state) []render.Record {
	var out []render.Record
	for _, w := range s.waves {
		out = append(out, render.Rollout{
			Type: "rollout", Stack: w.Stack, Kind: w.Kind, Name: w.Name, Version: w.Version, Wave: w.Reach, Waves: w.Of,
			Halted: w.Halted, Why: w.Why,
		})
	}
	return out
}

// showRolloutsOf gives those that halted to alert, and those that have not reached all to note.
func showRolloutsOf(s state, alert func(text, suggestion string), note func(text string)) {
	for _, w := range s.waves {
		name := w.Kind + "/" + w.Name
		switch {
		case w.Halted:
			alert(fmt.Sprintf("configuration %s of %s halted in wave %d of %d: %s", resource.ShortDigest(w.Version), name,
				w.Reach, w.Of, w.Why),
				"change its configuration, or run `ovi retry` for each failed resource")
		case w.Reach < w.Of:
			note(fmt.Sprintf("configuration %s of %s is in wave %d of %d", resource.ShortDigest(w.Version), name, w.Reach, w.Of))
		}
	}
}
