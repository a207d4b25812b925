package aws_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func TestTheEntryOpensASandboxThatKeepsItsState(t *testing.T) {
	e := aws.Entry(nil, func(dir string) (http.RoundTripper, func() error, error) {
		cloud, err := sandbox.Open(filepath.Join(dir, "aws.json"))
		if err != nil {
			return nil, nil, err
		}
		return cloud, cloud.Close, nil
	})
	if e.Name != "aws" || len(e.Kinds()) != len(aws.Kinds()) {
		t.Errorf("%+v", e)
	}
	option := func(key string) string { return map[string]string{"region": "eu-west-1"}[key] }
	if got := e.Locations.Default(option); got != "eu-west-1" {
		t.Errorf("the default location is %q", got)
	}
	dir := t.TempDir()
	var made string
	for range 2 {
		p, err := e.Open(t.Context(), provider.Config{Options: option, Sandbox: dir, Owner: "ovi"})
		if err != nil {
			t.Fatal(err)
		}
		at, err := p.(provider.Locator).Locate(t.Context(), "eu-west-1")
		if err != nil || !e.Locations.Sandbox(at) {
			t.Fatalf("%q is not in the sandbox: %v", at, err)
		}
		d := desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16")})
		d.Ref.Location = at
		o, err := p.Create(t.Context(), provider.Request{Key: "k", Owner: "ovi", Desired: d})
		if err != nil || made != "" && o.ID != made {
			t.Fatalf("created %s after %s: %v", o.ID, made, err)
		}
		made = o.ID
		if err := p.(io.Closer).Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "aws.json")); err != nil {
		t.Error(err)
	}
	for region, suggestion := range map[string]string{"nowhere": "use --region us-east-1, for example", "us-esat-1": "use --region us-east-1"} {
		_, err := e.Open(t.Context(), provider.Config{Options: func(string) string { return region }, Sandbox: dir})
		if err == nil || resource.Suggestion(err) != suggestion {
			t.Errorf("region %s: %v, suggestion %q", region, err, resource.Suggestion(err))
		}
	}
	if e.Locations.Sandbox("123456789012/us-east-1") {
		t.Error("a real account is taken for the sandbox")
	}
}
