package api

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// UnknownState is the health of a resource whose state this version does not know, and its message. AWS adds states:
// such a resource is never healthy, and no wait counts it as failed.
func UnknownState[S ~string](state S) (resource.Health, string) {
	return resource.Unclear,
		fmt.Sprintf("AWS reports the state %q, which this version of ovi does not know", string(state))
}
