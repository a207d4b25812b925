package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ovi-project/ovi/internal/mototest"
)

// TestScriptsOnMoto runs the scripts about ownership, and the example of a whole stack, on an emulator that other people wrote. Each
// script has its own emulator.
func TestScriptsOnMoto(t *testing.T) {
	if testing.Short() {
		t.Skip("moto takes its time")
	}
	t.Parallel()
	p := params(t, "testdata/moto")
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		for k, v := range map[string]string{
			"AWS_ENDPOINT_URL": mototest.Start(e.T().(testing.TB)), "AWS_ACCESS_KEY_ID": "EXAMPLE", "AWS_SECRET_ACCESS_KEY": "not-a-secret",
		} {
			e.Setenv(k, v)
		}
		return setup(e)
	}
	p.Cmds["hand"], p.Cmds["bucket"] = hand, bucket
	testscript.Run(t, p)
}

// hand calls AWS as someone else would, and keeps an element of the answer in a variable:
// hand VPC=vpcId ec2 CreateVpc CidrBlock=10.50.0.0/16.
func hand(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: hand NAME=ELEMENT|- SERVICE ACTION [KEY=VALUE...]")
	}
	form := url.Values{"Action": {args[2]}, "Version": {map[string]string{"ec2": "2016-11-15", "rds": "2014-10-31"}[args[1]]}}
	for _, pair := range args[3:] {
		key, value, _ := strings.Cut(pair, "=")
		form.Set(key, value)
	}
	answer := askMoto(ts, http.MethodPost, args[1], "/", form.Encode())
	name, element, ok := strings.Cut(args[0], "=")
	if !ok {
		return
	}
	found := regexp.MustCompile("<" + element + ">([^<]*)</").FindStringSubmatch(answer)
	if found == nil {
		ts.Fatalf("no %s in %s", element, answer)
	}
	ts.Setenv(name, found[1])
}

// bucket creates a bucket if it does not exist, and replaces its tags: bucket NAME [KEY=VALUE...].
// With -d it deletes the bucket.
func bucket(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 2 && args[0] == "-d" {
		askMoto(ts, http.MethodDelete, "s3", "/"+args[1], "")
		return
	}
	askMoto(ts, http.MethodPut, "s3", "/"+args[0], "")
	var tags strings.Builder
	for _, pair := range args[1:] {
		key, value, _ := strings.Cut(pair, "=")
		tags.WriteString("<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>")
	}
	if tags.Len() > 0 {
		askMoto(ts, http.MethodPut, "s3", "/"+args[0]+"?tagging", "<Tagging><TagSet>"+tags.String()+"</TagSet></Tagging>")
	}
}

// askMoto sends one request to the emulator, which checks no signature.
func askMoto(ts *testscript.TestScript, method, service, path, body string) string {
	r, err := http.NewRequestWithContext(context.Background(), method, ts.Getenv("AWS_ENDPOINT_URL")+path, strings.NewReader(body))
	ts.Check(err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=HAND/20260101/us-east-1/"+service+"/aws4_request, SignedHeaders=host, Signature=none")
	answer, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	ts.Check(err)
	if answer.StatusCode >= http.StatusMultipleChoices {
		ts.Fatalf("%s %s: %s: %s", method, service, answer.Status, text)
	}
	return string(text)
}
