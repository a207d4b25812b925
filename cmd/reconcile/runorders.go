package reconcile

import (
	"sync"

	"github.com/ovi-project/ovi/engine/loop"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// heldOrders are the newest orders of central orchestrators, by site.
type heldOrders struct {
	mu  sync.Mutex
	all map[string]provider.Orders
}

func (h *heldOrders) set(site string, o provider.Orders) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]provider.Orders{}
	}
	h.all[site] = o
}

func (h *heldOrders) of(site string) provider.Orders {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.all[site]
}

// reportSite gives the providers that have a central orchestrator what a cycle has put on record for it.
func (k *runner) reportSite(c loop.Cycle) {
	l := k.line.Load()
	if l == nil || c.Planned == nil || !c.Led {
		return
	}
	for _, p := range l.Kinds {
		r, is := p.(provider.SiteReporter)
		if !is {
			continue
		}
		status := siteStatus(c)
		if k.options.Apply {
			status.Configured, status.Names = configuredOf(c), naturalNames(c)
		}
		if err := r.ReportSite(c.Stack, status); err != nil {
			k.Log.Warn("the central orchestrator does not hear of waves and orders, or a node of the order of its deployments",
				"error", err)
		}
	}
}

func siteStatus(c loop.Cycle) provider.SiteStatus {
	s := provider.SiteStatus{Order: c.Order}
	for _, o := range c.Planned.Orders(c.Stack) {
		if o.Order != event.Promote {
			s.Orders = append(s.Orders, phrase.Operator(o))
		}
	}
	for _, r := range c.Planned.Rollouts() {
		if r.Stack == c.Stack {
			s.Rollouts = append(s.Rollouts, provider.RolloutStatus{
				Name: r.Name, Version: r.Version, Reach: r.Reach, Of: r.Of,
				Text: phrase.Operator(r.Wave),
			})
		}
	}
	return s
}

// naturalNames maps the refs of renamed resources to their names in their systems.
func naturalNames(c loop.Cycle) map[resource.Ref]string {
	out := map[resource.Ref]string{}
	for _, s := range c.Planned.Live.Scopes {
		for i := range s.Resources {
			if o := &s.Resources[i]; o.Managed() && o.Natural != "" {
				out[o.Ref] = o.Natural
			}
		}
	}
	return out
}

// configuredOf is what is configured in the stack of a cycle.
func configuredOf(c loop.Cycle) (all []resource.Desired) {
	for i := range c.Planned.Intents {
		if c.Planned.Intents[i].Stack == c.Stack {
			all = append(all, c.Planned.Intents[i].Resources...)
		}
	}
	return all
}
