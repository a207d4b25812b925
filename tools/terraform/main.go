// Terraform's AWS provider, as `make terraform-state` runs it: the last version whose module can be had (1.60.0, of
// February 2019) speaks a protocol that Terraform 1.x refuses. Minimal version selection builds it with the plugin
// packages of Terraform 0.12, which speak one that Terraform 1.x still takes. The replace in go.mod keeps the AWS SDK at
// the version that the provider was written for.
package main

import (
	"github.com/hashicorp/terraform/plugin"
	"github.com/terraform-providers/terraform-provider-aws/aws"
)

func main() {
	plugin.Serve(&plugin.ServeOpts{ProviderFunc: aws.Provider})
}
