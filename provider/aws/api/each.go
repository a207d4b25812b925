package api

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// eachAtOnce bounds the parallel calls about single resources of a list that has no tags.
const eachAtOnce = 8

// ObserveEach reads each row of a list by calls of its own. A row that was deleted since is omitted. A row
// that may not be read exists, but its attributes are unknown; the others are not affected. hidden
// makes the resource of such a row. Any other error fails the whole list.
func ObserveEach[T any](ctx context.Context, all []T, read func(context.Context, T) (resource.Observed, error),
	hidden func(T, error) resource.Observed,
) ([]resource.Observed, error) {
	found, none := make([]resource.Observed, len(all)), make([]bool, len(all))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(eachAtOnce)
	for i, x := range all {
		work.Go(func() (err error) {
			found[i], err = read(ctx, x)
			switch err = Classify("", err); {
			case Absent(err):
				none[i] = true
			case provider.CauseOf(err) == provider.Denied:
				found[i] = hidden(x, err)
			default:
				return err
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	out := make([]resource.Observed, 0, len(all))
	for i := range found {
		if !none[i] {
			out = append(out, found[i])
		}
	}
	return out, nil
}
