package aws

import (
	"context"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// Mark writes ovi's tags on a resource that exists; see provider.Marker. User tags stay. A Name tag
// that ovi wrote follows the name. The resource is read first, so that one which took its place
// under the same ID is not marked.
func (p *Provider) Mark(ctx context.Context, r provider.Request) (resource.Observed, error) {
	k, g, err := p.begin(ctx, r.Desired.Ref)
	if err != nil {
		return resource.Observed{}, err
	}
	if r.Have.ID == "" {
		return resource.Observed{}, api.Mistake("", provider.Errorf("%s has no ID to mark it by", r.Desired.Ref),
			"run `ovi plan` to observe it again")
	}
	now, err := k.Read(ctx, g, r.Have.ID)
	if err == nil {
		err = api.Same(r.Have, now)
	}
	if err != nil {
		return resource.Observed{}, api.Classify("", err)
	}
	set, drop := g.MarkTags(r)
	if k.Schema.NameTag == api.TagHuman {
		api.Renamed(set, now, r.Desired.Ref.Name)
	}
	if err := k.Tag(ctx, g, r.Have.ID, set, drop); err != nil {
		return resource.Observed{}, api.Classify("", err)
	}
	// The result is an observation, with the tags that others wrote meanwhile.
	now, err = k.Read(ctx, g, r.Have.ID)
	return now, api.Classify("", err)
}
