package provider_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider"
)

// TestThePolicyOfCauses: only the configuration's own failures count as attempts, also where the cause is unknown. All else is
// tried again without end, with a pause that is bounded, an alert, and a name of who can resolve it.
func TestThePolicyOfCauses(t *testing.T) {
	drawn.Check(t, func(r *rapid.T) {
		c := provider.Cause(rapid.OneOf(rapid.SampledFrom(append(provider.Causes(), provider.Unclassified)),
			rapid.Map(rapid.StringMatching("[a-z_]{1,12}"), func(s string) provider.Cause { return provider.Cause(s) })).Draw(r, "cause"))
		h := provider.HandlingOf(c)
		known := slices.Contains(provider.Causes(), c)
		switch counts := c == provider.Configuration || !known; {
		case h.Counts != counts:
			r.Errorf("%q counts: %v", c, h.Counts)
		case h.Remedy == "":
			r.Errorf("%q has no remedy", c)
		case counts && (h.Wait > 0 || h.Repeats || h.Pause > 0 || h.MayArrive):
			r.Errorf("%q counts, and is waited for: %+v", c, h)
		case !counts && (h.Pause < time.Second || h.Pause > 5*time.Minute || h.Alert < time.Minute || h.Alert > time.Hour || h.Waits == ""):
			r.Errorf("%q: %+v", c, h)
		case h.Repeats != (h.Repeats && h.Wait > 0):
			r.Errorf("%q is repeated for no time", c)
		}
		err := fmt.Errorf("apply: %w", &provider.Error{Cause: c, Err: errors.New("x")})
		if provider.CauseOf(err) != c || provider.Passes(err) == h.Counts || provider.Repeats(err) != h.Repeats {
			r.Errorf("%q does not survive that it is wrapped", c)
		}
	})
}

// TestTheFirstRowDecides: by service, call, code and text, of which an empty one matches all.
func TestTheFirstRowDecides(t *testing.T) {
	table := []provider.Row{
		{Service: "logs", Code: "LimitExceededException", Cause: provider.Quota},
		{Call: "ReleaseAddress", Code: "AuthFailure", Cause: provider.InUse},
		{Code: "AuthFailure", Text: "not able to validate", Cause: provider.Expired},
		{Code: "AuthFailure", Cause: provider.Denied},
		{Code: "LimitExceededException", Cause: provider.Throttled},
		{Code: "*.NotFound", Cause: provider.Propagation},
		{Text: "no space left", Cause: provider.Capacity},
	}
	for _, c := range []struct {
		service, call, code, message string
		want                         provider.Cause
	}{
		{"logs", "CreateLogGroup", "LimitExceededException", "", provider.Quota},
		{"other", "CreateLogGroup", "LimitExceededException", "", provider.Throttled},
		{"ec2", "ReleaseAddress", "AuthFailure", "not able to validate", provider.InUse},
		{"ec2", "DescribeVpcs", "AuthFailure", "AWS was Not Able to validate", provider.Expired},
		{"ec2", "DescribeVpcs", "AuthFailure", "", provider.Denied},
		{"ec2", "", "InvalidVpcID.NotFound", "", provider.Propagation},
		{"ec2", "", "InvalidVpcID.NotFoundX", "", provider.Unclassified},
		{"", "", "", "write /x: No space left on device", provider.Capacity},
		{"", "", "", "", provider.Unclassified},
	} {
		row, ok := provider.Find(table, c.service, c.call, c.code, c.message)
		if row.Cause != c.want || ok != (c.want != provider.Unclassified) {
			t.Errorf("%s.%s %s %q: %q %v, want %q", c.service, c.call, c.code, c.message, row.Cause, ok, c.want)
		}
	}
}

// TestThePageHasThePolicy: the table of docs/operations.md says what HandlingOf does.
func TestThePageHasThePolicy(t *testing.T) {
	page, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	short := func(d time.Duration) string { // "1m0s" is written as 1m
		return regexp.MustCompile(`([hm])0[ms](0s)?$`).ReplaceAllString(d.String(), "$1")
	}
	for _, c := range append(provider.Causes(), provider.Unclassified) {
		h := provider.HandlingOf(c)
		name, counts, wait, alert := "`"+string(c)+"`", "no", "none", "all attempts"
		if c == provider.Unclassified {
			name = "none"
		}
		if h.Wait > 0 {
			wait = short(h.Wait)
		}
		if h.Counts {
			counts = "yes"
		} else {
			alert = short(h.Alert)
		}
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \| .* \| ` + counts + ` \| ` + wait + ` \| ` + alert + ` \|$`)
		if !row.Match(page) {
			t.Errorf("the page has no row %s", row)
		}
	}
}
