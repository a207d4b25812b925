package aws

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/hashicorp/go-hclog"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// Sandbox opens the sandbox in a directory. It returns the transport to it, and a function that is
// called when the provider is closed.
type Sandbox func(dir string) (transport http.RoundTripper, closeSandbox func() error, err error)

// Entry is AWS in a table of providers. It does no I/O, and its Open only opens the sandbox, if
// there is one.
func Entry(log hclog.Logger, sandbox Sandbox) provider.Entry {
	return provider.Entry{
		Name: "aws", Doc: "Amazon Web Services",
		Credentials: []provider.CredentialFile{
			{Variable: "AWS_SHARED_CREDENTIALS_FILE", Home: ".aws/credentials"},
			{Variable: "AWS_CONFIG_FILE", Home: ".aws/config"},
		},
		Example: "type: ec2, size: t3.micro",
		Locations: provider.Locations{
			Word: "region", Example: "us-east-1", Required: true,
			Default: func(option func(string) string) string { return option("region") },
			Sandbox: func(location string) bool { account, _ := api.AccountAndRegion(location); return ofSandbox(account) },
			Group:   provider.Group{Word: "account", Pattern: accountPattern, Example: "222222222222/us-east-1"},
		},
		Options: []provider.Option{
			{
				Key: "region", Flag: "region", Env: []string{"AWS_REGION", "AWS_DEFAULT_REGION"},
				Doc: "use the AWS `REGION` where the configuration names none",
			},
			{
				Key: "profile", Flag: "profile", Env: []string{"AWS_PROFILE"}, Grouped: true,
				Doc: "use the AWS credentials `PROFILE`; ACCOUNT=PROFILE, separated by commas, for the locations of an account",
			},
			{
				Key: "role_arn", Flag: "role-arn", Grouped: true, GroupOf: accountOfRole,
				Doc: "assume the AWS role `ARN`; several, separated by commas, each for the locations of its account",
			},
			{
				Key: "external_id", Flag: "external-id", Grouped: true,
				Doc: "the external `ID` that the AWS role requires; ACCOUNT=ID, separated by commas, for the role of an account",
			},
		},
		Kinds:          Kinds,
		Permissions:    IAMPolicy,
		PermissionsFor: IAMPolicyFor,
		Terraform:      terraformTypes(),
		Sandbox:        true,
		Open: func(_ context.Context, c provider.Config) (provider.Provider, error) {
			opts := Options{Region: c.Options("region"), Owner: c.Owner, Clock: c.Clock, Log: log}
			// The SDK accepts a misspelled region and then waits for an address that does not
			// exist.
			if wrong, meant := api.JudgeRegion(opts.Region); opts.Region != "" && wrong != "" {
				return nil, resource.Advise(fmt.Errorf("%q %s", opts.Region, wrong),
					"use --region "+cmp.Or(meant, "us-east-1, for example"))
			}
			var err error
			if opts.Identities, err = identitiesIn(c.Options("profile"), c.Options("role_arn"),
				c.Options("external_id")); err != nil {
				return nil, err
			}
			if c.Sandbox == "" {
				return New(opts), nil
			}
			transport, closeSandbox, err := sandbox(c.Sandbox)
			if err != nil {
				return nil, err
			}
			opts.Sandbox, opts.HTTPClient = true, &http.Client{Transport: transport}
			return sandboxed{New(opts), closeSandbox}, nil
		},
	}
}

// sandboxed is a provider whose sandbox is closed with it.
type sandboxed struct {
	*Provider
	close func() error
}

// Close closes the sandbox.
func (s sandboxed) Close() error { return s.close() }
