package source

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// interner gives equal texts one memory. It also copies them out of the text of a file, which
// would otherwise live as long as the smallest word of it.
type interner struct {
	texts  map[string]string
	values map[string]resource.Value
}

// most bounds each table: a stack of nothing but different words gains nothing from more.
const most = 16384

func newInterner() interner {
	return interner{map[string]string{}, map[string]resource.Value{}}
}

func (in *interner) text(s string) string {
	if t, ok := in.texts[s]; ok {
		return t
	}
	s = strings.Clone(s)
	if len(in.texts) < most {
		in.texts[s] = s
	}
	return s
}

// value is the text as a Value, which is one more allocation to share.
func (in *interner) value(s string) resource.Value {
	if v, ok := in.values[s]; ok {
		return v
	}
	s = in.text(s)
	v := resource.Value(resource.String(s))
	if len(in.values) < most {
		in.values[s] = v
	}
	return v
}
