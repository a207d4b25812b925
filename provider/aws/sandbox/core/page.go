package core

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Cut returns one page of a list that is sorted by birth, and the token of the
// next one, empty on the last page.
func Cut[T Entity](list []T, tok string, size int) ([]T, string, bool) {
	page, after := 1, int64(-1<<62)
	if tok != "" {
		var ok bool
		if page, after, ok = wire.ReadToken(tok); !ok {
			return nil, "", false
		}
	}
	start := 0
	for start < len(list) && list[start].Meta().Seq <= after {
		start++
	}
	list = list[start:]
	if size <= 0 || len(list) <= size {
		return list, "", true
	}
	return list[:size], wire.Token(page+1, list[size-1].Meta().Seq), true
}
