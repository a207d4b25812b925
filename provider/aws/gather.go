package aws

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// gather reads resources by ID for all who wait for one, in one call for many: a thousand that
// start are read together, not each by itself. It is safe for any number of goroutines and starts none:
// who asks first waits a moment for others, and reads for all of them.
type gather[T any] struct {
	read func(ctx context.Context, ids []string) (map[string]T, error)
	// step is the pause for each who asks, and most the pause for many. Who waits for a resource asks again and
	// again, so the first to ask after a read for many waits as for many: the others are about to ask too.
	step, most time.Duration

	mu      sync.Mutex
	asking  int
	last    int // how many the last read was for
	forming *round[T]
}

// round is one read. It is closed once found and err are set.
type round[T any] struct {
	ids   map[string]bool
	asked int
	done  chan struct{}
	found map[string]T
	err   error
}

// get reads one resource; false if it is not listed. The error of a read is that of all who asked.
func (g *gather[T]) get(ctx context.Context, id string) (T, bool, error) {
	r, first, pause := g.join(id)
	defer g.leave()
	if first {
		_ = sleep(ctx, pause) // one whose time is up still reads for the others
		g.do(ctx, r)
	}
	select {
	case <-r.done:
		v, ok := r.found[id]
		return v, ok, r.err
	case <-ctx.Done():
		var none T
		return none, false, context.Cause(ctx)
	}
}

func (g *gather[T]) join(id string) (r *round[T], first bool, pause time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asking++
	if first = g.forming == nil; first {
		g.forming = &round[T]{ids: map[string]bool{}, done: make(chan struct{})}
	}
	g.forming.ids[id] = true
	g.forming.asked++
	return g.forming, first, min(time.Duration(max(g.asking, g.last))*g.step, g.most)
}

func (g *gather[T]) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asking--
}

// readTime bounds a read that goes on if one who waits for it gives up.
const readTime = 2 * time.Minute

func (g *gather[T]) do(ctx context.Context, r *round[T]) {
	g.mu.Lock()
	g.forming, g.last = nil, r.asked // who comes now asks in the next round
	g.mu.Unlock()
	if r.asked > 1 {
		shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
		defer cancel()
		ctx = shared
	}
	defer close(r.done)
	r.found, r.err = g.read(ctx, slices.Sorted(maps.Keys(r.ids)))
}

// filterValues is how many values a filter of EC2 takes ("Filtering resources").
const filterValues = 200

// byFilter reads with a filter: a request that names IDs is refused as a whole if one of them does not exist.
func byFilter[T any](name string, list func(context.Context, []types.Filter) ([]T, error), id func(T) *string) func(context.Context, []string) (map[string]T, error) {
	return func(ctx context.Context, ids []string) (map[string]T, error) {
		out := make(map[string]T, len(ids))
		for some := range slices.Chunk(ids, filterValues) {
			all, err := list(ctx, where(name, some...))
			if err != nil {
				return nil, err
			}
			for _, x := range all {
				out[aws.ToString(id(x))] = x
			}
		}
		return out, nil
	}
}

// gatherers make the reads of a region that many wait for.
func gatherers(g *region) {
	g.startingInstances = &gather[types.Instance]{
		step: g.wait.First, most: g.wait.Gather,
		read: byFilter("instance-id", func(ctx context.Context, f []types.Filter) ([]types.Instance, error) {
			return instances(ctx, g, &ec2.DescribeInstancesInput{Filters: f})
		}, func(i types.Instance) *string { return i.InstanceId }),
	}
	g.changingVolumes = &gather[types.Volume]{
		step: g.wait.First, most: g.wait.Gather,
		read: byFilter("volume-id", func(ctx context.Context, f []types.Filter) ([]types.Volume, error) {
			return volumes(ctx, g, &ec2.DescribeVolumesInput{Filters: f})
		}, func(v types.Volume) *string { return v.VolumeId }),
	}
}

// pollInstance and pollVolume read one of many that are waited for.
func pollInstance(ctx context.Context, g *region, id string) (types.Instance, error) {
	i, ok, err := g.startingInstances.get(ctx, id)
	return listed(i, ok, err, "ec2.DescribeInstances", id)
}

func pollVolume(ctx context.Context, g *region, id string) (types.Volume, error) {
	v, ok, err := g.changingVolumes.get(ctx, id)
	return listed(v, ok, err, "ec2.DescribeVolumes", id)
}

func listed[T any](v T, ok bool, err error, op, id string) (T, error) {
	var all []T
	if ok {
		all = []T{v}
	}
	return only(all, err, op, id)
}
