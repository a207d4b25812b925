package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/smithy-go"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// createScaling creates a group and waits until its instances are in service.
// CreateAutoScalingGroup has no client token: the name makes a repeated call harmless, because it
// is unique in a region and a second call fails with AlreadyExists. The group counts as created by
// this request only if its tag holds the request's key. A group of the same name that is still
// being deleted is waited for.
func createScaling(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	name, a := api.Named(&r.Desired), r.Desired.Attrs
	began := g.Clock()
	err := g.PatientlyIf(ctx, g.Wait.Compute, func() error {
		_, err := g.Scaling.CreateAutoScalingGroup(ctx, &autoscaling.CreateAutoScalingGroupInput{
			AutoScalingGroupName: aws.String(name), MinSize: api.AsInt32(a, "min"), MaxSize: api.AsInt32(a, "max"),
			DesiredCapacity:   api.AsInt32(a, "desired"),
			VPCZoneIdentifier: subnetList(a), LaunchTemplate: templateOfGroup(a), TargetGroupARNs: a.Texts(targetsAttr),
			HealthCheckType: api.DesiredText(a, healthType), HealthCheckGracePeriod: api.AsInt32(a, healthGrace),
			Tags: scalingTags(name, g.BirthTags(r, false)),
		})
		return api.Classify("", err)
	}, func(err error) bool {
		return api.HasCode(err, "ResourceContention") || leavingScaling(err) || notLaunchable(err) &&
			g.Clock().Sub(began) < g.Wait.Appear
	})
	if api.HasCode(err, "AlreadyExists") {
		err = api.UnlessOwn(ctx, g, r, api.Named(&r.Desired), err, readScaling)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return awaitScaling(ctx, g, name, began)
}

// subnetList is how the service names subnets. The input has one text for all of them, separated by
// commas.
func subnetList(a resource.Attrs) *string { return aws.String(strings.Join(a.Texts("subnets"), ",")) }

// templateOfGroup names the launch template by its ID: a template that is deleted and created again
// under its name has another one.
func templateOfGroup(a resource.Attrs) *types.LaunchTemplateSpecification {
	return &types.LaunchTemplateSpecification{
		LaunchTemplateId: api.DesiredText(a, KindTemplate),
		Version:          api.DesiredText(a, templateVersion),
	}
}

// leavingScaling: a group of the name is still being deleted. The service uses the code
// AlreadyExists for it as well, so the text of the message decides.
func leavingScaling(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "AlreadyExists" &&
		strings.Contains(api.ErrorMessage(), "pending delete")
}

// notLaunchable: the template, or what it names, was created a moment ago and is not visible yet.
// The service uses the code ValidationError for every invalid parameter, so the text of the message
// decides; a template that never appears is an error once the wait for propagation has passed.
func notLaunchable(err error) bool {
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ValidationError" {
		return false
	}
	m := api.ErrorMessage()
	return strings.Contains(m, "iamInstanceProfile") || strings.Contains(m, "does not exist") ||
		strings.Contains(m, "not found")
}

// awaitScaling waits until all instances are in service. AWS keeps trying after a launch that failed; the
// reason is an error at once, because most reasons stay.
func awaitScaling(ctx context.Context, g *api.Region, name string, began time.Time) (o resource.Observed, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the instances of "+name, func(ctx context.Context) error {
		s, err := pollScaling(ctx, g, name)
		if err != nil {
			return err
		}
		if o = observedScaling(g, s); o.Health == resource.Healthy {
			return nil
		}
		return launchFailure(ctx, g, name, began)
	})
	return o, err
}

// launchFailure returns the reason why the last launch failed, or ErrWait if it did not fail. A
// failure before the request does not count, since the request may have corrected its cause; one
// minute of difference between the clocks is accepted.
func launchFailure(ctx context.Context, g *api.Region, name string, began time.Time) error {
	const op = "autoscaling.DescribeScalingActivities"
	out, err := g.Scaling.DescribeScalingActivities(ctx,
		&autoscaling.DescribeScalingActivitiesInput{AutoScalingGroupName: aws.String(name), MaxRecords: aws.Int32(1)})
	if err != nil {
		return api.Classify(op, err)
	}
	const skew = time.Minute // of the clocks
	for _, a := range out.Activities {
		ended := a.StatusCode == types.ScalingActivityStatusCodeFailed ||
			a.StatusCode == types.ScalingActivityStatusCodeCancelled
		if ended && aws.ToTime(a.StartTime).After(began.Add(-skew)) {
			return &provider.Error{
				Op: op, Code: provider.NotHealthy,
				Err:  fmt.Errorf("%s cannot create its instances: %s", name, aws.ToString(a.StatusMessage)),
				Hint: "correct its launch_template or its subnets, and apply again",
			}
		}
	}
	return api.ErrWait
}

