package config

import (
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

// updateItem is how the resources of a count or for_each are changed, while it is read.
type updateItem struct{ *block }

func updateKeys() []read.Key[*updateItem] {
	return []read.Key[*updateItem]{
		{
			Name: "max_unavailable", Example: "1", Form: read.FormBudget, Read: (*updateItem).readMaxUnavailable,
			Doc: "How many of the count or for_each are restarted, replaced or not healthy at a time: a number, or a " +
				"share, which rounds down; one always may. The next is changed once one before it is " +
				"healthy. Default: 25%.",
		},
	}
}

func (b *block) readUpdate(n *source.Node) {
	if b.n.Get("count") == nil && b.r.Block == "" {
		b.Wrong(n, "update says how the resources of a count or for_each are changed, and there is none",
			"add count or for_each, or remove update")
	}
	read.Keys(b.Reader, &updateItem{b}, updateKeys(), n, "update")
}

func (u *updateItem) readMaxUnavailable(n *source.Node) {
	s, ok := u.Text(n, "max_unavailable")
	if !ok {
		return
	}
	budget, err := rules.ParseBudget(s)
	if err != nil || budget.Count == 0 {
		u.Wrong(n, "invalid max_unavailable "+source.Quote(s),
			"use a number of resources, for example 1, or a share, for example 25%")
		return
	}
	u.r.MaxUnavailable = budget
}
