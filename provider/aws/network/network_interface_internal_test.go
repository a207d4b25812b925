package network

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// What a launch or a service made is no resource; one that was made by itself and used for a launch is, without a number that
// no configuration may have.
func TestWhatAnInterfaceIsPartOf(t *testing.T) {
	g := &api.Region{Name: "us-east-1"}
	plugged := func(index int32, goes bool) *ec2types.NetworkInterfaceAttachment {
		return &ec2types.NetworkInterfaceAttachment{
			InstanceId: aws.String("i-1"), DeviceIndex: aws.Int32(index), DeleteOnTermination: aws.Bool(goes), Status: ec2types.AttachmentStatusAttached,
		}
	}
	ref := api.EC2Tags(map[string]string{api.TagManaged: "true", api.TagStack: "web", api.TagRef: "aws/us-east-1/network_interface/a"})
	for name, c := range map[string]struct {
		n                            ec2types.NetworkInterface
		hidden, attached, owned, why bool
	}{
		"of a launch":              {n: ec2types.NetworkInterface{Attachment: plugged(0, true)}, hidden: true},
		"of a service":             {n: ec2types.NetworkInterface{RequesterManaged: aws.Bool(true)}, hidden: true},
		"used for a launch":        {n: ec2types.NetworkInterface{Attachment: plugged(0, false)}, why: true},
		"of ovi, used so":          {n: ec2types.NetworkInterface{Attachment: plugged(0, true), TagSet: ref}, why: true},
		"attached":                 {n: ec2types.NetworkInterface{Attachment: plugged(1, false)}, attached: true},
		"deleted with an instance": {n: ec2types.NetworkInterface{Attachment: plugged(1, true)}, attached: true, owned: true},
		"free":                     {n: ec2types.NetworkInterface{}},
	} {
		if got := partOfOther(c.n); got != c.hidden {
			t.Errorf("%s: hidden is %v", name, got)
		}
		if c.hidden {
			continue
		}
		c.n.NetworkInterfaceId, c.n.Status = aws.String("eni-1"), ec2types.NetworkInterfaceStatusInUse
		o := observedInterface(g, c.n)
		_, at := o.Attrs.Get("attach_to")
		_, index := o.Attrs.Get(deviceIndex)
		if at != c.attached || index != c.attached || (o.OwnedBy != "") != c.owned || (o.Message != "") != c.why {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
