package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// waits are the resources of counts that an apply waits for, oldest first.
type waits struct {
	order []resource.Ref
	since map[resource.Ref]time.Time
	why   map[resource.Ref]string
}

// Waits shows that the apply waits until a resource is healthy, and why it is not; "" ends that.
func (p *Progress) Waits(ref resource.Ref, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.style.Quiet {
		return
	}
	known := slices.Contains(p.held.order, ref)
	switch {
	case why == "":
		p.held.order = slices.DeleteFunc(p.held.order, func(r resource.Ref) bool { return r == ref })
		return
	case !known && !p.style.Live:
		p.write(strings.Join(p.entry("#", shortName(p.steps.names.Ref(ref)), waitText(why)), ""))
	}
	if p.held.since == nil {
		p.held.since, p.held.why = map[resource.Ref]time.Time{}, map[resource.Ref]string{}
	}
	if p.held.why[ref] = why; !known {
		p.held.order = append(p.held.order, ref)
		p.held.since[ref] = time.Now()
	}
}

func waitText(why string) string { return "waiting until it is healthy; it is " + why }

// waitLines are the lines of what is waited for, as far as running actions leave room.
func (p *Progress) waitLines(order []resource.Ref, now time.Time) (out []string) {
	for i, ref := range p.held.order {
		if len(order)+i >= p.rows {
			break
		}
		elapsed := max(now.Sub(p.held.since[ref]), 0).Truncate(time.Second)
		text := fmt.Sprintf("%s  %s... %s", term.Pad(shortName(p.steps.names.Ref(ref)), p.nameRoom()),
			waitText(p.held.why[ref]),
			elapsed)
		out = append(out, p.style.Colored("#")+" "+term.Truncate(term.OneLine(text), max(p.style.Width-3, 20)))
	}
	return out
}
