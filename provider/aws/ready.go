package aws

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/resource"
)

// mostStatuses is how many instances one DescribeInstanceStatus takes by ID.
const mostStatuses = 100

// Ready implements provider.Readier: an instance that runs is in service once it has passed AWS's status
// checks, which takes minutes after its start. Others are when they are observed as healthy.
func (p *Provider) Ready(ctx context.Context, all []resource.Observed) ([]resource.Observed, error) {
	if len(all) == 0 || all[0].Ref.Kind != kindEC2 {
		return all, nil
	}
	g, err := p.at(ctx, all[0].Ref.Location)
	if err != nil {
		return nil, err
	}
	for part := range slices.Chunk(all, mostStatuses) {
		var ids []string
		for i := range part {
			if part[i].Health == resource.Healthy {
				ids = append(ids, part[i].ID)
			}
		}
		statuses, err := statuses(ctx, g, ids)
		if err != nil {
			return nil, err
		}
		for i := range part {
			if o := &part[i]; o.Health == resource.Healthy {
				s, listed := statuses[o.ID]
				o.Health, o.Message = checked(s, listed)
			}
		}
	}
	return all, nil
}

// statuses reads the status checks of instances; of those that do not run there are none.
func statuses(ctx context.Context, g *region, ids []string) (map[string]types.InstanceStatus, error) {
	out := map[string]types.InstanceStatus{}
	if len(ids) == 0 {
		return out, nil
	}
	const op = "ec2.DescribeInstanceStatus"
	all, err := pages(ctx, op, func(ctx context.Context, token *string) ([]types.InstanceStatus, *string, error) {
		page, err := g.ec2.DescribeInstanceStatus(ctx, &ec2.DescribeInstanceStatusInput{InstanceIds: ids, NextToken: token})
		if err != nil {
			return nil, nil, err
		}
		return page.InstanceStatuses, page.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.InstanceId != nil {
			out[*s.InstanceId] = s
		}
	}
	return out, nil
}

// checked is the health of a running instance by its status checks (EC2 API reference: InstanceStatus).
func checked(s types.InstanceStatus, listed bool) (resource.Health, string) {
	if !listed {
		return resource.Pending, "its status checks have not started"
	}
	for _, check := range []struct {
		name string
		of   *types.InstanceStatusSummary
	}{{"system", s.SystemStatus}, {"instance", s.InstanceStatus}} {
		switch {
		case check.of == nil || check.of.Status == types.SummaryStatusOk || check.of.Status == types.SummaryStatusNotApplicable:
		case check.of.Status == types.SummaryStatusImpaired:
			return resource.Failing, fmt.Sprintf("its %s status check failed", check.name)
		default:
			return resource.Pending, fmt.Sprintf("its %s status check is %s", check.name, check.of.Status)
		}
	}
	return resource.Healthy, ""
}
