package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider"
)

// lost is an answer that did not arrive.
var lost = &net.OpError{Op: "read", Err: errors.New("connection reset")}

func TestAnErrorWithoutAnAnswer(t *testing.T) {
	odd := errors.New("something that no table knows")
	for _, c := range []struct {
		name, operation string
		err             error
		want            provider.Cause
	}{
		{"a read", "DescribeInstances", lost, provider.Unreachable},
		{"a change", "RunInstances", lost, provider.UnknownResult},
		{"a change without a connection", "RunInstances", &net.OpError{Op: "dial", Err: odd}, provider.Unreachable},
		{"a canceled read", "DescribeInstances", context.Canceled, provider.Unreachable},
		{"a canceled change", "RunInstances", context.Canceled, provider.UnknownResult},
		{"a read of which nothing is known", "DescribeInstances", odd, provider.Unclassified},
		{"a change of which nothing is known", "RunInstances", odd, provider.UnknownResult},
		{"a request that cannot be made", "RunInstances", &smithy.SerializationError{Err: odd}, provider.Unclassified},
		{"no credentials", "RunInstances", errors.New("get identity: get credentials: failed"), provider.Expired},
	} {
		err := Classify("", &smithy.OperationError{ServiceID: "EC2", OperationName: c.operation, Err: c.err})
		if got := provider.CauseOf(err); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v hides its cause", c.name, err)
		}
	}
	if got := provider.CauseOf(Classify("op", odd)); got != provider.Unclassified {
		t.Errorf("an error of ovi's own is %q: it would be repeated without end", got)
	}
}

// TestAnAnswerThatIsNotOfAWS: a proxy's page, or moto's HTML, names itself, and what was accepted is not repeated.
func TestAnAnswerThatIsNotOfAWS(t *testing.T) {
	for status, want := range map[int][2]provider.Cause{ // of a read and of a change
		200: {provider.Unreachable, provider.UnknownResult}, 302: {provider.Unreachable, provider.UnknownResult},
		403: {provider.Unreachable, provider.Unreachable}, 502: {provider.Unreachable, provider.Unreachable},
	} {
		for i, operation := range []string{"DescribeVpcEndpoints", "CreateVpc"} {
			err := Classify("", &smithy.OperationError{ServiceID: "EC2", OperationName: operation, Err: &smithyhttp.ResponseError{
				Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
				Err:      &smithy.DeserializationError{Err: errors.New("XML syntax error on line 2")},
			}})
			var e *provider.Error
			if !errors.As(err, &e) || e.Cause != want[i] || !strings.Contains(err.Error(), "not one of AWS") || e.Hint == "" {
				t.Errorf("%d to %s: %v (%q), want %q", status, operation, err, provider.CauseOf(err), want[i])
			}
		}
	}
}

func TestAnEndlessListIsAnError(t *testing.T) {
	n := 0
	_, err := Pages(t.Context(), "x.List", func(_ context.Context, token *string) ([]int, *string, error) {
		n++
		return []int{n}, aws.String("same"), nil
	})
	if err == nil || n > 3 {
		t.Errorf("%v after %d pages", err, n)
	}
}

func testRegion(d Delays) *Region {
	return &Region{Wait: d.OrDefault(false), Clock: time.Now, Log: hclog.NewNullLogger(), Owner: "ovi", Name: "us-east-1", Account: "1"}
}

func TestAwaitTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testRegion(Delays{})
		n, begun := 0, time.Now()
		err := g.Await(t.Context(), 10*time.Minute, "it", func(context.Context) error { n++; return ErrWait })
		if provider.CauseOf(err) != provider.InUseByService || !strings.Contains(err.Error(), "timed out after 10m0s waiting for it") {
			t.Errorf("%v", err)
		}
		if took := time.Since(begun); took != 10*time.Minute || n > 50 {
			t.Errorf("%d looks in %v", n, took)
		}
	})
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		err := testRegion(Delays{}).Await(ctx, time.Hour, "it", func(context.Context) error { return ErrWait })
		if provider.CauseOf(err) != provider.UnknownResult || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestNotFoundMeansNotYetOnlyForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testRegion(Delays{})
		begun := time.Now()
		err := g.AwaitSeen(t.Context(), time.Hour, "it", func(context.Context) error {
			return &provider.Error{Cause: provider.Configuration, Absent: true, Err: errors.New("no such thing")}
		})
		if !provider.Absent(err) || time.Since(begun) < g.Wait.Appear || time.Since(begun) > 2*g.Wait.Appear {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

func TestRetriesAreFewerWhereMoreAreOfNoUse(t *testing.T) {
	r := NewRetryer(8, time.Second)
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"throttled":   {&smithy.GenericAPIError{Code: "RequestLimitExceeded"}, 8},
		"a 500":       {&smithy.GenericAPIError{Code: "InternalError"}, triesBroken},
		"no address":  {&net.OpError{Op: "dial", Err: errors.New("refused")}, triesUnreached},
		"no such dns": {&net.DNSError{Name: "x"}, triesUnreached},
	} {
		tries := 1
		for ; tries < r.MaxAttempts(); tries++ {
			if _, err := r.RetryDelay(tries, c.err); err != nil {
				break
			}
		}
		if tries != c.want {
			t.Errorf("%s: %d tries, want %d", name, tries, c.want)
		}
	}
}

type answers struct{ n int }

func (a *answers) Do(*http.Request) (*http.Response, error) {
	a.n++
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}

func TestPaceKeepsReadsAndWritesApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPace("ec2", &answers{})
		call := func(operation string, n int) time.Duration {
			begun := time.Now()
			for range n {
				r, _ := http.NewRequestWithContext(middleware.WithOperationName(t.Context(), operation), "POST", "http://x", nil)
				if _, err := p.Do(r); err != nil {
					t.Fatal(err)
				}
			}
			return time.Since(begun)
		}
		if d := call("CreateVolume", 20); d > 0 {
			t.Errorf("the first writes waited %v", d)
		}
		if d := call("DescribeInstances", 50); d > 0 {
			t.Errorf("the first reads waited %v", d)
		}
		if d := call("RunInstances", 5); d > 0 {
			t.Errorf("the first launches waited %v", d)
		}
		if d := call("RunInstances", 4); d < 1900*time.Millisecond || d > 2100*time.Millisecond {
			t.Errorf("four launches more took %v, want two seconds", d)
		}
		call("CreateVolume", 8) // what has come in since
		if d := call("CreateVolume", 4); d < 900*time.Millisecond || d > 1100*time.Millisecond {
			t.Errorf("four writes more took %v, want a second", d)
		}
		ctx, cancel := context.WithCancel(middleware.WithOperationName(t.Context(), "RunInstances"))
		cancel()
		r, _ := http.NewRequestWithContext(ctx, "POST", "http://x", nil)
		if _, err := p.Do(r); err == nil {
			t.Error("an ended context waits")
		}
	})
}
