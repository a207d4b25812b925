package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
)

// OnlyRefused lets the SDK repeat a call only where AWS reports that it did not accept it: a
// throttled one. After a lost answer it is not repeated, because EC2 has no token for these calls
// and would create a second resource.
func OnlyRefused(o *ec2.Options) {
	o.Retryer = OnlyThrottled{o.Retryer}
}

// OnlyThrottled is a retryer that repeats throttled calls alone.
type OnlyThrottled struct{ aws.Retryer }

// IsErrorRetryable reports throttling only.
func (n OnlyThrottled) IsErrorRetryable(err error) bool {
	return throttled(err) && n.Retryer.IsErrorRetryable(err)
}

// createTries is the number of attempts of a create without a token when the service fails, each after
// checking whether the last one was done after all.
const createTries = 4

// NoRetry creates one resource with a call that has no token. Before it creates, and after every
// failure whose outcome is unknown, it searches for a resource with the tag of this key. If the
// outcome stays unknown, the error is returned and the call is not repeated: the first resource may
// appear later, and a second call would make another.
func NoRetry[T any](ctx context.Context, g *Region, create func() (T, error), find func() ([]T, error)) (T, error) {
	var none T
	if found, err := find(); err != nil || len(found) > 0 {
		return First(found), err
	}
	for try := 1; ; try++ {
		made, err := create()
		if err == nil {
			return made, nil
		}
		err = Classify("", err)
		cause := provider.CauseOf(err)
		unknown, taken := cause == provider.UnknownResult, cause == provider.InUse || cause == provider.InUseByService
		if !unknown && !taken && cause != provider.Unreachable {
			return none, err
		}
		found, observed := search(ctx, g, func() (int, error) {
			all, err := find()
			if len(all) > 0 {
				made = all[0]
			}
			return len(all), err
		}, taken)
		if found {
			return made, nil
		}
		if observed != nil || unknown || taken || try == createTries {
			return none, errors.Join(err, observed)
		}
	}
}

// First returns the first element, or the zero value.
func First[T any](all []T) T {
	var none T
	if len(all) == 0 {
		return none
	}
	return all[0]
}

// search looks a few times for a resource that a create may have created: it may not be visible for a
// while. After a refusal once is enough.
func search(ctx context.Context, g *Region, find func() (int, error), refused bool) (bool, error) {
	pause := g.Wait.First
	for try := range 4 {
		n, err := find()
		switch {
		case err != nil:
			return false, fmt.Errorf("cannot find out whether it was created: %w", err)
		case n > 0:
			return true, nil
		case refused || try == 3:
			return false, nil
		}
		if err := sleep(ctx, pause); err != nil {
			return false, err
		}
		pause = min(pause*2, 5*time.Second)
	}
	return false, nil
}
