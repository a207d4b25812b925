package sandbox_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

func TestServedOverAPort(t *testing.T) {
	c, _ := open(t)
	server := httptest.NewServer(c)
	defer server.Close()
	cfg := config(http.DefaultTransport, "us-east-1")
	cfg.BaseEndpoint = aws.String(server.URL)
	run(t, ec2.NewFromConfig(cfg), "")
	bucket := s3.NewFromConfig(cfg)
	ok(bucket.CreateBucket(ctx, bucketIn("served", "us-east-1")))(t)
	ok(bucket.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("served"), Key: aws.String("k"), Body: strings.NewReader("v")}))(t)
	ok(bucket.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String("served")}))(t)
	plan(t, c, sandbox.Fault{Kind: sandbox.Lost, Action: "DescribeInstances"})
	_, err := ec2.NewFromConfig(cfg).DescribeInstances(ctx, &ec2.DescribeInstancesInput{})
	if !strings.HasPrefix(code(err), "no answer") {
		t.Errorf("lost over a port: %v", err)
	}
}

func TestRequestsThatNoSDKSends(t *testing.T) {
	c, _ := open(t)
	scope := func(region, service string) string {
		return "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/" + region + "/" + service + "/aws4_request, SignedHeaders=host, Signature=00"
	}
	for _, tt := range []struct {
		name, auth, body string
		status           int
		want             string
	}{
		{"no signature", "", "Action=DescribeInstances", 403, "MissingAuthenticationToken"},
		{"half a signature", "AWS4-HMAC-SHA256 Credential=x", "Action=DescribeInstances", 400, "IncompleteSignature"},
		{"no such region", scope("mars", "ec2"), "Action=DescribeInstances", 403, "SignatureDoesNotMatch"},
		{"no such service", scope("us-east-1", "lambda"), "", 404, "UnknownService"},
		{"no such action", scope("us-east-1", "ec2"), "Action=MakeCoffee", 400, "InvalidAction"},
		{"no such action of RDS", scope("us-east-1", "rds"), "Action=MakeCoffee", 400, "InvalidAction"},
		{"no action", scope("us-east-1", "ec2"), "", 400, "MissingAction"},
		{"a broken query", scope("us-east-1", "ec2"), "Action=%zz", 400, "MalformedQueryString"},
		{"a name without end", scope("us-east-1", "ec2"), "Action=x&" + strings.Repeat("a.", 40) + "=1", 400, "MalformedQueryString"},
		{"no JSON action", scope("us-east-1", "ssm"), "{}", 400, "UnknownOperationException"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "https://ec2.us-east-1.amazonaws.com/", strings.NewReader(tt.body))
			if tt.auth != "" {
				r.Header.Set("Authorization", tt.auth)
			}
			out, err := c.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(out.Body)
			if err != nil || out.StatusCode != tt.status || !strings.Contains(string(text), tt.want) {
				t.Errorf("%d %s (%v)", out.StatusCode, text, err)
			}
		})
	}
}
