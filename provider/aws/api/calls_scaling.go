package api

import "github.com/aws/aws-sdk-go-v2/service/autoscaling"

// scalingCalls are the API calls of autoscaling groups.
type scalingCalls struct {
	AttachLoadBalancerTargetGroups call[autoscaling.AttachLoadBalancerTargetGroupsInput,
		autoscaling.AttachLoadBalancerTargetGroupsOutput, autoscaling.Options]
	CreateAutoScalingGroup call[autoscaling.CreateAutoScalingGroupInput, autoscaling.CreateAutoScalingGroupOutput,
		autoscaling.Options]
	CreateOrUpdateTags call[autoscaling.CreateOrUpdateTagsInput, autoscaling.CreateOrUpdateTagsOutput,
		autoscaling.Options]
	DeleteAutoScalingGroup call[autoscaling.DeleteAutoScalingGroupInput, autoscaling.DeleteAutoScalingGroupOutput,
		autoscaling.Options]
	DeleteTags                call[autoscaling.DeleteTagsInput, autoscaling.DeleteTagsOutput, autoscaling.Options]
	DescribeAutoScalingGroups call[autoscaling.DescribeAutoScalingGroupsInput,
		autoscaling.DescribeAutoScalingGroupsOutput, autoscaling.Options]
	DescribeScalingActivities call[autoscaling.DescribeScalingActivitiesInput,
		autoscaling.DescribeScalingActivitiesOutput, autoscaling.Options]
	DetachLoadBalancerTargetGroups call[autoscaling.DetachLoadBalancerTargetGroupsInput,
		autoscaling.DetachLoadBalancerTargetGroupsOutput, autoscaling.Options]
	UpdateAutoScalingGroup call[autoscaling.UpdateAutoScalingGroupInput, autoscaling.UpdateAutoScalingGroupOutput,
		autoscaling.Options]
}

func scalingCallsOf(c *autoscaling.Client) scalingCalls {
	return scalingCalls{
		AttachLoadBalancerTargetGroups: c.AttachLoadBalancerTargetGroups,
		CreateAutoScalingGroup:         c.CreateAutoScalingGroup,
		CreateOrUpdateTags:             c.CreateOrUpdateTags,
		DeleteAutoScalingGroup:         c.DeleteAutoScalingGroup,
		DeleteTags:                     c.DeleteTags,
		DescribeAutoScalingGroups:      c.DescribeAutoScalingGroups,
		DescribeScalingActivities:      c.DescribeScalingActivities,
		DetachLoadBalancerTargetGroups: c.DetachLoadBalancerTargetGroups,
		UpdateAutoScalingGroup:         c.UpdateAutoScalingGroup,
	}
}
