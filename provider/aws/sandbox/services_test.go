package sandbox_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	astypes "github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	iamtypes "github.com/aws/aws-sdk-go-v2/service/iam/types"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

const trust = `{"Version":"2012-10-17","Statement":{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}}`

func iamOf(c *sandbox.Cloud, region string) *iam.Client { return iam.NewFromConfig(config(c, region)) }

// A role is one of the account, whichever region asks, and is emptied before it is deleted.
func TestRolesHaveNoRegionAndAreEmptiedFirst(t *testing.T) {
	c, _ := open(t)
	cl, name := iamOf(c, "us-east-1"), aws.String("web")
	ok(cl.CreateRole(ctx, &iam.CreateRoleInput{RoleName: name, AssumeRolePolicyDocument: aws.String(trust)}))(t)
	_, err := iamOf(c, "eu-west-1").CreateRole(ctx, &iam.CreateRoleInput{RoleName: aws.String("WEB"), AssumeRolePolicyDocument: aws.String(trust)})
	wantCode(t, err, "EntityAlreadyExists")
	_, err = cl.CreateRole(ctx, &iam.CreateRoleInput{RoleName: aws.String("x"), AssumeRolePolicyDocument: aws.String(`{"Statement":[{"Resource":"*"}]}`)})
	wantCode(t, err, "MalformedPolicyDocument")
	_, err = cl.TagRole(ctx, &iam.TagRoleInput{RoleName: name, Tags: []iamtypes.Tag{{Key: aws.String("a*b"), Value: aws.String("")}}})
	wantCode(t, err, "ValidationError")

	ok(cl.PutRolePolicy(ctx, &iam.PutRolePolicyInput{RoleName: name, PolicyName: name, PolicyDocument: aws.String("{}")}))(t)
	ok(cl.CreateInstanceProfile(ctx, &iam.CreateInstanceProfileInput{InstanceProfileName: name}))(t)
	ok(cl.AddRoleToInstanceProfile(ctx, &iam.AddRoleToInstanceProfileInput{InstanceProfileName: name, RoleName: name}))(t)
	_, err = cl.AttachRolePolicy(ctx, &iam.AttachRolePolicyInput{RoleName: name, PolicyArn: aws.String("arn:aws:iam::000000000000:policy/none")})
	wantCode(t, err, "NoSuchEntity")
	_, err = cl.DeleteRole(ctx, &iam.DeleteRoleInput{RoleName: name})
	wantCode(t, err, "DeleteConflict")
	ok(cl.DeleteRolePolicy(ctx, &iam.DeleteRolePolicyInput{RoleName: name, PolicyName: name}))(t)
	_, err = cl.DeleteRole(ctx, &iam.DeleteRoleInput{RoleName: name})
	wantCode(t, err, "DeleteConflict") // of the profile
	_, err = cl.DeleteInstanceProfile(ctx, &iam.DeleteInstanceProfileInput{InstanceProfileName: name})
	wantCode(t, err, "DeleteConflict")
	ok(cl.RemoveRoleFromInstanceProfile(ctx, &iam.RemoveRoleFromInstanceProfileInput{InstanceProfileName: name, RoleName: name}))(t)
	ok(cl.DeleteRole(ctx, &iam.DeleteRoleInput{RoleName: name}))(t)
}

func TestRolesComeInPages(t *testing.T) {
	c, _ := open(t)
	cl := iamOf(c, "us-east-1")
	for i := range 7 {
		ok(cl.CreateRole(ctx, &iam.CreateRoleInput{RoleName: aws.String(fmt.Sprint("r", i)), AssumeRolePolicyDocument: aws.String(trust)}))(t)
	}
	n, calls := 0, 0
	in := &iam.GetAccountAuthorizationDetailsInput{Filter: []iamtypes.EntityType{iamtypes.EntityTypeRole}, MaxItems: aws.Int32(3)}
	for {
		out := ok(cl.GetAccountAuthorizationDetails(ctx, in))(t)
		n, calls = n+len(out.RoleDetailList), calls+1
		if in.Marker = out.Marker; !out.IsTruncated {
			break
		}
	}
	if n != 7 || calls != 3 {
		t.Errorf("%d roles in %d pages", n, calls)
	}
}

// webNetwork is a network with two subnets and a gateway.
func webNetwork(t *testing.T, c *sandbox.Cloud) (vpc string, subnets []string) {
	t.Helper()
	cl := ec2Of(c)
	vpc = *ok(cl.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String("10.0.0.0/16")}))(t).Vpc.VpcId
	for i, zone := range []string{"us-east-1a", "us-east-1b", "us-east-1b"} {
		s := ok(cl.CreateSubnet(ctx, &ec2.CreateSubnetInput{VpcId: &vpc, CidrBlock: aws.String(fmt.Sprintf("10.0.%d.0/24", i)), AvailabilityZone: aws.String(zone)}))(t)
		subnets = append(subnets, *s.Subnet.SubnetId)
	}
	return vpc, subnets
}

