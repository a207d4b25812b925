package main

import (
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/provider/podman"
)

// table lists the providers. A provider is one line here and one row in the README.
func table(p *process, log hclog.Logger) []provider.Entry {
	return []provider.Entry{
		aws.Entry(log.Named("aws"), p.awsSandbox),
		podman.Entry(),
		cluster.Entry(),
		edge.Entry(log.Named("edge")),
	}
}

// clusterProvider is the provider whose clusters a table in a database declares.
const clusterProvider = "cluster"

// chartProvider is the provider whose kinds charts declare.
const chartProvider = podman.Name

// awsSandbox opens the sandbox of AWS for the provider.
func (p *process) awsSandbox(dir string) (http.RoundTripper, func() error, error) {
	cloud, err := p.openCloud(p.sandboxFile(dir))
	if err != nil {
		return nil, nil, err
	}
	return cloud, cloud.Close, nil
}

// openCloud opens a sandbox. OVI_SANDBOX_SETTLE is how long its passing states last: a second, less
// in tests.
func (p *process) openCloud(file string) (*sandbox.Cloud, error) {
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
		return nil, &cli.Problem{Summary: "cannot open the sandbox", File: file, Err: err, Suggestion: "run `ovi sandbox reset`"}
	}
	return cloud, nil
}

// sandboxFile is where the sandbox of AWS is: OVI_SANDBOX_FILE, for instances that share one, else
// in the sandbox folder of the data directory.
func (p *process) sandboxFile(dir string) string {
	if file := p.Getenv("OVI_SANDBOX_FILE"); file != "" {
		return file
	}
	return filepath.Join(dir, "aws.json")
}

// servedSandbox reports whether a provider may be used with a sandbox that another process serves.
func (p *process) servedSandbox() bool { return p.Getenv("AWS_ENDPOINT_URL") != "" }
