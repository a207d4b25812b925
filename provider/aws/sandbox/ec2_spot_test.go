package sandbox_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

func TestAPersistentSpotRequestLaunchesAgainUntilItIsCanceled(t *testing.T) {
	c, _ := open(t)
	cl := ec2Of(c)
	spot := func(kind types.SpotInstanceType) func(*ec2.RunInstancesInput) {
		return func(in *ec2.RunInstancesInput) {
			in.InstanceMarketOptions = &types.InstanceMarketOptionsRequest{MarketType: types.MarketTypeSpot, SpotOptions: &types.SpotMarketOptions{SpotInstanceType: kind}}
			in.TagSpecifications = []types.TagSpecification{tagSpec("instance", "team=a")}
		}
	}
	living := func() (out []types.Instance) {
		all := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("instance-state-name", "pending", "running", "stopped")}}))(t)
		for _, r := range all.Reservations {
			out = append(out, r.Instances...)
		}
		return out
	}
	end := func(i types.Instance) {
		ok(cl.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{*i.InstanceId}}))(t)
	}
	end(run(t, cl, "once", spot(types.SpotInstanceTypeOneTime)))
	if left := living(); len(left) != 0 {
		t.Fatalf("after a request for one time: %d instances", len(left))
	}
	first := run(t, cl, "kept", spot(types.SpotInstanceTypePersistent))
	end(first)
	end(first)
	left := living()
	if len(left) != 1 || len(left[0].Tags) > 0 || *left[0].SpotInstanceRequestId != *first.SpotInstanceRequestId || *left[0].PrivateIpAddress == *first.PrivateIpAddress {
		t.Fatalf("after a persistent one: %+v", left)
	}
	cancel := &ec2.CancelSpotInstanceRequestsInput{SpotInstanceRequestIds: []string{*first.SpotInstanceRequestId}}
	for range 2 {
		ok(cl.CancelSpotInstanceRequests(ctx, cancel))(t)
	}
	if len(living()) != 1 {
		t.Error("canceling the request terminated its instance")
	}
	end(left[0])
	if left := living(); len(left) != 0 {
		t.Errorf("after it was canceled: %d instances", len(left))
	}
	_, err := cl.CancelSpotInstanceRequests(ctx, &ec2.CancelSpotInstanceRequestsInput{SpotInstanceRequestIds: []string{"sir-00000000"}})
	wantCode(t, err, "InvalidSpotInstanceRequestID.NotFound")
}
