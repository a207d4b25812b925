// Package raw sends requests without an SDK. It stands apart so that neither
// fuzzing nor the race detector has to compile the SDK again, which takes minutes.
package raw_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// FuzzRequests sends any body to every service: no answer is a panic, and a
// refused request leaves nothing behind.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"Action=RunInstances&ImageId=ami-0a1b2c3d4e5f60718&InstanceType=t3.micro&MaxCount=1&MinCount=1&BlockDeviceMapping.1.DeviceName=/dev/xvda&BlockDeviceMapping.1.Ebs.VolumeSize=9",
		"Action=DescribeInstances&Filter.1.Name=tag:a&Filter.1.Value.1=*\\&MaxResults=5&NextToken=x",
		"Action=ModifyInstanceAttribute&InstanceId=i-1&InstanceType.Value=t3.small",
		"Action=CreateVolume&AvailabilityZone=us-east-1a&Size=10&VolumeType=io2&Iops=100",
		"Action=CreateSubnet&VpcId=vpc-1&CidrBlock=10.0.0.0/16",
		"Action=AuthorizeSecurityGroupIngress&GroupName=default&IpProtocol=tcp&FromPort=1&ToPort=2&CidrIp=0.0.0.0/0",
		"Action=AuthorizeSecurityGroupEgress&GroupName=default&IpPermissions.1.IpProtocol=58&IpPermissions.1.Groups.1.GroupId=sg-1",
		"Action=CreateDBInstance&DBInstanceIdentifier=a&DBInstanceClass=db.t3.micro&Engine=mysql&AllocatedStorage=20&MasterUsername=a&MasterUserPassword=example-pass",
		"Action=ModifyDBInstance&DBInstanceIdentifier=a&AllocatedStorage=99999&ApplyImmediately=true",
		"Action=DescribeDBInstances&Marker=Mnww&MaxRecords=20",
		"Action=DescribeImages&ImageId.1=ami-1&Filter.1.Name=name",
		"<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>",
		"<CreateBucketConfiguration/>", `{"Name":"/aws"}`, "5\r\nhello\r\n0\r\n\r\n",
	} {
		for service := range 5 {
			f.Add(seed, "/b/k?tagging", "PUT", uint8(service))
		}
	}
	services := []string{"ec2", "rds", "s3", "sts", "ssm"}
	f.Fuzz(func(t *testing.T, body, path, method string, service uint8) {
		c, err := sandbox.Open("", sandbox.WithSeed("fuzz"))
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse("https://s3.us-east-1.amazonaws.com" + path)
		if err != nil {
			t.Skip()
		}
		name := services[int(service)%len(services)]
		r := &http.Request{Method: method, URL: u, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=K/20261121/us-east-1/"+name+"/aws4_request, Signature=0")
		r.Header.Set("X-Amz-Target", "AmazonSSM.GetParameter")
		if strings.HasSuffix(body, "\r\n") {
			r.Header.Set("Content-Encoding", "aws-chunked")
		}
		if name != "s3" {
			r.Method = http.MethodPost
		}
		before, err := c.Resources()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if after, err := c.Resources(); err != nil || out.StatusCode >= 400 && len(before) > 0 && len(after) != len(before) {
			t.Errorf("%s refused with %d left %d things of %d (%v)", body, out.StatusCode, len(after), len(before), err)
		}
		if out.StatusCode == http.StatusInternalServerError {
			text, _ := io.ReadAll(out.Body)
			t.Errorf("%s: %s", body, text)
		}
	})
}
