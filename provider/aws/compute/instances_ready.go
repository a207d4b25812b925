package compute

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// MostStatuses is how many instances one DescribeInstanceStatus takes by ID.
const MostStatuses = 100

// Statuses reads the status checks of instances; of those that do not run there are none. Amazon
// EC2 API Reference, DescribeInstanceStatus: "Maximum 100 explicitly specified instance IDs", which
// the caller observes; "By default, only running instances are described". An ID that does not
// exist makes the whole call fail.
func Statuses(ctx context.Context, g *api.Region, ids []string) (map[string]types.InstanceStatus, error) {
	out := map[string]types.InstanceStatus{}
	if len(ids) == 0 {
		return out, nil
	}
	const op = "ec2.DescribeInstanceStatus"
	all, err := api.Pages(ctx, op, func(ctx context.Context, token *string) ([]types.InstanceStatus, *string, error) {
		page, err := g.EC2.DescribeInstanceStatus(ctx, &ec2.DescribeInstanceStatusInput{InstanceIds: ids, NextToken: token})
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

// Checked is the health of a running instance by its status checks (EC2 API reference:
// InstanceStatus). An impaired check is a failure. An initializing check, or insufficient data, is
// pending: a new instance has them for some minutes.
func Checked(s types.InstanceStatus, listed bool) (resource.Health, string) {
	if !listed {
		return resource.Pending, "its status checks have not started"
	}
	for _, check := range []struct {
		name string
		of   *types.InstanceStatusSummary
	}{{"system", s.SystemStatus}, {"instance", s.InstanceStatus}} {
		switch {
		case check.of == nil || check.of.Status == types.SummaryStatusOk ||
			check.of.Status == types.SummaryStatusNotApplicable:
		case check.of.Status == types.SummaryStatusImpaired:
			return resource.Failing, fmt.Sprintf("its %s status check failed", check.name)
		default:
			return resource.Pending, fmt.Sprintf("its %s status check is %s", check.name, check.of.Status)
		}
	}
	return resource.Healthy, ""
}
