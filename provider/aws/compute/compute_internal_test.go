package compute

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
)

func TestATerminatedLaunchIsExplained(t *testing.T) {
	err := died(ec2types.Instance{
		InstanceId: aws.String("i-1"), State: &ec2types.InstanceState{Name: "terminated"},
		StateReason: &ec2types.StateReason{Code: aws.String("Client.VolumeLimitExceeded"), Message: aws.String("Volume limit exceeded")},
	})
	if provider.CauseOf(err) != provider.Configuration || !strings.Contains(err.Error(), "Volume limit exceeded") {
		t.Errorf("%v", err)
	}
	err = died(ec2types.Instance{State: &ec2types.InstanceState{}, StateReason: &ec2types.StateReason{Code: aws.String("Server.InternalError")}})
	if provider.CauseOf(err) != provider.Unreachable {
		t.Errorf("%v", err)
	}
}

func TestArchitectures(t *testing.T) {
	for size, want := range map[string]string{"t3.micro": "x86_64", "t4g.nano": "arm64", "m7gd.large": "arm64", "g4dn.xlarge": "x86_64", "a1.large": "arm64", "c6gn.medium": "arm64", "g5.xlarge": "x86_64"} {
		if got := architecture(size); got != want {
			t.Errorf("%s: %s", size, got)
		}
	}
}
