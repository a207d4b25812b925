package awsfake

import (
	"cmp"
	"slices"
)

// Resources lists all resources in every region that was ever changed: by region,
// then kind, then age. Terminated instances are listed until they age out.
func (c *Cloud) Resources() ([]Resource, error) {
	var out []Resource
	err := c.do(func(t *tx) error {
		out = t.resources()
		return nil
	})
	slices.SortStableFunc(out, func(a, b Resource) int { return cmp.Compare(a.Region, b.Region) })
	return out, err
}

// IssueCertificates issues all certificates, as if their records were in the DNS of others.
func (c *Cloud) IssueCertificates() error { return c.do(issueCertificates) }
