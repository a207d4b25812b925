package aws_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func (w *liveState) ready(all ...resource.Observed) (out []string) {
	w.t.Helper()
	got, err := w.p.Ready(w.t.Context(), all)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, o := range got {
		out = append(out, string(o.Health)+" "+o.Message)
	}
	return out
}

// TestA6AnInstanceIsInServiceOnceItsChecksPass: one that runs may not have started its programs yet.
func TestA6AnInstanceIsInServiceOnceItsChecksPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newLiveState(t, sandbox.WithSettle(10*time.Second))
		web := w.make(desired(t, "ec2", "web", values{"size": text("t3.micro")}))
		stopped, deleted := web, web
		stopped.Health = resource.Stopped
		deleted.ID = "i-0123456789abcdef0"
		expect := func(when string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, w.ready(web, stopped)); diff != "" {
				t.Errorf("%s: %s", when, diff)
			}
		}
		expect("right after its start", "pending its system status check is initializing", "stopped ")
		time.Sleep(2 * time.Minute)
		expect("later", "healthy ", "stopped ")
		w.broken(sandbox.Breakage{Do: "fail", Kind: "ec2", Resource: web.ID, Value: "impaired"})
		expect("impaired", "failing its instance status check failed", "stopped ")
		if n := w.count("ec2.DescribeInstanceStatus"); n != 3 {
			t.Errorf("%d calls, want one each time", n)
		}
		if all, err := w.p.Ready(t.Context(), []resource.Observed{deleted}); err == nil {
			t.Errorf("of an instance that does not exist it says %+v", all)
		}
	})
}
