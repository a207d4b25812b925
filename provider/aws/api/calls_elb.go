package api

import elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

// elbCalls are the API calls of load balancers.
type elbCalls struct {
	AddTags               call[elb.AddTagsInput, elb.AddTagsOutput, elb.Options]
	CreateListener        call[elb.CreateListenerInput, elb.CreateListenerOutput, elb.Options]
	CreateLoadBalancer    call[elb.CreateLoadBalancerInput, elb.CreateLoadBalancerOutput, elb.Options]
	CreateTargetGroup     call[elb.CreateTargetGroupInput, elb.CreateTargetGroupOutput, elb.Options]
	DeleteListener        call[elb.DeleteListenerInput, elb.DeleteListenerOutput, elb.Options]
	DeleteLoadBalancer    call[elb.DeleteLoadBalancerInput, elb.DeleteLoadBalancerOutput, elb.Options]
	DeleteTargetGroup     call[elb.DeleteTargetGroupInput, elb.DeleteTargetGroupOutput, elb.Options]
	DescribeListeners     call[elb.DescribeListenersInput, elb.DescribeListenersOutput, elb.Options]
	DescribeLoadBalancers call[elb.DescribeLoadBalancersInput, elb.DescribeLoadBalancersOutput, elb.Options]
	DescribeTags          call[elb.DescribeTagsInput, elb.DescribeTagsOutput, elb.Options]
	DescribeTargetGroups  call[elb.DescribeTargetGroupsInput, elb.DescribeTargetGroupsOutput, elb.Options]
	ModifyListener        call[elb.ModifyListenerInput, elb.ModifyListenerOutput, elb.Options]
	ModifyTargetGroup     call[elb.ModifyTargetGroupInput, elb.ModifyTargetGroupOutput, elb.Options]
	RemoveTags            call[elb.RemoveTagsInput, elb.RemoveTagsOutput, elb.Options]
	SetSecurityGroups     call[elb.SetSecurityGroupsInput, elb.SetSecurityGroupsOutput, elb.Options]
	SetSubnets            call[elb.SetSubnetsInput, elb.SetSubnetsOutput, elb.Options]
}

func elbCallsOf(c *elb.Client) elbCalls {
	return elbCalls{
		AddTags:               c.AddTags,
		CreateListener:        c.CreateListener,
		CreateLoadBalancer:    c.CreateLoadBalancer,
		CreateTargetGroup:     c.CreateTargetGroup,
		DeleteListener:        c.DeleteListener,
		DeleteLoadBalancer:    c.DeleteLoadBalancer,
		DeleteTargetGroup:     c.DeleteTargetGroup,
		DescribeListeners:     c.DescribeListeners,
		DescribeLoadBalancers: c.DescribeLoadBalancers,
		DescribeTags:          c.DescribeTags,
		DescribeTargetGroups:  c.DescribeTargetGroups,
		ModifyListener:        c.ModifyListener,
		ModifyTargetGroup:     c.ModifyTargetGroup,
		RemoveTags:            c.RemoveTags,
		SetSecurityGroups:     c.SetSecurityGroups,
		SetSubnets:            c.SetSubnets,
	}
}
