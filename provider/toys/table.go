// Package toys is a table of small providers for what the real ones do not exercise together:
// labels fixed at creation and swaps, a scope inside a resource, reports with an age, and
// actions that are accepted and done later. Tests use them.
package toys

import (
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/box"
	"github.com/ovi-project/ovi/provider/toys/nest"
	"github.com/ovi-project/ovi/provider/toys/post"
	"github.com/ovi-project/ovi/provider/toys/slow"
)

// Table lists the toys.
func Table() []provider.Entry {
	return []provider.Entry{
		box.Entry(),
		nest.Entry(),
		post.Entry(),
		slow.Entry(),
	}
}