func TestALoadBalancerIsRefusedAsAWSDoes(t *testing.T) {
	c, _ := open(t)
	vpc, subnets := webNetwork(t, c)
	cl := elb.NewFromConfig(config(c, "us-east-1"))
	create := func(name string, subnets ...string) error {
		_, err := cl.CreateLoadBalancer(ctx, &elb.CreateLoadBalancerInput{Name: &name, Subnets: subnets})
		return err
	}
	wantCode(t, create("web", subnets[:2]...), "InvalidSubnet") // no gateway
	igw := ok(ec2Of(c).CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{}))(t).InternetGateway.InternetGatewayId
	ok(ec2Of(c).AttachInternetGateway(ctx, &ec2.AttachInternetGatewayInput{InternetGatewayId: igw, VpcId: &vpc}))(t)
	wantCode(t, create("web", subnets[0]), "ValidationError")
	wantCode(t, create("web", subnets[1], subnets[2]), "InvalidConfigurationRequest") // two in one zone
	wantCode(t, create("-web", subnets[:2]...), "ValidationError")
	wantCode(t, create("web", "subnet-0123456789abcdef0"), "SubnetNotFound")
	for range 2 { // the second is taken for the first
		if err := create("web", subnets[:2]...); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, create("web", subnets[0], subnets[2]), "DuplicateLoadBalancerName")
	all := ok(cl.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{}))(t).LoadBalancers
	if len(all) != 1 || all[0].State.Code != elbtypes.LoadBalancerStateEnumProvisioning {
		t.Fatalf("%+v", all)
	}

	tg := ok(cl.CreateTargetGroup(ctx, &elb.CreateTargetGroupInput{Name: aws.String("t"), VpcId: &vpc, Port: aws.Int32(80), Protocol: elbtypes.ProtocolEnumTcp}))(t).TargetGroups[0].TargetGroupArn
	listen := func(tg *string) error {
		_, err := cl.CreateListener(ctx, &elb.CreateListenerInput{
			LoadBalancerArn: all[0].LoadBalancerArn, Port: aws.Int32(80), Protocol: elbtypes.ProtocolEnumHttp,
			DefaultActions: []elbtypes.Action{{Type: elbtypes.ActionTypeEnumForward, TargetGroupArn: tg}},
		})
		return err
	}
	wantCode(t, listen(tg), "IncompatibleProtocols")
	web := ok(cl.CreateTargetGroup(ctx, &elb.CreateTargetGroupInput{Name: aws.String("web"), VpcId: &vpc, Port: aws.Int32(80), Protocol: elbtypes.ProtocolEnumHttp}))(t).TargetGroups[0].TargetGroupArn
	if err := listen(web); err != nil {
		t.Fatal(err)
	}
	wantCode(t, listen(web), "DuplicateListener")
	_, err := cl.DeleteTargetGroup(ctx, &elb.DeleteTargetGroupInput{TargetGroupArn: web})
	wantCode(t, err, "ResourceInUse")
	_, err = cl.DescribeTags(ctx, &elb.DescribeTagsInput{ResourceArns: []string{*web + "x"}})
	wantCode(t, err, "TargetGroupNotFound")
	_, err = ec2Of(c).DeleteSubnet(ctx, &ec2.DeleteSubnetInput{SubnetId: &subnets[0]})
	wantCode(t, err, "DependencyViolation")
}

// A group's instances are launched by the version of its template, carry its tag, and go with it.
func TestAGroupLaunchesByItsTemplate(t *testing.T) {
	c, clock := open(t)
	_, subnets := webNetwork(t, c)
	cl, as := ec2Of(c), autoscaling.NewFromConfig(config(c, "us-east-1"))
	lt := ok(cl.CreateLaunchTemplate(ctx, &ec2.CreateLaunchTemplateInput{
		LaunchTemplateName: aws.String("web"), LaunchTemplateData: &types.RequestLaunchTemplateData{ImageId: aws.String("ami-0abcdef1234567890"), InstanceType: types.InstanceTypeT3Micro},
	}))(t).LaunchTemplate.LaunchTemplateId
	group := func(version string) *autoscaling.CreateAutoScalingGroupInput {
		in := &autoscaling.CreateAutoScalingGroupInput{AutoScalingGroupName: aws.String("web"), MinSize: aws.Int32(2), MaxSize: aws.Int32(3), VPCZoneIdentifier: &subnets[0]}
		in.LaunchTemplate = specOf(lt, version)
		return in
	}
	_, err := as.CreateAutoScalingGroup(ctx, group("7"))
	wantCode(t, err, "ValidationError")
	ok(as.CreateAutoScalingGroup(ctx, group("$Latest")))(t)
	_, err = as.CreateAutoScalingGroup(ctx, group("$Latest"))
	wantCode(t, err, "AlreadyExists")
	_, err = as.DeleteAutoScalingGroup(ctx, &autoscaling.DeleteAutoScalingGroupInput{AutoScalingGroupName: aws.String("web")})
	wantCode(t, err, "ResourceInUse")
	members := ok(cl.DescribeInstances(ctx, &ec2.DescribeInstancesInput{Filters: []types.Filter{filter("tag:aws:autoscaling:groupName", "web")}}))(t)
	if len(members.Reservations) != 2 || members.Reservations[0].Instances[0].InstanceType != types.InstanceTypeT3Micro {
		t.Errorf("%d members", len(members.Reservations))
	}
	// Users may tag what AWS has tagged.
	ok(cl.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{*members.Reservations[0].Instances[0].InstanceId}, Tags: []types.Tag{{Key: aws.String("team"), Value: aws.String("web")}}}))(t)
	ok(as.DeleteAutoScalingGroup(ctx, &autoscaling.DeleteAutoScalingGroupInput{AutoScalingGroupName: aws.String("web"), ForceDelete: aws.Bool(true)}))(t)
	if _, err = as.CreateAutoScalingGroup(ctx, group("1")); err == nil {
		t.Error("the name of a group that is being deleted is free at once")
	}
	clock.pass(1 << 40)
	ok(as.CreateAutoScalingGroup(ctx, group("1")))(t)
}

func specOf(id *string, version string) *astypes.LaunchTemplateSpecification {
	return &astypes.LaunchTemplateSpecification{LaunchTemplateId: id, Version: aws.String(version)}
}
