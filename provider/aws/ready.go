package aws

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/compute"
	"github.com/ovi-project/ovi/resource"
)

// Ready implements provider.Readier: an instance that runs is in service once it has passed AWS's status
// checks, which takes minutes after its start. Other resources are in service when they are observed as
// healthy. An instance that is not healthy is not read, and keeps its health.
func (p *Provider) Ready(ctx context.Context, all []resource.Observed) ([]resource.Observed, error) {
	if len(all) == 0 || all[0].Ref.Kind != api.KindEC2 {
		return all, nil
	}
	g, err := p.at(ctx, all[0].Ref.Location)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(all, compute.MostStatuses) {
		var ids []string
		for i := range part {
			if part[i].Health == resource.Healthy {
				ids = append(ids, part[i].ID)
			}
		}
		statuses, err := compute.Statuses(ctx, g, ids)
		if err != nil {
			return nil, err
		}
		for i := range part {
			if o := &part[i]; o.Health == resource.Healthy {
				s, listed := statuses[o.ID]
				o.Health, o.Message = compute.Checked(s, listed)
			}
		}
	}
	return all, nil
}
