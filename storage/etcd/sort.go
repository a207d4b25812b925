package etcd

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/storage"
)

func sortEntries(es []storage.Entry) {
	slices.SortFunc(es, func(a, b storage.Entry) int { return strings.Compare(a.Key, b.Key) })
}
