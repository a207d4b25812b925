package simulate

import (
	"context"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/ovi-project/ovi/provider/edge/link"
)

// probeWait is how long an answer may take.
const probeWait = 30 * time.Second

// Answers are how long an orchestrator took to answer.
type Answers struct {
	Times []time.Duration // of each answer, shortest first
	None  int             // requests without an answer within 30 s
}

// Median is the middle of the times; 0 means that there are none.
func (a Answers) Median() time.Duration {
	if len(a.Times) == 0 {
		return 0
	}
	return a.Times[len(a.Times)/2]
}

// Worst is the longest of the times; 0 means that there are none.
func (a Answers) Worst() time.Duration {
	if len(a.Times) == 0 {
		return 0
	}
	return a.Times[len(a.Times)-1]
}

// Probe sends the orchestrator a request every so often until the context ends, and waits for all answers then. Each
// is that of a node that enrolls, on a connection of its own, with a token that is unknown: the answer is that it is
// refused. It changes nothing.
func (f *Fleet) Probe(ctx context.Context, every time.Duration) (a Answers) {
	var mu sync.Mutex
	var asking sync.WaitGroup
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		asking.Go(func() {
			took, answered := f.probe(context.WithoutCancel(ctx))
			mu.Lock()
			defer mu.Unlock()
			if answered {
				a.Times = append(a.Times, took)
			} else {
				a.None++
			}
		})
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	asking.Wait()
	slices.Sort(a.Times)
	return a
}

// probe sends one request.
func (f *Fleet) probe(ctx context.Context) (took time.Duration, answered bool) {
	ctx, stop := context.WithTimeout(ctx, probeWait)
	defer stop()
	start := time.Now()
	_, err := link.Enroll(ctx, f.Address, f.nodes[0].secure, link.EnrollRequest{Token: "unknown"})
	return time.Since(start), status.Code(err) == codes.PermissionDenied
}
