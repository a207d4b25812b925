package event

// Order is an instruction about new configurations of the resources of a stack.
type Order string

// The orders.
const (
	Freeze  Order = "freeze"  // none starts, by a central orchestrator
	Lock    Order = "lock"    // none starts, by an operator
	Promote Order = "promote" // waves may start that wait for it
)

// Ordered records an order, or its end. What a configuration has reached already goes on.
type Ordered struct {
	Stack    string `json:"stack"`
	Location string `json:"location,omitempty"` // "": all
	Name     string `json:"name,omitempty"`     // of resources; "": all
	Order    Order  `json:"order"`
	On       bool   `json:"on"` // false: it ended
	// Version and Wave are up to which wave of which configuration Promote lets start.
	Version string `json:"version,omitempty"`
	Wave    int    `json:"wave,omitempty"`
	// Central is the number of the order of a central orchestrator; 0: an operator gave it here.
	Central uint64 `json:"central,omitempty"`
	Who     string `json:"who,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Target returns the object of the order in the form that its command takes.
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

// Alarmed records what only an attack or a mistake explains.
type Alarmed struct {
	Provider string `json:"provider,omitempty"`
	Location string `json:"location,omitempty"`
	Text     string `json:"text"`
}
