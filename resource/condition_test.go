package resource_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

// TestOneMissingPartIsNoProofOfAStoppedCreation: the condition follows from all evidence, and what was not read
// counts as doubt.
func TestOneMissingPartIsNoProofOfAStoppedCreation(t *testing.T) {
	t.Parallel()
	sign := func(what string) resource.Sign { return resource.Sign{What: what, Known: true, Seen: true} }
	gone := func(what string) resource.Sign { return resource.Sign{What: what, Known: true} }
	unread := func(what, why string) resource.Sign { return resource.Sign{What: what, Why: why} }
	type signs = []resource.Sign
	for _, c := range []struct {
		parts, uses signs
		want        resource.Condition
		why         string
	}{
		{signs{sign("a file"), sign("a port")}, nil, "", ""},
		{signs{sign("a file"), sign("a port")}, signs{gone("users")}, "", ""},
		{signs{sign("a file"), unread("a port", "denied")}, signs{gone("users")}, resource.Unreadable, "a port: denied"},
		{signs{gone("a file"), unread("a port", "denied")}, signs{gone("users")}, resource.Unreadable, "a port: denied"},
		{signs{gone("a file"), unread("a port", "")}, signs{unread("users", "")}, resource.Unreadable, "a port"},
		{signs{gone("a file"), sign("a port")}, signs{gone("a mark"), sign("users")}, resource.Broken, "a file is missing, and it has users"},
		{signs{gone("a file"), gone("a port")}, signs{sign("users")}, resource.Broken, "a file and a port are missing, and it has users"},
		{signs{gone("a file")}, signs{unread("users", "denied")}, resource.Broken, "a file is missing; whether it has users could not be read"},
		{signs{gone("a file"), sign("a port")}, signs{gone("a mark"), gone("users")}, resource.Unfinished, "its creation stopped: a file is missing"},
		{signs{{}}, nil, resource.Unreadable, ""},
	} {
		if got, why := resource.Conclude(c.parts, c.uses); got != c.want || why != c.why {
			t.Errorf("%+v %+v: %q %q, want %q %q", c.parts, c.uses, got, why, c.want, c.why)
		}
	}
}
