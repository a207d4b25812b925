package awsfake_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ovi-project/ovi/internal/awsfake"
)

func TestServedOverAPort(t *testing.T) {
	c, _ := open(t)
	server := httptest.NewServer(c)
	defer server.Close()
	cfg := config(http.DefaultTransport, "us-east-1")
	cfg.BaseEndpoint = aws.String(server.URL)
	run(t, ec2.NewFromConfig(cfg), "")
	bucket := s3.NewFromConfig(cfg)
	ok(bucket.CreateBucket(ctx, bucketIn("served", "us-east-1")))(t)
	ok(bucket.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("served"), Key: aws.String("k"), Body: strings.NewReader("v")}))(t)
	ok(bucket.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String("served")}))(t)
	plan(t, c, awsfake.Fault{Kind: awsfake.Lost, Action: "DescribeInstances"})
	_, err := ec2.NewFromConfig(cfg).DescribeInstances(ctx, &ec2.DescribeInstancesInput{})
	if !strings.HasPrefix(code(err), "no answer") {
		t.Errorf("lost over a port: %v", err)
	}
}

func TestRequestsThatNoSDKSends(t *testing.T) {
	c, _ := open(t)
	scope := func(region, service string) string {
		return "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261121/" + region + "/" + service + "/aws4_request, SignedHeaders=host, Signature=00"
	}
	for _, tt := range []struct {
		name, auth, body string
		status           int
		want             string
	}{
		{"no signature", "", "Action=DescribeInstances", 403, "MissingAuthenticationToken"},
		{"half a signature", "AWS4-HMAC-SHA256 Credential=x", "Action=DescribeInstances", 400, "IncompleteSignature"},
		{"no such region", scope("mars", "ec2"), "Action=DescribeInstances", 403, "SignatureDoesNotMatch"},
		{"no such service", scope("us-east-1", "lambda"), "", 404, "UnknownService"},
		{"no such action", scope("us-east-1", "ec2"), "Action=MakeCoffee", 400, "InvalidAction"},
		{"no such action of RDS", scope("us-east-1", "rds"), "Action=MakeCoffee", 400, "InvalidAction"},
		{"no action", scope("us-east-1", "ec2"), "", 400, "MissingAction"},
		{"a broken query", scope("us-east-1", "ec2"), "Action=%zz", 400, "MalformedQueryString"},
		{"a name without end", scope("us-east-1", "ec2"), "Action=x&" + strings.Repeat("a.", 40) + "=1", 400, "MalformedQueryString"},
		{"no JSON action", scope("us-east-1", "ssm"), "{}", 400, "UnknownOperationException"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "https://ec2.us-east-1.amazonaws.com/", strings.NewReader(tt.body))
			if tt.auth != "" {
				r.Header.Set("Authorization", tt.auth)
			}
			out, err := c.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(out.Body)
			if err != nil || out.StatusCode != tt.status || !strings.Contains(string(text), tt.want) {
				t.Errorf("%d %s (%v)", out.StatusCode, text, err)
			}
		})
	}
}

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
		c, err := awsfake.Open("", awsfake.WithSeed("fuzz"))
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
		before, err := c.Things()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if after, err := c.Things(); err != nil || out.StatusCode >= 400 && len(before) > 0 && len(after) != len(before) {
			t.Errorf("%s refused with %d left %d things of %d (%v)", body, out.StatusCode, len(after), len(before), err)
		}
		if out.StatusCode == http.StatusInternalServerError {
			text, _ := io.ReadAll(out.Body)
			t.Errorf("%s: %s", body, text)
		}
	})
}
