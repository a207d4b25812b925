package rows

import (
	"time"

	"github.com/ovi-project/ovi/resource"
)

// Down is an entry in the value of down/<scope>: a managed resource that is not healthy.
type Down struct {
	Health resource.Health `json:"health"`
	Since  time.Time       `json:"since"` // it has this health
	Down   time.Time       `json:"down"`  // it is not healthy
}

// Restarts is the value of restarts/<ref>: the last actions on a resource because of its state.
type Restarts struct {
	Desired string      `json:"desired"` // digest of the configuration
	At      []time.Time `json:"at"`      // when they started, oldest first
}

// Fights is the value of fights/<ref>: the values that ovi set once more because they were set back outside it.
type Fights struct {
	Desired string           `json:"desired"` // digest of the configuration
	Values  map[string]Fight `json:"values"`  // by path
}

// Fight is a value that was set back. It counts in a row: another value that is found begins a new count.
type Fight struct {
	Found string    `json:"found"` // what it was set back to, as text
	Times int       `json:"times"` // how often ovi undid that
	Last  time.Time `json:"last"`
}

// DownIn returns the key of the resources that are down in a scope.
func DownIn(s resource.Scope) string { return KeyDown + s.String() }
