package api

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"

	"github.com/ovi-project/ovi/provider"
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
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(byTable)}, o.Retryables...)
		o.RateLimiter = ratelimit.None // pace is ours; a drained quota would fail calls that only have to wait
	})}
}

// byTable decides about each code that the table of causes has, so that the SDK repeats only calls that may succeed.
// The SDK itself takes quotas for throttling. A code that the table does not have is left to the
// SDK.
func byTable(err error) aws.Ternary {
	row, ok := provider.Find(Causes(), "", "", CodeOf(err), messageOf(err))
	if CodeOf(err) == "" || !ok {
		return aws.UnknownTernary
	}
	return aws.BoolTernary(row.Cause == provider.Throttled || row.Cause == provider.Unreachable)
}

// throttled reports that AWS did not accept a call because there were too many.
func throttled(err error) bool {
	row, ok := provider.Find(Causes(), "", "", CodeOf(err), messageOf(err))
	return CodeOf(err) != "" && ok && row.Cause == provider.Throttled
}

func messageOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorMessage()
	}
	return ""
}

// RetryDelay is the wait before the next try; its error ends them.
func (p patient) RetryDelay(attempt int, err error) (time.Duration, error) {
	limit := triesBroken
	var late *NoAnswerError // the service took the call and did not answer in time
	if throttled(err) {
		limit = p.MaxAttempts()
	} else if unreached(err) || errors.As(err, &late) {
		limit = triesUnreached
	}
	if attempt >= limit {
		return 0, fmt.Errorf("tried %d times: %w", attempt, err)
	}
	return p.Standard.RetryDelay(attempt, err)
}

// unreached reports that no connection was made: nothing was asked, so nothing was done.
func unreached(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}
