package decider

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// outlive lets a resource be deleted after its dependencies, if its kind Outlives them.
func outlive(all []Decision, kinds Kinds) {
	index := byRef(all)
	for i := range all {
		d := &all[i]
		if d.Proposed != Delete || len(d.DependsOn) == 0 {
			continue
		}
		k, _ := kinds(d.Ref.Provider, d.Ref.Kind)
		for _, r := range slices.Clone(d.DependsOn) {
			j, known := index[r]
			if !known || all[j].Proposed != Delete || !slices.Contains(k.Outlives, r.Kind) {
				continue
			}
			without := slices.DeleteFunc(slices.Clone(d.DependsOn), func(x resource.Ref) bool { return x == r })
			before := d.DependsOn
			if d.DependsOn = without; reaches(all, index, d.Ref, r) { // through another resource: keep the dependency
				d.DependsOn = before
				continue
			}
			all[j].DependsOn = append(slices.Clone(all[j].DependsOn), d.Ref)
			slices.SortFunc(all[j].DependsOn, resource.Ref.Compare)
		}
	}
}
