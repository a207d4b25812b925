package node

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge/link"
	"github.com/ovi-project/ovi/provider/podman"
	"github.com/ovi-project/ovi/resource"
)

// swapping is a host on which an update has created its new container, beside the old one that holds its port until
// release is closed.
type swapping struct {
	provider.Provider
	provider.Swapper
	release chan struct{}

	mu   sync.Mutex
	all  []resource.Observed
	said []string
}

func (h *swapping) Observe(context.Context, provider.ObserveRequest) (resource.Snapshot, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return resource.Snapshot{Resources: h.all}, nil
}

func (h *swapping) Create(_ context.Context, r provider.Request) (resource.Observed, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, "create "+r.Desired.Ref.Name)
	return resource.Observed{Ref: r.Desired.Ref, Health: resource.Healthy}, nil
}

// Delete removes the old container at the end of an update.
func (h *swapping) Delete(_ context.Context, r provider.Request) error {
	<-h.release
	h.mu.Lock()
	defer h.mu.Unlock()
	h.said = append(h.said, "delete "+r.Have.Ref.Name)
	h.all = h.all[:1]
	return nil
}

func specOn(port int64) link.Spec {
	return link.Spec{Version: "1", Image: "i", Ports: []link.Port{{Container: 80, Host: port}}}
}

// publishing is a container of a deployment that publishes a host port.
func publishing(deployment, name string, port int64) resource.Observed {
	spec, _ := json.Marshal(specOn(port))
	return resource.Observed{
		Ref: resource.Ref{Kind: containerKind, Name: name}, ID: name, Health: resource.Healthy,
		Attrs: resource.NewAttrs(resource.Attr{Name: "labels", Value: resource.TextAttrs(map[string]string{
			labelNode: "berlin/n1", labelName: deployment, labelInstance: "k-" + deployment, labelSpec: string(spec), labelMarks: "{}",
		})}),
	}
}

// TestARequestWaitsForAPortThatAnEarlierOneGivesUp: the report of an update has its new port before the old container is
// gone, so that the orchestrator hands the old port on. A request for it once failed, and was repeated only after a
// pause. One for another port does not wait, and a later request delays none.
func TestARequestWaitsForAPortThatAnEarlierOneGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &swapping{
			Provider: podman.New(podman.Options{}), release: make(chan struct{}),
			all: []resource.Observed{publishing("b", "ovi-b", 81), publishing("b", "ovi-b-old-1", 80)},
		}
		o := Options{Site: "berlin", Node: "n1", Containers: h, Log: hclog.NewNullLogger()}
		r, err := newRuntime(o)
		if err != nil {
			t.Fatal(err)
		}
		d := link.Desired{Node: "berlin/n1", Generation: 1}
		for name, port := range map[string]int64{"b": 81, "a": 80, "c": 90} {
			d.Deployments = append(d.Deployments, link.Deployment{Name: name, Instance: "k-" + name, Spec: specOn(port)})
		}
		a := &agent{
			Options: o, runtime: r, holder: &holder{now: d, held: link.Held{Generation: 1}}, changed: make(chan struct{}, 1),
			busy: map[string]bool{}, last: map[string]resource.Request{}, shown: map[string]link.Status{},
		}
		for i, name := range []string{"b", "a", "c"} {
			a.accept(t.Context(), link.Request{Seq: uint64(i), ID: fmt.Sprint(i), Verb: link.Update, Name: name, Generation: 1})
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"create ovi-c"}, h.said); diff != "" {
			t.Errorf("while the old container holds its port (-want +got):\n%s", diff)
		}
		close(h.release)
		a.doing.Wait()
		if diff := cmp.Diff([]string{"create ovi-c", "delete ovi-b-old-1", "create ovi-a"}, h.said); diff != "" {
			t.Errorf("then (-want +got):\n%s", diff)
		}
	})
}
