package api

import (
	"net/http"
	"strings"

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
// bucket of 100, RunInstances 2 a second after a bucket of 5, other writes 5 after 50).
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
	case "route53": // 5 requests a second, of all kinds together
		p.reads, p.writes = rate.NewLimiter(3, 5), rate.NewLimiter(1, 3)
	default:
		p.reads, p.writes = rate.NewLimiter(8, 20), rate.NewLimiter(4, 10)
	}
	return p
}

// Do waits for the limiter; the request's context ends the wait.
func (p *pace) Do(r *http.Request) (*http.Response, error) {
	limit := p.writes
	switch operation := middleware.GetOperationName(r.Context()); {
	case Reads(operation):
		limit = p.reads
	case operation == "RunInstances" && p.launches != nil:
		limit = p.launches
	}
	if err := limit.Wait(r.Context()); err != nil {
		return nil, err
	}
	return p.next.Do(r)
}

// Reads reports that an operation changes nothing, by AWS's naming.
func Reads(operation string) bool {
	for _, prefix := range []string{"Describe", "Get", "List", "Head"} {
		if strings.HasPrefix(operation, prefix) {
			return true
		}
	}
	return false
}
