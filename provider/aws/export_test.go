package aws

import (
	"context"
	"maps"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// Operations lists the calls that the table of permissions knows.
func Operations() []string {
	var out []string
	for _, c := range append(shared(), slices.Collect(maps.Values(calls()))...) {
		out = append(out, c.Made()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// OwnedBy is ownedBy, for tags that only AWS can write.
func OwnedBy(tags map[string]string) string { return api.OwnedBy(tags) }

// IdentitiesIn reads the options for accounts.
func IdentitiesIn(profile, roles, externalID string) (Identities, error) {
	return identitiesIn(profile, roles, externalID)
}

// Reach gets the credentials for a location and asks for their account.
func (p *Provider) Reach(ctx context.Context, location string) error {
	_, err := p.at(ctx, location)
	return err
}
