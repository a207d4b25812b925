// Package recovery turns the answers of providers into recorded live state, and finds in it the results of
// actions that have none.
//
// Every observation passes through Confirm. It determines the ownership of each resource, records the
// observation, and recovers the open actions whose claim has ended. It excludes resources that a running
// create of another process made. Recovery calls providers to observe only, and changes no resource.
package recovery

import (
	"github.com/ovi-project/ovi/engine/parts"
)

// Recovery confirms observations and recovers actions.
type Recovery struct{ *parts.Parts }
