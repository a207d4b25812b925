package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/resource"
)

// TestAReportShowsADelete: it is pending while it is queued, and failed when it was; what is gone is not in it.
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
		items  []link.Item
		queue  []task
		failed map[string]failure
		want   []link.Item
	}{
		"queued": {[]link.Item{runs}, []task{remove}, nil, as(func(i *link.Item) { i.Phase, i.Health = link.Pending, resource.Pending })},
		"done":   {nil, []task{remove}, nil, nil},
		"failed": {[]link.Item{runs}, nil, map[string]failure{"web": {remove, "the disk is read-only", resource.Transient}}, as(func(i *link.Item) {
			i.Phase, i.Health, i.Cause, i.Message = link.Failed, resource.Failing, resource.Transient, "DeleteRequest of version 1 failed: the disk is read-only"
		})},
		"failed, and it is gone": {nil, nil, map[string]failure{"web": {remove, "lost", ""}}, nil},
		"followed by an install": {nil, []task{remove, install}, nil, []link.Item{{Name: "web", Instance: "k2", Spec: link.Spec{Version: "2"}, Phase: link.Installing, Health: resource.Pending}}},
	} {
		if diff := cmp.Diff(x.want, overlay(x.items, x.queue, x.failed)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
