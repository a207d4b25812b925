package event

// Order is what is ordered about new configurations of the resources of a stack.
type Order string

// The orders.
const (
	Freeze  Order = "freeze"  // none starts, by a central orchestrator
	Lock    Order = "lock"    // none starts, by an operator
	Promote Order = "promote" // waves may start that wait for it
)

// Ordered records an order, or its end. Updates in progress finish.
type Ordered struct {
	Stack    string `json:"stack"`
	Location string `json:"location,omitempty"` // default: all
	Name     string `json:"name,omitempty"`     // of resources; default: all
	Order    Order  `json:"order"`
	On       bool   `json:"on"` // false if the order ended
	// Version and Wave name the configuration and the last wave that a promotion lets start.
	Version string `json:"version,omitempty"`
	Wave    int    `json:"wave,omitempty"`
	// Central is the number of the central orchestrator's order, or 0 if an operator gave the order here.
	Central uint64 `json:"central,omitempty"`
	Who     string `json:"who,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Target is what the order is about, as its command names it.
func (e Ordered) Target() string {
	switch {
	case e.Location == "" && e.Name == "":
		return e.Stack
	case e.Location == "":
		return e.Stack + "/" + e.Name
	case e.Name == "":
		return e.Location
	}
	return e.Location + "/" + e.Name
}

// Covers reports whether the order is about a resource of its stack.
func (e Ordered) Covers(location, name string) bool {
	return (e.Location == "" || e.Location == location) && (e.Name == "" || e.Name == name)
}

// Alarmed records a finding of a provider that only an attack or a mistake explains.
type Alarmed struct {
	Provider string `json:"provider,omitempty"`
	Location string `json:"location,omitempty"`
	Text     string `json:"text"`
}
