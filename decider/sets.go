package decider

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Turn is the position of one resource of a set in the order of interruptions: as many at a time as may
// be unavailable, each once the ones before it are in service.
type Turn struct {
	Of    string         `json:"of"`        // the set: "ec2/web"
	Most  int            `json:"at_a_time"` // how many may be unavailable
	Size  int            `json:"size"`      // of how many
	After []resource.Ref `json:"after,omitempty"`
}

// SetsOf lists the resources of each set of configurations, by the ref of the set, in natural order: web-2 before
// web-10.
func SetsOf(intents []resource.Intent) map[resource.Ref][]resource.Ref {
	var out map[resource.Ref][]resource.Ref
	for i := range intents {
		for k := range intents[i].Resources {
			d := &intents[i].Resources[k]
			of := resource.SetOf(d)
			if of.IsZero() {
				continue
			}
			if out == nil {
				out = map[resource.Ref][]resource.Ref{}
			}
			out[of] = append(out[of], d.Ref)
		}
	}
	for _, members := range out {
		slices.SortFunc(members, CompareNatural)
	}
	return out
}
