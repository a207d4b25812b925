package phrase

import (
	"time"

	"github.com/ovi-project/ovi/ledger/event"
)

// Unread says which part of a source cannot be read, why, and what ovi does meanwhile. A part that
// was never read has no accepted configuration to heal from.
func Unread(u event.Unread, now time.Time) string {
	part := u.Part
	if part == "" {
		part = "the source of stack " + u.Stack
	}
	text := part + " cannot be read: " + u.Why + "; "
	// it may configure any name, so that no resource of the stack is known to be unwanted
	if u.Unknown {
		return text + "it was never read, so no resource of stack " + u.Stack + " is deleted"
	}
	if u.Never {
		return text + "it was never read; until it can be read, its resources are not created, changed or deleted"
	}
	text += "it was read last " + Age(now.Sub(u.Read)) + " ago; until it can be read, its resources are healed, and not "
	// a name that cannot be read may belong to any resource of the stack
	if u.Any {
		return text + "created or changed, and no resource of stack " + u.Stack + " is deleted"
	}
	return text + "created, changed or deleted"
}
