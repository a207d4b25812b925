package compute

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// SpotService has a role of its own, which the first spot instance of an account creates.
const SpotService = "spot.amazonaws.com"

// marketOf orders spare capacity, once: a request that AWS fulfills again would create instances that no action did.
func marketOf(a resource.Attrs) *types.InstanceMarketOptionsRequest {
	if on, _ := api.Flag(a, SpotAttr); !on {
		return nil
	}
	return &types.InstanceMarketOptionsRequest{
		MarketType: types.MarketTypeSpot, SpotOptions: &types.SpotMarketOptions{
			SpotInstanceType: types.SpotInstanceTypeOneTime, MaxPrice: api.DesiredText(a, spotPrice),
		},
	}
}

// endSpotRequest cancels the request that an instance is of, before it is terminated: a persistent
// one, which an adopted instance may have, would launch another instance. The instance itself does
// not tell what its request is, and one that has ended may be canceled again. Amazon EC2 API
// Reference, CancelSpotInstanceRequests: "Canceling a Spot Instance request does not terminate
// running Spot Instances associated with the request".
func endSpotRequest(ctx context.Context, g *api.Region, have resource.Observed) error {
	if on, _ := api.Flag(have.Attrs, SpotAttr); !on {
		return nil
	}
	i, err := pollInstance(ctx, g, have.ID)
	if api.Absent(err) {
		return nil
	}
	if err != nil || i.SpotInstanceRequestId == nil {
		return err
	}
	_, err = g.EC2.CancelSpotInstanceRequests(ctx,
		&ec2.CancelSpotInstanceRequestsInput{SpotInstanceRequestIds: []string{*i.SpotInstanceRequestId}})
	if api.Absent(err) {
		return nil
	}
	return api.Classify("", err)
}

// templateMarket is the same in a template.
func templateMarket(m *types.InstanceMarketOptionsRequest) *types.LaunchTemplateInstanceMarketOptionsRequest {
	if m == nil {
		return nil
	}
	return &types.LaunchTemplateInstanceMarketOptionsRequest{
		MarketType: m.MarketType, SpotOptions: &types.LaunchTemplateSpotMarketOptionsRequest{
			SpotInstanceType: m.SpotOptions.SpotInstanceType, MaxPrice: m.SpotOptions.MaxPrice,
		},
	}
}

// marketAttrs reads the market of a template. A template without one launches on demand.
func marketAttrs(a api.Attrs, m *types.LaunchTemplateInstanceMarketOptions) {
	a[SpotAttr] = resource.Bool(m != nil && m.MarketType == types.MarketTypeSpot)
	if m != nil && m.SpotOptions != nil {
		a.Text(spotPrice, m.SpotOptions.MaxPrice)
	}
}

// spotEffect: "You can't stop a Spot Instance … associated with a one-time Spot Instance request".
func spotEffect(have resource.Observed, c resource.Change) resource.Effect {
	if on, _ := api.Flag(have.Attrs, SpotAttr); on && c.On == resource.OnAttribute && c.Effect == resource.Restart {
		return resource.Replace
	}
	return c.Effect
}

// spotRuns: what cannot be stopped is not configured to be. AWS would accept the launch and refuse
// the stop after it.
func spotRuns(c *api.Checking) {
	for _, d := range c.Configured {
		if on, _ := api.Flag(d.Attrs, SpotAttr); on && d.State == resource.StateStopped {
			c.Wrong(d, SpotAttr, "omit state, or spot", "a spot instance cannot be stopped")
		}
	}
}

// judgeSpot rejects a price without spot capacity, which would have no effect, and termination
// protection of a spot instance, which AWS does not offer (Amazon EC2 User Guide, "Change instance
// termination protection").
func judgeSpot(a resource.Attrs) (out []resource.Problem) {
	on, _ := api.Flag(a, SpotAttr)
	if _, price := a.Get(spotPrice); price && !on {
		out = append(out, resource.Problem{
			Path: spotPrice, Summary: "the instance is not a spot instance",
			Suggestion: "set spot: true, or omit spot_max_price",
		})
	}
	if guarded, _ := api.Flag(a, "termination_protection"); guarded && on {
		out = append(out, resource.Problem{
			Path: "termination_protection", Summary: "AWS does not protect spot instances",
			Suggestion: "omit termination_protection, or spot",
		})
	}
	return out
}
