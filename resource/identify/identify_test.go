package identify_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/identify"
)

type schemas struct{}

func (schemas) Kind(_, kind string) (resource.Kind, bool) {
	return resource.Kind{
		Provider: "aws", Name: kind, Identifier: map[string]string{"role": "identifier"}[kind],
		Attrs: []resource.Attribute{{Name: "identifier", Type: resource.TString, Pattern: "[a-z-]{1,9}"}},
	}, true
}

// TestNames: the attribute is set where a block sets none, for the creation alone, and checked by its schema.
func TestNames(t *testing.T) {
	t.Parallel()
	desired := func(kind, name string, attrs ...resource.Attr) *resource.Desired {
		return &resource.Desired{Ref: resource.Ref{Provider: "aws", Location: "here", Kind: kind, Name: name}, Attrs: attrs}
	}
	all := []*resource.Desired{
		desired("role", "web"), desired("role", "own", resource.Attr{Name: "identifier", Value: resource.String("a")}),
		desired("vpc", "main"), desired("role", "frontend"),
	}
	var wrong []string
	for _, f := range identify.Names("dev-${name}", all, schemas{}) {
		wrong = append(wrong, f.Ref.Name+" "+f.Path)
	}
	if diff := cmp.Diff([]string{"frontend name"}, wrong); diff != "" {
		t.Error(diff)
	}
	for i, want := range []struct {
		name   resource.Value
		ignore []string
	}{{resource.String("dev-web"), []string{"identifier"}}, {resource.String("a"), nil}, {nil, nil}} {
		if got, _ := all[i].Attrs.Get("identifier"); got != want.name || !cmp.Equal(all[i].Ignore, want.ignore) {
			t.Errorf("%s: %v, ignored %v", all[i].Ref, got, all[i].Ignore)
		}
	}
	if same := desired("role", "web"); identify.Names("", []*resource.Desired{same}, schemas{}) != nil || same.Attrs != nil {
		t.Errorf("without a pattern: %v", same.Attrs)
	}
}
