package aws_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
)

// TestScenarioOnMoto plays the same scenario on an emulator that other people wrote, so that
// an error about AWS that provider and sandbox share is found.
func TestScenarioOnMoto(t *testing.T) {
	if testing.Short() {
		t.Skip("moto takes its time")
	}
	url := startMoto(t)
	for k, v := range map[string]string{
		"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "EXAMPLE", "AWS_SECRET_ACCESS_KEY": "not-a-secret", "AWS_REGION": "us-east-1",
		"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_PROFILE": "", "AWS_CA_BUNDLE": "",
	} {
		t.Setenv(k, v)
	}
	p := aws.New(aws.Options{Delays: patience, PlainPace: true, Attempts: 2})
	at, err := p.Locate(t.Context(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	cfg := sdk.Config{Region: "us-east-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("HAND", "not-a-secret", "")}
	a := &actor{t: t, p: p, hand: cfg, location: at, made: map[string]provider.Request{}}
	a.play(readJSON[[]exception](t, "testdata/moto.json"))
}

// startMoto starts the emulator on a free port and ends it with the test.
func startMoto(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("moto_server")
	if err != nil {
		t.Skip("moto_server is not on PATH; to run this: pip install 'moto[server]==5.2.1'")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "-H", "127.0.0.1", "-p", fmt.Sprint(port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	for range 300 {
		if r, err := http.Get(url + "/moto-api/"); err == nil {
			r.Body.Close()
			return url
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("moto_server does not answer")
	return ""
}
