package config

import (
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
)

// updateItem is how the resources of a count are changed, while it is read.
type updateItem struct{ *block }

func updateKeys() []key[*updateItem] {
	return []key[*updateItem]{
		{
			name: "max_unavailable", example: "1", form: formBudget,
			doc: "How many of the count are restarted, replaced or not healthy at a time: a number, or a " +
				"share, which rounds down; one always may. The next is changed once one before it is " +
				"healthy. Default: 25%.",
			read: (*updateItem).readMaxUnavailable,
		},
	}
}

func (b *block) readUpdate(n *source.Node) {
	if b.n.Get("count") == nil {
		b.wrong(n, "update says how the resources of a count are changed, and there is no count", "add count, or remove update")
	}
	readKeys(b.reader, &updateItem{b}, updateKeys(), n, "update")
}

func (u *updateItem) readMaxUnavailable(n *source.Node) {
	s, ok := u.text(n, "max_unavailable")
	if !ok {
		return
	}
	budget, err := rules.ParseBudget(s)
	if err != nil || budget.Count == 0 {
		u.wrong(n, "invalid max_unavailable "+source.Quote(s), "use a number of resources, for example 1, or a share, for example 25%")
		return
	}
	u.r.MaxUnavailable = budget
}
