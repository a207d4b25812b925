package system

import (
	"encoding/json"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// marks are the marks of a cluster as they are written. They prove nothing: anyone can write them.
type marks struct {
	Ref     string `json:"ref"`
	Stack   string `json:"stack"`
	Owner   string `json:"owner"`
	Key     string `json:"key"`
	Blessed bool   `json:"blessed,omitempty"`
}

// MarksText are marks as they are written.
func MarksText(r provider.Request, key string) ([]byte, error) {
	m := marks{
		Ref: r.Desired.Ref.Bare().String(), Stack: r.Desired.Ref.Stack, Owner: r.Owner, Key: key, Blessed: r.Desired.Blessed,
	}
	if r.Desired.Owner != "" {
		m.Owner = r.Desired.Owner
	}
	return json.Marshal(m)
}

// ParseMarks reads marks as they are written. What names no resource of the kind and scope is no mark.
func ParseMarks(text []byte, scope resource.Scope, kind string) (out resource.Marks) {
	var m marks
	if json.Unmarshal(text, &m) != nil {
		return out
	}
	ref, err := resource.ParseRef(m.Ref)
	if err != nil || ref.Stack != "" || ref.Scope() != scope || ref.Kind != kind {
		return out
	}
	return resource.Marks{Ref: ref.In(m.Stack), Owner: m.Owner, Key: m.Key, Blessed: m.Blessed}
}
