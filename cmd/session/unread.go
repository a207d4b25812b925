package session

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// unreadOnly reports that no stack of the source could be used.
func unreadOnly(intents []resource.Intent) bool {
	return !slices.ContainsFunc(intents, func(in resource.Intent) bool { return in.Unread == "" })
}
