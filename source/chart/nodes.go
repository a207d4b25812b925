package chart

import (
	"slices"

	"github.com/ovi-project/ovi/source"
)

// put replaces the value of a key, or removes the key if there is none.
func put(spec *source.Node, key string, v *source.Node) {
	for i := 0; i+1 < len(spec.Kids); i += 2 {
		if spec.Kids[i].Text != key {
			continue
		}
		if v == nil {
			spec.Kids = slices.Delete(slices.Clone(spec.Kids), i, i+2)
			return
		}
		spec.Kids = slices.Clone(spec.Kids)
		spec.Kids[i+1] = *v
		return
	}
	if v != nil {
		k := *v
		k.Shape, k.Type, k.Text, k.Kids, k.Parts = source.Scalar, source.String, key, nil, nil
		spec.Kids = append(slices.Clone(spec.Kids), k, *v)
	}
}
