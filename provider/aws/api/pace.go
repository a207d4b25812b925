package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
	"golang.org/x/time/rate"
)

// pace keeps the calls of one service below the limits of AWS, so that ten workers do not spend
// their attempts on being throttled. Reads and writes are counted apart, as AWS counts them. Each
// attempt passes here, retries too.
type pace struct {
	next          aws.HTTPClient
	reads, writes *rate.Limiter
	launches      *rate.Limiter // of RunInstances
}

// NewPace sets limits somewhat below AWS's documented ones (EC2: reads 20 a second after a
// bucket of 100, RunInstances 2 a second after a bucket of 5, other writes 5 after 50). A pace
// counts the calls of one region in this process. Calls of other processes, and of a global service
// by way of several regions, may still be throttled; then the retryer waits.
func NewPace(service string, next aws.HTTPClient) *pace {
	if next == nil {
		next = http.DefaultClient
	}
	p := &pace{next: next}
	switch service {
	case "ec2":
		p.reads, p.writes, p.launches = rate.NewLimiter(15, 50), rate.NewLimiter(4, 20), rate.NewLimiter(2, 5)
	case "s3":
		p.reads, p.writes = rate.NewLimiter(50, 100), rate.NewLimiter(10, 20)
	case "route53": // 5 requests a second for all kinds together
		p.reads, p.writes = rate.NewLimiter(3, 5), rate.NewLimiter(1, 3)
	default:
		p.reads, p.writes = rate.NewLimiter(8, 20), rate.NewLimiter(4, 10)
	}
	return p
}

// Do waits for the limiter; the request's context ends the wait. The deadline of the attempt starts
// after this wait, and covers the body of the response, too.
func (p *pace) Do(r *http.Request) (*http.Response, error) {
	limit, deadline := p.writes, writeDeadline
	switch operation := middleware.GetOperationName(r.Context()); {
	case Reads(operation):
		limit, deadline = p.reads, readDeadline
	case operation == "RunInstances" && p.launches != nil:
		limit = p.launches
	}
	if err := limit.Wait(r.Context()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), deadline, &NoAnswerError{deadline})
	answer, err := p.next.Do(r.WithContext(ctx))
	if err != nil {
		if late := (*NoAnswerError)(nil); errors.As(context.Cause(ctx), &late) {
			err = late
		}
		cancel()
		return nil, err
	}
	answer.Body = &boundedBody{ReadCloser: answer.Body, ctx: ctx, end: cancel}
	return answer, nil
}

// How long AWS may take to answer one attempt. A read that has no answer by then is tried again. The result
// of a write is unknown, and an observation finds it.
const (
	readDeadline  = 30 * time.Second
	writeDeadline = 2 * time.Minute
)

// NoAnswerError is the end of a call that AWS did not answer.
type NoAnswerError struct{ After time.Duration }

func (e *NoAnswerError) Error() string { return "no answer within " + e.After.String() }

// Timeout reports true, as net.Error describes it.
func (e *NoAnswerError) Timeout() bool { return true }

// boundedBody is a body within a deadline.
type boundedBody struct {
	io.ReadCloser
	ctx context.Context
	end context.CancelFunc
}

// Read reports the deadline as a *NoAnswerError.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if late := (*NoAnswerError)(nil); err != nil && !errors.Is(err, io.EOF) && errors.As(context.Cause(b.ctx), &late) {
		err = late
	}
	return n, err
}

// Close ends the deadline.
func (b *boundedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

// Reads reports that an operation changes nothing, by AWS's naming. An unknown name counts as a
// change, so a lost answer to it is an unknown result.
func Reads(operation string) bool {
	for _, prefix := range []string{"Describe", "Get", "List", "Head"} {
		if strings.HasPrefix(operation, prefix) {
			return true
		}
	}
	return false
}
