package node

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/resource"
)

// stopped is a host whose containers do not run. It notes which are started, and one does not become healthy.
type stopped struct {
	provider.Provider
	provider.Swapper
	all     []resource.Observed
	started []string
	broken  string
}

func (h *stopped) Observe(context.Context, provider.ObserveRequest) (resource.Snapshot, error) {
	return resource.Snapshot{Resources: h.all}, nil
}

func (h *stopped) Update(_ context.Context, r provider.Request) (resource.Observed, error) {
	h.started = append(h.started, r.Have.Ref.Name)
	o := r.Have
	if o.Health = resource.Healthy; o.Ref.Name == h.broken {
		return o, errors.New("it does not start")
	}
	return o, nil
}

// TestANodeStartsWhatOthersDependOnFirst, without its orchestrator. What fails to start, is missing or depends on
// itself keeps nothing from starting.
func TestANodeStartsWhatOthersDependOnFirst(t *testing.T) {
	t.Parallel()
	h := &stopped{Provider: podman.New(podman.Options{}), broken: "ovi-db"}
	var d link.Desired
	for name, after := range map[string][]string{"api": {"cache", "db"}, "cache": {"db", "gone"}, "db": nil, "web": {"api"}, "x": {"y"}, "y": {"x"}} {
		item := link.Item{Name: name, Instance: "k-" + name}
		spec, _ := json.Marshal(item.Spec)
		marks, _ := json.Marshal(item.Marks)
		h.all = append(h.all, resource.Observed{
			Ref: resource.Ref{Kind: containerKind, Name: namePrefix + name}, ID: name, Health: resource.Stopped,
			Attrs: resource.NewAttrs(resource.Attr{Name: "labels", Value: resource.TextAttrs(map[string]string{
				labelNode: "berlin/n1", labelName: name, labelInstance: item.Instance, labelSpec: string(spec), labelMarks: string(marks),
			})}),
		})
		d.Deployments = append(d.Deployments, link.Deployment{Name: name, Instance: item.Instance, After: after})
	}
	slices.SortFunc(h.all, func(a, b resource.Observed) int { return a.Ref.Compare(b.Ref) })
	r, err := newRuntime(Options{Site: "berlin", Node: "n1", Containers: h})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.resume(t.Context(), d, true); err == nil {
		t.Error("that one does not start is no error")
	}
	want := []string{"ovi-db", "ovi-cache", "ovi-api", "ovi-web", "ovi-x", "ovi-y"}
	if diff := cmp.Diff(want, h.started); diff != "" {
		t.Errorf("started (-want +got):\n%s", diff)
	}
}
