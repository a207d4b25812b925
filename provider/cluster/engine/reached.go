package engine

import (
	"sync"

	"github.com/ovi-project/ovi/provider/cluster/kube"
)

// Reached is how the clusters that were observed are reached, by the location inside of them: what is inside of
// a cluster is read right after the cluster. One that was created again has another authority, so that what is known
// of the one before reaches nothing.
type Reached struct {
	mu  sync.Mutex
	all map[string]kube.Config
}

// Get returns how a cluster is reached; false if it was not observed.
func (r *Reached) Get(location string) (kube.Config, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, known := r.all[location]
	return c, known
}

func (r *Reached) set(location string, c kube.Config) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[string]kube.Config{}
	}
	r.all[location] = c
}

// forget ends what is known of a cluster that cannot be reached so.
func (r *Reached) forget(location string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, location)
}
