package network

import (
	"strings"
	"testing"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// TestAnUnknownStateIsNotHealthy: AWS adds states, of which this version cannot know whether they work.
func TestAnUnknownStateIsNotHealthy(t *testing.T) {
	g := &api.Region{Name: "us-east-1"}
	for _, c := range []struct {
		state string
		want  resource.Health
	}{{"available", resource.Healthy}, {"pending", resource.Pending}, {"hibernating", resource.Unclear}} {
		for name, o := range map[string]resource.Observed{
			"vpc":               observedVPC(g, ec2types.Vpc{State: ec2types.VpcState(c.state)}),
			"subnet":            observedSubnet(g, ec2types.Subnet{State: ec2types.SubnetState(c.state)}),
			"nat_gateway":       observedNAT(g, ec2types.NatGateway{State: ec2types.NatGatewayState(c.state)}),
			"vpc_endpoint":      observedEndpoint(g, ec2types.VpcEndpoint{State: ec2types.State(c.state)}),
			"network_interface": observedInterface(g, ec2types.NetworkInterface{Status: ec2types.NetworkInterfaceStatus(c.state)}),
		} {
			named := strings.Contains(o.Message, c.state)
			if o.Health != c.want || named != (c.want == resource.Unclear) {
				t.Errorf("a %s that is %s: %s, %q", name, c.state, o.Health, o.Message)
			}
		}
	}
	attached := ec2types.InternetGateway{Attachments: []ec2types.InternetGatewayAttachment{{State: "hibernating"}}}
	if o := observedInternetGateway(g, attached); o.Health != resource.Unclear {
		t.Errorf("an internet gateway: %s", o.Health)
	}
}
