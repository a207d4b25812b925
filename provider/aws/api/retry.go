package api

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

// How often a call is tried that fails for one reason only. Throttled calls have all attempts of
// Options.
const (
	triesUnreached = 3 // no connection, or no answer in time: a user waits for the plan
	triesBroken    = 5 // the service fails, or an answer is lost
)

// patient is the SDK's standard retryer with fewer tries where more are of no use.
type patient struct{ *retry.Standard }

// NewRetryer returns a retryer for a number of attempts with a longest delay.
func NewRetryer(attempts int, slowest time.Duration) aws.Retryer {
	return patient{retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff = attempts, slowest
		o.RateLimiter = ratelimit.None // pace is ours; a drained quota would fail calls that only have to wait
	})}
}

// RetryDelay is the wait before the next try; its error ends them.
func (p patient) RetryDelay(attempt int, err error) (time.Duration, error) {
	limit := triesBroken
	if _, throttled := retry.DefaultThrottleErrorCodes[CodeOf(err)]; throttled {
		limit = p.MaxAttempts()
	} else if unreached(err) || unanswered(err) {
		limit = triesUnreached
	}
	if attempt >= limit {
		return 0, fmt.Errorf("tried %d times: %w", attempt, err)
	}
	return p.Standard.RetryDelay(attempt, err)
}

// unanswered reports that the service took a call and did not answer in time.
func unanswered(err error) bool {
	var late *NoAnswerError
	return errors.As(err, &late)
}

// unreached reports that no connection was made: nothing was asked, so nothing was done.
func unreached(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}
