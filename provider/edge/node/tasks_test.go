package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// TestAReportShowsADelete: a delete is pending while it is queued; a deployment that is gone is not in the report.
func TestAReportShowsADelete(t *testing.T) {
	t.Parallel()
	remove := task{Request: link.Request{ID: "d", Verb: link.Delete, Name: "web"}, to: link.Deployment{Name: "web"}}
	install := task{Request: link.Request{ID: "i", Verb: link.Install, Name: "web"}, to: link.Deployment{Name: "web", Instance: "k2", Spec: link.Spec{Version: "2"}}}
	runs := link.Item{Name: "web", Instance: "k1", Spec: link.Spec{Version: "1"}, Phase: link.Installed, Health: resource.Healthy}
	as := func(change func(*link.Item)) []link.Item {
		i := runs
		change(&i)
		return []link.Item{i}
	}
	for name, x := range map[string]struct {
		items []link.Item
		queue []task
		want  []link.Item
	}{
		"queued":                 {[]link.Item{runs}, []task{remove}, as(func(i *link.Item) { i.Phase, i.Health = link.Pending, resource.Pending })},
		"done":                   {nil, []task{remove}, nil},
		"followed by an install": {nil, []task{remove, install}, []link.Item{{Name: "web", Instance: "k2", Spec: link.Spec{Version: "2"}, Phase: link.Installing, Health: resource.Pending}}},
	} {
		if diff := cmp.Diff(x.want, overlay(x.items, x.queue)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
