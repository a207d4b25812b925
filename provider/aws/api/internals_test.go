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
	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider"
)

func TestClassesOfCodes(t *testing.T) {
	for code, want := range map[string]provider.Class{
		"RequestLimitExceeded": provider.Throttled, "Throttling": provider.Throttled, "SlowDown": provider.Throttled, "ThrottlingException": provider.Throttled,
		"UnauthorizedOperation": provider.Denied, "AccessDenied": provider.Denied, "ExpiredToken": provider.Denied, "OperationNotPermitted": provider.Denied,
		"InvalidInstanceID.NotFound": provider.NotFound, "DBInstanceNotFound": provider.NotFound, "DBInstanceNotFoundFault": provider.NotFound,
		"NoSuchBucket": provider.NotFound, "NoSuchTagSet": provider.NotFound, "InvalidVpcID.NotFound": provider.NotFound, "ParameterNotFound": provider.NotFound,
		"DependencyViolation": provider.Conflict, "BucketNotEmpty": provider.Conflict, "DBInstanceAlreadyExists": provider.Conflict,
		"IdempotentParameterMismatch": provider.Conflict, "InvalidGroup.Duplicate": provider.Conflict, "InvalidSubnet.Conflict": provider.Conflict,
		"InternalError": provider.Transient, "ServiceUnavailable": provider.Transient, "InsufficientInstanceCapacity": provider.Transient,
		"InvalidParameterValue": provider.Permanent, "VpcLimitExceeded": provider.Permanent, "InvalidAMIID.Malformed": provider.Permanent,
		"StorageQuotaExceeded": provider.Permanent,
	} {
		err := Classify("", &smithy.OperationError{ServiceID: "EC2", OperationName: "RunInstances", Err: &smithy.GenericAPIError{Code: code, Message: "m"}})
		var e *provider.Error
		if !errors.As(err, &e) || e.Class != want || e.Op != "ec2.RunInstances" || e.Code != code {
			t.Errorf("%s: %+v, want class %d", code, e, want)
		}
		if again := Classify("other", err); !errors.Is(again, err) || again.Error() != err.Error() {
			t.Errorf("%s: classified twice: %v", code, again)
		}
	}
}

func TestAnErrorWithoutAnAnswer(t *testing.T) {
	lost := errors.New("connection reset")
	for _, c := range []struct {
		name, operation string
		err             error
		want            provider.Class
	}{
		{"a read", "DescribeInstances", lost, provider.Transient},
		{"a change", "RunInstances", lost, provider.Uncertain},
		{"a change without a connection", "RunInstances", &net.OpError{Op: "dial", Err: lost}, provider.Transient},
		{"a cancelled read", "DescribeInstances", context.Canceled, provider.Transient},
		{"a cancelled change", "RunInstances", context.Canceled, provider.Uncertain},
	} {
		err := Classify("", &smithy.OperationError{ServiceID: "EC2", OperationName: c.operation, Err: c.err})
		if got := provider.ClassOf(err); got != c.want {
			t.Errorf("%s: class %d, want %d", c.name, got, c.want)
		}
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v hides its cause", c.name, err)
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
		if provider.ClassOf(err) != provider.Transient || !strings.Contains(err.Error(), "timed out after 10m0s waiting for it") {
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
		if provider.ClassOf(err) != provider.Uncertain || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestNotFoundMeansNotYetOnlyForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testRegion(Delays{})
		begun := time.Now()
		err := g.AwaitSeen(t.Context(), time.Hour, "it", func(context.Context) error {
			return &provider.Error{Class: provider.NotFound, Err: errors.New("no such thing")}
		})
		if provider.ClassOf(err) != provider.NotFound || time.Since(begun) < g.Wait.Appear || time.Since(begun) > 2*g.Wait.Appear {
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
