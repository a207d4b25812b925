package api

import (
	"sync"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Sweep is one observation of a region. A list that two kinds need is read once.
type Sweep struct {
	*Region
	Filter *provider.Filter // if nil, all is listed
	lists  sync.Map         // by name: the reads of once
}

// Once reads a list of a sweep that several kinds need: who asks first reads it for all. They all
// get its error. A name stands for one type T.
func Once[T any](s *Sweep, name string, read func() ([]T, error)) ([]T, error) {
	v, _ := s.lists.LoadOrStore(name, sync.OnceValues(read))
	return v.(func() ([]T, error))()
}

// ObservedAs returns what a list observed, or the error of the list.
func ObservedAs[T any](s *Sweep, all []T, err error, observed func(*Region, T) resource.Observed) ([]resource.Observed,
	error,
) {
	if err != nil {
		return nil, err
	}
	out := make([]resource.Observed, len(all))
	for i := range all {
		out[i] = observed(s.Region, all[i])
	}
	return out, nil
}
