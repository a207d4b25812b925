package aws_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// TestAConfiguredTimeoutReplacesTheProvidersOwn, which is too short for an account where instances start
// slowly; one that is shorter ends the wait, and the error names it.
func TestAConfiguredTimeoutReplacesTheProvidersOwn(t *testing.T) {
	t.Parallel()
	cloud, err := sandbox.Open("", sandbox.WithSettle(2*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer cloud.Close()
	own := api.Delays{First: 20 * time.Millisecond, Most: 100 * time.Millisecond, Gather: time.Millisecond, Appear: time.Second, Free: 200 * time.Millisecond, Compute: 300 * time.Millisecond, Database: time.Minute}
	p := aws.New(aws.Options{Sandbox: true, HTTPClient: &http.Client{Transport: cloud}, Delays: own})
	request := func(name string) provider.Request {
		return provider.Request{Key: "key-" + name, Owner: "ovi", Desired: micro(t)(name)}
	}
	if _, err := p.Create(t.Context(), request("a")); err == nil || !strings.Contains(err.Error(), "timed out after 300ms") {
		t.Errorf("by its own limit: %v", err)
	}
	long, end := provider.WithTimeout(t.Context(), time.Minute, errors.New("over"))
	defer end()
	if _, err := p.Create(long, request("b")); err != nil {
		t.Errorf("with a minute: %v", err)
	}
	over := errors.New("no result within 500ms")
	short, end := provider.WithTimeout(t.Context(), 500*time.Millisecond, over)
	defer end()
	if _, err := p.Create(short, request("c")); !isCause(err, provider.UnknownResult) || !strings.Contains(err.Error(), over.Error()) {
		t.Errorf("with half a second: %v", err)
	}
}
