package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ovi-project/ovi/internal/mototest"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// where answers the one condition of the scripts, moto: that they run on the emulator.
func where(onMoto bool) func(string) (bool, error) {
	return func(name string) (bool, error) {
		if name != "moto" {
			return false, fmt.Errorf("unknown condition %q", name)
		}
		return onMoto, nil
	}
}

// onMoto reports whether a script runs on the emulator, and not on the sandbox.
func onMoto(get func(string) string) bool { return get("AWS_ENDPOINT_URL") != "" }

// TestScriptsOnMoto runs the scripts about ownership, those about what was made by hand or is in a state of Terraform,
// and the example of a whole stack on an emulator that other people wrote. Each script has its own emulator. The gate
// runs two of them; all run nightly, and on the sandbox in the gate.
func TestScriptsOnMoto(t *testing.T) {
	if testing.Short() {
		t.Skip("moto takes its time")
	}
	t.Parallel()
	p := motoParams(t)
	files, err := filepath.Glob("testdata/moto/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	p.Files = []string{"testdata/moto/web-public.txtar", "testdata/moto/adopt.txtar"}
	if os.Getenv("OVI_MOTO") == "all" {
		p.Files = append(files, "testdata/script/brownfield.txtar", "testdata/script/as-found.txtar", "testdata/script/import-terraform-stack.txtar")
	}
	testscript.Run(t, p)
}

// motoParams are those of scripts that run on an emulator, each on its own.
func motoParams(t *testing.T) testscript.Params {
	t.Helper()
	p := params(t, "")
	p.Condition = where(true)
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		if err := setup(e); err != nil {
			return err
		}
		for k, v := range map[string]string{
			"AWS_ENDPOINT_URL": mototest.Start(e.T().(testing.TB)), "AWS_ACCESS_KEY_ID": "EXAMPLE", "AWS_SECRET_ACCESS_KEY": "not-a-secret",
			"AMI": "ami-12c6146b",
		} {
			e.Setenv(k, v)
		}
		return nil
	}
	return p
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
	answer := askByHand(ts, http.MethodPost, args[1], "/", form.Encode())
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
// With -d it deletes the bucket, with -open it removes its block of public access.
func bucket(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 2 && args[0] == "-d" {
		askByHand(ts, http.MethodDelete, "s3", "/"+args[1], "")
		return
	}
	if len(args) == 2 && args[0] == "-open" {
		askByHand(ts, http.MethodDelete, "s3", "/"+args[1]+"?publicAccessBlock", "")
		return
	}
	askByHand(ts, http.MethodPut, "s3", "/"+args[0], "")
	var tags strings.Builder
	for _, pair := range args[1:] {
		key, value, _ := strings.Cut(pair, "=")
		tags.WriteString("<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>")
	}
	if tags.Len() > 0 {
		askByHand(ts, http.MethodPut, "s3", "/"+args[0]+"?tagging", "<Tagging><TagSet>"+tags.String()+"</TagSet></Tagging>")
	}
}

// askByHand sends one request to the emulator, or to the sandbox of the script's data directory. Neither checks a
// signature.
func askByHand(ts *testscript.TestScript, method, service, path, body string) string {
	r, err := http.NewRequestWithContext(context.Background(), method, cmp.Or(ts.Getenv("AWS_ENDPOINT_URL"), "http://sandbox")+path, strings.NewReader(body))
	ts.Check(err)
	client := http.DefaultClient
	if !onMoto(ts.Getenv) {
		cloud, err := sandbox.Open(ts.MkAbs(".ovi/sandbox/aws.json"), sandbox.WithSettle(50*time.Millisecond))
		ts.Check(err)
		defer cloud.Close()
		client = &http.Client{Transport: cloud}
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=HAND/20260101/us-east-1/"+service+"/aws4_request, SignedHeaders=host, Signature=none")
	answer, err := client.Do(r)
	ts.Check(err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	ts.Check(err)
	if answer.StatusCode >= http.StatusMultipleChoices {
		ts.Fatalf("%s %s: %s: %s", method, service, answer.Status, text)
	}
	return string(text)
}
