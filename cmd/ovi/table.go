package main

import (
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/podman"
)

// table lists the providers. A provider is one line here and one row in the README.
func table(p *command.Process, log hclog.Logger) []provider.Entry {
	return []provider.Entry{
		aws.Entry(log.Named("aws"), func(dir string) (http.RoundTripper, func() error, error) { return awsSandbox(p, dir) }),
		podman.Entry(),
		cluster.Entry(),
		edge.Entry(log.Named("edge")),
	}
}

// awsSandbox opens the sandbox of AWS for the provider.
func awsSandbox(p *command.Process, dir string) (http.RoundTripper, func() error, error) {
	cloud, err := openCloud(p, sandboxFile(p, dir))
	if err != nil {
		return nil, nil, err
	}
	return cloud, cloud.Close, nil
}

// openCloud opens a sandbox. OVI_SANDBOX_SETTLE is how long its passing states last: a second, less
// in tests.
func openCloud(p *command.Process, file string) (*sandbox.Cloud, error) {
	var options []sandbox.Option
	if text := p.Getenv("OVI_SANDBOX_SETTLE"); text != "" {
		settle, err := time.ParseDuration(text)
		if err != nil {
			return nil, cli.Usage("use a duration such as 100ms", "invalid OVI_SANDBOX_SETTLE: %s", err)
		}
		options = append(options, sandbox.WithSettle(settle))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	cloud, err := sandbox.Open(file, options...)
	if err != nil {
		return nil, &cli.Problem{
			Summary: "cannot open the sandbox", File: file, Err: err,
			Suggestion: "run `ovi sandbox reset`",
		}
	}
	return cloud, nil
}

// sandboxFile is where the sandbox of AWS is: OVI_SANDBOX_FILE, for instances that share one, else
// in the sandbox folder of the data directory.
func sandboxFile(p *command.Process, dir string) string {
	if file := p.Getenv("OVI_SANDBOX_FILE"); file != "" {
		return file
	}
	return filepath.Join(dir, "aws.json")
}
