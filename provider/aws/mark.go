package aws

import (
	"context"
	"fmt"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Mark writes ovi's tags on a resource that exists; see provider.Marker. User tags stay.
func (p *Provider) Mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
	k, g, err := p.begin(ctx, r.Desired.Ref)
	if err != nil {
		return resource.Observed{}, err
	}
	if r.Have.ID == "" {
		return resource.Observed{}, permanent("", fmt.Errorf("%s has no ID to mark it by", r.Desired.Ref), "run `ovi plan` to observe it again")
	}
	now, err := k.read(ctx, g, r.Have.ID)
	if err == nil {
		err = same(r.Have, now)
	}
	if err != nil {
		return resource.Observed{}, classify("", err)
	}
	set, drop := g.markTags(r)
	if err := k.tag(ctx, g, r.Have.ID, set, drop); err != nil {
		return resource.Observed{}, classify("", err)
	}
	now, err = k.read(ctx, g, r.Have.ID)
	return now, classify("", err)
}

// same refuses a resource that has the id of the one meant but is another one: a database that
// was deleted and created again under its name.
func same(meant, now resource.Observed) error {
	if meant.UID == "" || now.UID == "" || meant.UID == now.UID {
		return nil
	}
	return conflict("", fmt.Errorf("%s %s is another resource than the one observed: it is %s now, and was %s",
		meant.Ref.Kind, meant.ID, now.UID, meant.UID), "run `ovi plan` again")
}
