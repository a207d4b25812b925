package byhand

import (
	"testing"

	"github.com/ovi-project/ovi/provider/podman/schema"
	"github.com/ovi-project/ovi/resource"
)

type values = map[string]resource.Value

func text(s string) resource.String { return resource.String(s) }

func texts(all ...string) (out resource.List) {
	for _, s := range all {
		out = append(out, resource.String(s))
	}
	return out
}

func object(m values) resource.Attrs { return resource.AttrsOf(m) }

func at(kind, name string) resource.Ref {
	return resource.Ref{Provider: schema.Name, Location: "local", Kind: kind, Name: name}
}

func to(kind, name string) resource.Reference { return resource.Reference{Ref: at(kind, name)} }

// configured is a resource as a checked chart declares it.
func configured(t *testing.T, kind, name string, attrs values) resource.Desired {
	t.Helper()
	for _, k := range schema.Kinds() {
		if k.Name != kind {
			continue
		}
		checked, problems := resource.Check(k, object(attrs))
		if len(problems) > 0 {
			t.Fatalf("%s/%s: %v", kind, name, problems)
		}
		return resource.Desired{Ref: at(kind, name), Attrs: checked}
	}
	t.Fatalf("no kind %s", kind)
	return resource.Desired{}
}
