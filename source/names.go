package source

import (
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

// rename returns a ref with its stack and the draft's prefix.
func (d *Draft) rename(r resource.Ref) resource.Ref {
	if outputs.IsRef(r) {
		return r
	}
	r.Stack, r.Name = d.Stack, d.Prefix+r.Name
	return r
}

// name gives all refs of an intent their stack, which a source may say last, and the draft's
// prefix. It changes the resources of the draft.
func (d *Draft) name(in *resource.Intent) {
	rename := d.rename
	nameFormer(d, in)
	in.Outputs, _ = resource.MapRefs(in.Outputs, func(r resource.Reference) resource.Value {
		return resource.Reference{Ref: rename(r.Ref), Path: r.Path}
	}).(resource.Attrs)
	for i := range in.Lookups {
		in.Lookups[i].Ref = rename(in.Lookups[i].Ref)
	}
	named := map[*resource.Ref]bool{} // resources share lists of dependencies, and attributes
	with := map[*resource.Attr]resource.Attrs{}
	for i := range in.Resources {
		w := &in.Resources[i]
		w.Ref = rename(w.Ref)
		if len(w.DependsOn) == 0 {
			continue
		}
		if first := &w.DependsOn[0]; !named[first] {
			named[first] = true
			for k := range w.DependsOn {
				w.DependsOn[k] = rename(w.DependsOn[k])
			}
		}
		if len(w.Attrs) == 0 || !resource.HasReferences(w.Attrs) {
			continue
		}
		attrs, ok := with[&w.Attrs[0]]
		if !ok {
			attrs, _ = resource.MapRefs(w.Attrs, func(r resource.Reference) resource.Value {
				return resource.Reference{Ref: rename(r.Ref), Path: r.Path}
			}).(resource.Attrs)
			with[&w.Attrs[0]] = attrs
		}
		w.Attrs = attrs
	}
}
