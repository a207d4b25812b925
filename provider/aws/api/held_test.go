package api

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/smithy-go"

	"github.com/ovi-project/ovi/provider"
)

// TestADeletionWaitsAsItsHoldersSay: AWS refuses it nine times, with the answers of a security group of a deleted load
// balancer. Interfaces that AWS removes are waited for as long as that takes, those of another hand for a minute, and a
// timeout of the configuration replaces both.
func TestADeletionWaitsAsItsHoldersSay(t *testing.T) {
	eni := Holder{Name: "eni-0a (ELB app/web/50dc)", Service: true}
	for _, c := range []struct {
		name    string
		holders []Holder
		refused int
		timeout time.Duration
		cause   provider.Cause // "": it is deleted
		took    [2]time.Duration
	}{
		{"nine refusals, by an interface of AWS", []Holder{eni}, 9, 0, "", [2]time.Duration{80 * time.Second, 100 * time.Second}},
		{"by nothing that AWS names", nil, 9, 0, "", [2]time.Duration{80 * time.Second, 100 * time.Second}},
		{"always, by an interface of AWS", []Holder{eni}, 1e6, 0, provider.InUseByService, [2]time.Duration{44 * time.Minute, 45 * time.Minute}},
		{"always, by nothing that AWS names", nil, 1e6, 0, provider.InUseByService, [2]time.Duration{44 * time.Minute, 45 * time.Minute}},
		{"always, by an instance too", []Holder{eni, {Name: "i-0b"}}, 1e6, 0, provider.InUse, [2]time.Duration{45 * time.Second, time.Minute}},
		{"by an instance, with a longer timeout", []Holder{{Name: "i-0b"}}, 20, 30 * time.Minute, "", [2]time.Duration{4 * time.Minute, 5 * time.Minute}},
		{"by an interface of AWS, with a shorter one", []Holder{eni}, 1e6, 20 * time.Second, provider.InUseByService, [2]time.Duration{18 * time.Second, 20 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.timeout > 0 {
					var end context.CancelFunc
					ctx, end = provider.WithTimeout(ctx, c.timeout, errors.New("over"))
					defer end()
				}
				var told []string
				ctx = WithProgress(ctx, func(p provider.Progress) { told = append(told, p.Text) })
				calls, begun := 0, time.Now()
				err := testRegion(Delays{}).DeleteHeld(ctx, "sg-1", func() error {
					if calls++; calls > c.refused {
						return nil
					}
					return refusal("EC2", "DeleteSecurityGroup", "DependencyViolation", "resource sg-1 has a dependent object")
				}, func() ([]Holder, error) { return c.holders, nil }, "DependencyViolation")
				if took := time.Since(begun); provider.CauseOf(err) != c.cause || took < c.took[0] || took > c.took[1] {
					t.Errorf("%v (%q) after %s", err, provider.CauseOf(err), took)
				}
				if len(c.holders) == 0 && err != nil && !strings.Contains(err.Error(), "AWS does not name what uses it") {
					t.Errorf("advice: %v", err)
				}
				for _, h := range c.holders {
					if err != nil && !strings.Contains(err.Error(), h.Name) {
						t.Errorf("%v does not name %s", err, h.Name)
					}
				}
				if len(told) == 0 || !strings.HasPrefix(told[0], "waits") {
					t.Errorf("told: %q", told)
				}
			})
		})
	}
}

// TestAQuotaIsNotRepeated: the SDK takes LimitExceededException for throttling.
func TestAQuotaIsNotRepeated(t *testing.T) {
	r := NewRetryer(8, time.Second)
	for code, want := range map[string]bool{
		"LimitExceededException": false, "VpcLimitExceeded": false, "ServiceQuotaExceededException": false, "AccessDenied": false,
		"RequestLimitExceeded": true, "ThrottlingException": true, "SlowDown": true, "InternalError": true, "ServiceUnavailable": true,
	} {
		err := &smithy.GenericAPIError{Code: code}
		if got := r.IsErrorRetryable(err); got != want {
			t.Errorf("%s is repeated: %v", code, got)
		}
		if (OnlyThrottled{r}).IsErrorRetryable(err) && !strings.Contains("RequestLimitExceeded ThrottlingException SlowDown", code) {
			t.Errorf("%s passes for a call that AWS did not accept", code)
		}
	}
}

// TestAYoungPrincipalIsWaitedFor, in the words of each service, as the KMS key of a role of the same apply.
func TestAYoungPrincipalIsWaitedFor(t *testing.T) {
	for code, message := range map[string]string{
		"MalformedPolicyDocumentException": "Policy contains a statement with one or more invalid principals.",
		"MalformedPolicyDocument":          `Invalid principal in policy: "AWS":"arn:aws:iam::1:role/a"`,
		"MalformedPolicy":                  "Invalid principal in policy",
	} {
		synctest.Test(t, func(t *testing.T) {
			for refused, done := range map[int]bool{3: true, 1000: false} {
				calls, begun := 0, time.Now()
				err := testRegion(Delays{}).UntilKnown(t.Context(), func() error {
					if calls++; calls > refused {
						return nil
					}
					return Classify("", refusal("KMS", "CreateKey", code, message))
				})
				if took := time.Since(begun); (err == nil) != done || took > 2*time.Minute || err != nil && provider.CauseOf(err) != provider.Propagation {
					t.Errorf("%s, %d times: %v after %s", code, refused, err, took)
				}
			}
		})
	}
}

// TestWhatOnlyAWSCanDecodeIsNotShown: hundreds of characters would fill the screen.
func TestWhatOnlyAWSCanDecodeIsNotShown(t *testing.T) {
	blob := strings.Repeat("bOb", 300)
	err := Classify("", refusal("EC2", "RunInstances", "UnauthorizedOperation",
		"You are not authorized to perform this operation. Encoded authorization failure message: "+blob))
	if text := err.Error(); strings.Contains(text, "bOb") || !strings.Contains(text, "decode-authorization-message") {
		t.Errorf("%s", text)
	}
	err = Classify("", refusal("EC2", "RunInstances", "UnauthorizedOperation",
		"... with an explicit deny in a service control policy. Encoded authorization failure message: "+blob))
	if text := err.Error(); strings.Contains(text, "bOb") || !strings.Contains(text, "organization") {
		t.Errorf("%s", text)
	}
}
