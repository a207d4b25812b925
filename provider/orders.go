package provider

import "github.com/ovi-project/ovi/resource"

// Orders are the instructions of a central orchestrator about the new configurations of a site. They name
// only configurations that were reported to it.
type Orders struct {
	Number   uint64      `json:"number"` // grows with each change; 0 means that there are none
	Frozen   bool        `json:"frozen,omitempty"`
	Who      string      `json:"who,omitempty"`
	Reason   string      `json:"reason,omitempty"`
	Promoted []Promotion `json:"promoted,omitempty"`
}

// Promotion lets the waves of a configuration start, up to one.
type Promotion struct {
	Name    string `json:"name"`    // of the resources
	Version string `json:"version"` // digest of the configuration
	Wave    int    `json:"wave"`
	Who     string `json:"who,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// SiteStatus holds the recorded state of the new configurations of a site.
type SiteStatus struct {
	Order    uint64   // the number of the newest recorded orders; 0 means none
	Orders   []string // what keeps configurations from starting, a sentence each
	Rollouts []RolloutStatus
	// Configured are the resources that the site must run; empty if plans are not applied.
	Configured []resource.Desired
	// Names are the names in their system of resources that have another one there: those that were renamed.
	Names map[resource.Ref]string
}

// RolloutStatus is the progress of the newest configuration of the resources of one name.
type RolloutStatus struct {
	Name    string
	Version string // digest of the configuration
	Reach   int    // the newest wave that has started
	Of      int    // how many there are
	Text    string // that, for users
}

// SiteReporter is a Provider with a central orchestrator, which hears of this, or with agents that get what they need
// to
// know of a configuration where nothing is to change. A status that it has heard of
// costs nothing.
type SiteReporter interface {
	ReportSite(site string, s SiteStatus) error
}

// OrderWords are the words for orders about the resources of a provider, in reasons and suggestions.
type OrderWords struct {
	By       string // who orders, after "frozen by"
	Unfreeze string // the suggestion that ends a freeze, with %s for its target
	Unlock   string // the suggestion that ends a lock, with %s for its target
}

// Ordered is a Provider with words for orders.
type Ordered interface {
	OrderWords() OrderWords
}
