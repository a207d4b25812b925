package outbox

import (
	"maps"
	"math"
	"slices"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// node is a sender of events. The nodes of an outbox share its room.
type node struct{ site, name string }

func sender(e *link.Event) node { return node{e.Site, e.Node} }

// need is the room that an event takes.
type need struct {
	of     node
	weight int
}

func needOf(e *link.Event) need { return need{sender(e), e.Weight()} }

// excess reports which events, the oldest first, have no room: together the others are at most so many and have at most
// so many bytes. The room is shared by max-min fairness (Bertsekas and Gallager, Data Networks, section 6.5.2): a node
// that needs less than an equal part loses nothing, and each other one keeps its newest events.
func excess(events []need, most int, bytes int) []bool {
	cost := func(e need) float64 { return max(1/float64(most), float64(e.weight)/float64(bytes)) }
	needs := map[node]float64{}
	for _, e := range events {
		needs[e.of] += cost(e)
	}
	left, part := 1+1e-9, math.Inf(1) // sums of many parts are not exact
	sorted := slices.Sorted(maps.Values(needs))
	for i, need := range sorted {
		if nodes := float64(len(sorted) - i); need*nodes > left {
			part = left / nodes
			break
		}
		left -= need
	}
	out, taken := make([]bool, len(events)), map[node]float64{}
	for i, e := range slices.Backward(events) {
		taken[e.of] += cost(e)
		out[i] = taken[e.of] > part
	}
	return out
}
