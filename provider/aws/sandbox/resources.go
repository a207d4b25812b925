package sandbox

import (
	"cmp"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/keys"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Account is the account number of the sandbox.
const Account = wire.Account

// Resource is one resource of the sandbox, as a listing shows it.
type Resource = core.Resource

// Breakage is a change that someone makes by hand, for Break.
type Breakage = core.Breakage

// Resources lists all resources of the account in every region that was ever changed: by region,
// then kind, then age. Terminated instances are listed until they age out.
func (c *Cloud) Resources() ([]core.Resource, error) {
	var out []core.Resource
	err := c.do(func(t *core.Tx) error {
		out = t.Resources()
		return nil
	})
	for i := range out {
		out[i].Account = c.account
	}
	slices.SortStableFunc(out, func(a, b core.Resource) int { return cmp.Compare(a.Region, b.Region) })
	return out, err
}

// IssueCertificates issues all certificates, as if their records were in the DNS of others.
func (c *Cloud) IssueCertificates() error { return c.do(keys.IssueCertificates) }
