package aws_test

import (
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/ovi-project/ovi/internal/mototest"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
)

// TestScenarioOnMoto plays the same scenario on an emulator that other people wrote, so that
// an error about AWS that provider and sandbox share is found.
func TestScenarioOnMoto(t *testing.T) {
	if testing.Short() {
		t.Skip("moto takes its time")
	}
	url := mototest.Start(t)
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
