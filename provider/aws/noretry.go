package aws

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
)

// onlyRefused lets the SDK repeat a call only where AWS said that it did not take it: a
// throttled one. A lost answer is not repeated, since EC2 knows no token for these calls and
// would make a second thing.
func onlyRefused(o *ec2.Options) {
	o.Retryer = noUnreachableRetry{o.Retryer}
}

type noUnreachableRetry struct{ aws.Retryer }

// IsErrorRetryable says yes to throttling alone.
func (n noUnreachableRetry) IsErrorRetryable(err error) bool {
	_, throttled := retry.DefaultThrottleErrorCodes[codeOf(err)]
	return throttled && n.Retryer.IsErrorRetryable(err)
}

// createTries is how often a create without a token is tried after an answer that says the
// service failed, each time after having looked whether it was done after all.
const createTries = 4

// noRetry makes one thing with a call that knows no token. Before it creates, and after every
// failure that leaves the outcome open, it looks for a thing with this key's tag.
func noRetry[T any](ctx context.Context, g *region, create func() (T, error), find func() ([]T, error)) (T, error) {
	var none T
	if found, err := find(); err != nil || len(found) > 0 {
		return first(found), err
	}
	for try := 1; ; try++ {
		made, err := create()
		if err == nil {
			return made, nil
		}
		err = classify("", err)
		open := provider.ClassOf(err) == provider.Uncertain
		if !open && provider.ClassOf(err) != provider.Transient && provider.ClassOf(err) != provider.Conflict {
			return none, err
		}
		found, observed := g.lookFor(ctx, func() (int, error) {
			all, err := find()
			if len(all) > 0 {
				made = all[0]
			}
			return len(all), err
		}, provider.ClassOf(err) == provider.Conflict)
		if found {
			return made, nil
		}
		if observed != nil || open || provider.ClassOf(err) == provider.Conflict || try == createTries {
			return none, errors.Join(err, observed)
		}
	}
}

func first[T any](all []T) T {
	var none T
	if len(all) == 0 {
		return none
	}
	return all[0]
}

// lookFor looks a few times for what a create may have made: what is just made may be unseen
// for a while. A refusal needs one look only.
func (g *region) lookFor(ctx context.Context, find func() (int, error), refused bool) (bool, error) {
	pause := g.wait.First
	for try := range 4 {
		n, err := find()
		switch {
		case err != nil:
			return false, fmt.Errorf("look whether it was made: %w", err)
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
