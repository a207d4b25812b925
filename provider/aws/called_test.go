package aws_test

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

func TestCallsAreLoggedAtDebugWithoutTheirParameters(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.fault(sandbox.Fault{Kind: sandbox.Throttle, Service: "ec2", Action: "RunInstances", Times: 1})
	for _, level := range []hclog.Level{hclog.Debug, hclog.Info} {
		var out bytes.Buffer
		p := aws.New(aws.Options{
			Sandbox: true, HTTPClient: &http.Client{Transport: w.cloud}, Delays: patience, Attempts: 4,
			Log: hclog.New(&hclog.LoggerOptions{Output: &out, Level: level}),
		})
		d := desired(t, "ec2", "web-"+level.String(), values{"size": text("t3.micro"), "user_data": script("fake-secret-script")})
		if _, err := p.Create(t.Context(), provider.Request{Key: w.key(), Owner: "ovi", Desired: d}); err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`AWS call: call=ec2\.RunInstances region=us-east-1 duration=\S+ status=(503|200) request_id=\S{8,}`)
		want := map[hclog.Level]int{hclog.Debug: 2}[level] // one throttled, one not
		if got := len(line.FindAllString(out.String(), -1)); got != want {
			t.Errorf("%s: %d lines of RunInstances, want %d, in\n%s", level, got, want, out.String())
		}
		if strings.Contains(out.String(), "fake-secret") || strings.Contains(out.String(), "ZmFrZS1zZWNyZXQ") {
			t.Error("the log has the user data")
		}
	}
}