// updateScaling changes a group and waits until its instances are in service.
// UpdateAutoScalingGroup sets absolute values, so a repeated update has the same result. Existing
// instances keep the template that they were created by. Amazon EC2 Auto Scaling API Reference,
// UpdateAutoScalingGroup: "Any properties that you don't specify are not changed by this update
// request"; so an omitted desired keeps the number that a scaling policy set, within min and max.
func updateScaling(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	name, a := r.Have.ID, r.Desired.Attrs
	began := g.Clock()
	if api.Changed(r, "min", "max", "desired", "subnets", KindTemplate, templateVersion, healthType, healthGrace) {
		err := g.PatientlyIf(ctx, g.Wait.Appear, func() error {
			_, err := g.Scaling.UpdateAutoScalingGroup(ctx, &autoscaling.UpdateAutoScalingGroupInput{
				AutoScalingGroupName: aws.String(name), MinSize: api.AsInt32(a, "min"), MaxSize: api.AsInt32(a, "max"),
				DesiredCapacity:   api.AsInt32(a, "desired"),
				VPCZoneIdentifier: subnetList(a), LaunchTemplate: templateOfGroup(a),
				HealthCheckType: api.DesiredText(a, healthType), HealthCheckGracePeriod: api.AsInt32(a, healthGrace),
			})
			return api.Classify("", err)
		}, func(err error) bool {
			return api.HasCode(err, "ScalingActivityInProgress", "ResourceContention") || notLaunchable(err)
		})
		if err != nil {
			return resource.Observed{}, err
		}
	}
	if api.Changed(r, targetsAttr) {
		if err := moveTargets(ctx, g, name, r.Have.Attrs.Texts(targetsAttr), a.Texts(targetsAttr)); err != nil {
			return resource.Observed{}, err
		}
	}
	return awaitScaling(ctx, g, name, began)
}

// moveTargets registers the instances in new target groups before it takes them out of old ones.
// Amazon EC2 Auto Scaling API Reference, AttachLoadBalancerTargetGroups: "This operation is
// additive"; so the group always has a target group during the change. Instances of a removed
// target group "remain running" (DetachLoadBalancerTargetGroups).
func moveTargets(ctx context.Context, g *api.Region, name string, have, want []string) error {
	missing := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return slices.Contains(have, s) })
	surplus := slices.DeleteFunc(slices.Clone(have), func(s string) bool { return slices.Contains(want, s) })
	if len(missing) > 0 {
		_, err := g.Scaling.AttachLoadBalancerTargetGroups(ctx,
			&autoscaling.AttachLoadBalancerTargetGroupsInput{AutoScalingGroupName: aws.String(name), TargetGroupARNs: missing})
		if err != nil {
			return api.Classify("", err)
		}
	}
	if len(surplus) == 0 {
		return nil
	}
	_, err := g.Scaling.DetachLoadBalancerTargetGroups(ctx,
		&autoscaling.DetachLoadBalancerTargetGroupsInput{AutoScalingGroupName: aws.String(name), TargetGroupARNs: surplus})
	return api.Classify("", err)
}

// deleteScaling terminates its instances with it and waits for that: what they use is deleted next.
// Amazon EC2 Auto Scaling API Reference, DeleteAutoScalingGroup: ForceDelete deletes the group
// "along with all instances associated with the group, without waiting for all instances to be
// terminated". A name can be used again, so the ARN decides whether the group is the one that was
// observed.
func deleteScaling(ctx context.Context, g *api.Region, r provider.Request) error {
	name := r.Have.ID
	have, err := readScaling(ctx, g, name)
	if err == nil && r.Have.UID != "" && have.UID != r.Have.UID {
		return nil // another group got the name: the one that is meant does not exist
	}
	if err == nil {
		err = g.Patiently(ctx, g.Wait.Free, func() error {
			_, err := g.Scaling.DeleteAutoScalingGroup(ctx,
				&autoscaling.DeleteAutoScalingGroupInput{AutoScalingGroupName: aws.String(name), ForceDelete: aws.Bool(true)})
			return api.Classify("", err)
		}, "ScalingActivityInProgress", "ResourceContention")
	}
	if err != nil && !api.Absent(err) {
		return err
	}
	return g.Await(ctx, g.Wait.Compute, "the deletion of "+name, func(ctx context.Context) error {
		_, err := pollScaling(ctx, g, name)
		if err == nil {
			return api.ErrWait
		}
		return api.UnlessAbsent(err)
	})
}
