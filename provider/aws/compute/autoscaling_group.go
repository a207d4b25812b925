package compute

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/balance"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindScaling is the kind autoscaling_group.
	KindScaling     = "autoscaling_group"
	templateVersion = "template_version"
	targetsAttr     = "target_groups"
	healthType      = "health_check_type"
	healthGrace     = "health_check_grace"
	// scalingPage is the size of pages. Amazon EC2 Auto Scaling API Reference,
	// DescribeAutoScalingGroups: "the maximum value is 100".
	scalingPage = 100
	// scalingNames is the most names of a request ("By default, you can only specify up to 50
	// names").
	scalingNames = 50
)

// scalingName is the form of names in AWS.
const scalingName = `[A-Za-z0-9][A-Za-z0-9_.@+=-]{0,254}`

// kindOfScaling is the kind autoscaling_group. The service launches instances with the rights of
// the caller, and may create a role of its own for the first group of an account.
func kindOfScaling() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindScaling,
			Doc: "A number of instances that AWS keeps running.\n\n" +
				"Its name is its name in AWS, unless identifier sets another. " +
				"Its instances are AWS's: they are no resources of the configuration, and are " +
				"terminated with it. A new version of the template is for the instances that are created from then on.",
			NamePattern: scalingName,
			NameDoc:     "letters, digits and _ . @ + = -, starting with a letter or digit, at most 255 characters",
			Canonical:   canonicalScaling, CrossCheck: api.CrossChecks(api.TagTraits{}),
			Identifier: api.Identifier,
			Holds:      api.HoldsName("autoscaling group", api.Identifier), HoldsDoc: api.HeldInRegion,
			Attrs: append(scalingAttrs(), api.IdentifierAttr(scalingName)),
		},
		List: listScaling, Read: readScaling, Tag: tagScaling, Check: checkScaling,
		Create: createScaling, Update: updateScaling, Remove: deleteScaling,
		Calls: api.Calls{
			Service:  "autoscaling",
			Observes: "DescribeAutoScalingGroups DescribeScalingActivities",
			Creates:  "CreateAutoScalingGroup CreateOrUpdateTags",
			Changes: "AttachLoadBalancerTargetGroups CreateOrUpdateTags DeleteTags DetachLoadBalancerTargetGroups " +
				"UpdateAutoScalingGroup",
			Deletes: "DeleteAutoScalingGroup",
			Others:  []string{"ec2:RunInstances", "iam:PassRole"}, // AWS launches instances in the caller's name
			Linked:  "autoscaling.amazonaws.com",
		},
	}
}

func scalingAttrs() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "min", Type: resource.TInt, Required: true, Min: api.Bound(0), Example: "2",
			Doc: "How many instances it has at least.",
		},
		{
			Name: "max", Type: resource.TInt, Required: true, Min: api.Bound(0), Example: "6",
			Doc: "How many instances it has at most.",
		},
		{
			Name: "desired", Type: resource.TInt, Min: api.Bound(0), Example: "2",
			Doc: "How many instances it has. If omitted, min when it is created, and then what scaling policies set.",
		},
		{
			Name: "subnets", Type: resource.TSet, Required: true, Min: api.Bound(1),
			Elem: &resource.Attribute{
				Type: resource.TString, RefKind: api.KindSubnet, IDPrefix: "subnet-", Parent: api.KindVPC,
			},
			Example: "[private-a, private-b]", Doc: "The subnets that instances are created in.",
		},
		{
			Name: KindTemplate, Type: resource.TString, Required: true, RefKind: KindTemplate, IDPrefix: "lt-", Weak: true,
			Example: "web", Doc: "The launch template that instances are created by.",
		},
		{
			Name: templateVersion, Type: resource.TString, Pattern: `\$Default|\$Latest|[0-9]{1,9}`,
			HarmlessDefault: true, Default: resource.String("$Default"),
			Example: "$Default", Doc: "Its version: a number, $Default or $Latest. A reference to the version of a template " +
				"follows it one apply later.",
		},
		{
			Name: targetsAttr, Type: resource.TSet,
			Elem: &resource.Attribute{
				Type: resource.TString, RefKind: balance.KindTargets, IDPrefix: balance.ARNPrefix, Weak: true,
			},
			Example: "[web]", Doc: "The target groups in which instances are registered.",
		},
		{
			Name: healthType, Type: resource.TString, Enum: []string{"EC2", "ELB"},
			HarmlessDefault: true, CreateDefault: resource.String("EC2"),
			Example: "ELB", Doc: "Whether an instance that its load balancer finds unhealthy is replaced too.",
		},
		{
			Name: healthGrace, Type: resource.TInt, Min: api.Bound(0), Max: api.Bound(172800), Unit: "s", Example: "120",
			Doc: "For how many seconds a new instance may be unhealthy.",
		},
		{
			Name: "instances", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TString}, Computed: true,
			Doc: "The IDs of its instances.",
		},
	}
}

// canonicalScaling: AWS refuses a group whose numbers are not in order.
func canonicalScaling(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	low, _ := api.Number(a, "min")
	high, _ := api.Number(a, "max")
	want, set := api.Number(a, "desired")
	switch {
	case low > high:
		return a, []resource.Problem{{
			Path: "max", Summary: fmt.Sprintf("max is %d, and min is %d", high, low),
			Suggestion: fmt.Sprintf("use max: %d", low),
		}}
	case set && (want < low || want > high):
		return a, []resource.Problem{{
			Path:       "desired",
			Summary:    fmt.Sprintf("desired is %d, and not between min %d and max %d", want, low, high),
			Suggestion: "omit desired, or change min or max",
		}}
	}
	return a, nil
}

// scalingGroups returns the groups with the names, or all groups, from all pages. A name that does
// not exist is not an error of the service: the answer is empty.
func scalingGroups(ctx context.Context, g *api.Region, names ...string) ([]types.AutoScalingGroup, error) {
	return api.Pages(ctx, "autoscaling.DescribeAutoScalingGroups",
		func(ctx context.Context, token *string) ([]types.AutoScalingGroup, *string, error) {
			out, err := g.Scaling.DescribeAutoScalingGroups(ctx, &autoscaling.DescribeAutoScalingGroupsInput{
				AutoScalingGroupNames: names, NextToken: token, MaxRecords: aws.Int32(scalingPage),
			})
			if err != nil {
				return nil, nil, err
			}
			return out.AutoScalingGroups, out.NextToken, nil
		})
}

// scalingGone reports that a group is listed but being deleted. The status is set only "when the
// DeleteAutoScalingGroup operation is in progress" (AutoScalingGroup).
func scalingGone(s types.AutoScalingGroup) bool {
	return strings.HasPrefix(aws.ToString(s.Status), "Delete")
}

// observedScaling converts an answer of the service. A group with fewer instances than desired is
// pending, since AWS continues to launch them. The ARN is the UID, because it differs if a group is
// deleted and created again under its name.
func observedScaling(g *api.Region, s types.AutoScalingGroup) resource.Observed {
	o := resource.Observed{
		ID: aws.ToString(s.AutoScalingGroupName), UID: aws.ToString(s.AutoScalingGroupARN),
		Since: aws.ToTime(s.CreatedTime), Health: resource.Healthy,
	}
	n, want := 0, int(aws.ToInt32(s.DesiredCapacity))
	for _, i := range s.Instances {
		if i.LifecycleState == types.LifecycleStateInService { // whatever a load balancer finds of it
			n++
		}
	}
	if n < want {
		o.Health, o.Message = resource.Pending, fmt.Sprintf("%d of %d instances in service", n, want)
	}
	a := api.Attrs{}
	a.Number("min", s.MinSize)
	a.Number("max", s.MaxSize)
	a.Number("desired", s.DesiredCapacity)
	subnets := strings.FieldsFunc(aws.ToString(s.VPCZoneIdentifier), func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(subnets)
	a.Texts("subnets", subnets)
	if t := s.LaunchTemplate; t != nil {
		a.Text(KindTemplate, t.LaunchTemplateId)
		a.Text(templateVersion, t.Version)
	}
	targets := slices.Sorted(slices.Values(s.TargetGroupARNs))
	a.Texts(targetsAttr, targets)
	a.Text(healthType, s.HealthCheckType)
	a.Number(healthGrace, s.HealthCheckGracePeriod)
	var ids []string
	for _, i := range s.Instances {
		ids = append(ids, aws.ToString(i.InstanceId))
	}
	slices.Sort(ids)
	a.Texts("instances", ids)
	o.Attrs = a.Build()
	tags := map[string]string{}
	for _, t := range s.Tags {
		tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	g.IdentifyNamed(&o, KindScaling, o.ID, tags)
	return o
}

// listScaling returns all groups except groups that are being deleted: their names are still taken,
// but nothing can be changed in them.
func listScaling(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := scalingGroups(ctx, s.Region)
	return api.ObservedAs(s, slices.DeleteFunc(all, scalingGone), err, observedScaling)
}

// readScaling reads one group. A group that is being deleted is absent, although its name is still
// taken.
func readScaling(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	all, err := scalingGroups(ctx, g, id)
	s, err := api.Only(slices.DeleteFunc(all, scalingGone), err, "autoscaling.DescribeAutoScalingGroups", id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedScaling(g, s), nil
}

// tagScaling writes tags that the instances do not get: with ovi's they would look like resources.
// The tags carry PropagateAtLaunch: false. CreateOrUpdateTags overwrites a tag of the same key, so
// a repeated call is harmless.
func tagScaling(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	if len(set) > 0 {
		_, err := g.Scaling.CreateOrUpdateTags(ctx, &autoscaling.CreateOrUpdateTagsInput{Tags: scalingTags(id, set)})
		if err != nil {
			return api.Classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	named := map[string]string{}
	for _, k := range drop {
		named[k] = ""
	}
	tags := scalingTags(id, named)
	for i := range tags {
		tags[i].Value = nil
	}
	_, err := g.Scaling.DeleteTags(ctx, &autoscaling.DeleteTagsInput{Tags: tags})
	return api.Classify("", err)
}

// scalingTags returns tags in the form of the service, for a group. The order of the keys is fixed.
func scalingTags(name string, tags map[string]string) []types.Tag {
	var out []types.Tag
	for _, t := range api.EC2Tags(tags) {
		out = append(out, types.Tag{
			Key: t.Key, Value: t.Value, PropagateAtLaunch: aws.Bool(false), ResourceId: aws.String(name),
			ResourceType: aws.String("auto-scaling-group"),
		})
	}
	return out
}

// checkScaling reports a name that an unmanaged group has. The service has no dry run. A group that
// this request created, or that it replaces, does not count.
func checkScaling(ctx context.Context, g *api.Region, r provider.Request) error {
	if r.Have.ID == api.Named(&r.Desired) {
		return nil
	}
	o, err := readScaling(ctx, g, api.Named(&r.Desired))
	switch {
	case api.Absent(err), err == nil && r.Key != "" && o.Marks.Key == r.Key:
		return nil
	case err != nil:
		return err
	}
	return api.Taken(o, r)
}

// pollScaling reads one of many groups that are waited for. A request that names a group which does not exist is not
// refused. A group that is being deleted is returned too, because its deletion waits with this
// read.
func pollScaling(ctx context.Context, g *api.Region, name string) (types.AutoScalingGroup, error) {
	return api.Poll(ctx, g, "autoscaling.DescribeAutoScalingGroups", name, api.InChunks(scalingNames,
		func(ctx context.Context, names []string) ([]types.AutoScalingGroup, error) {
			return scalingGroups(ctx, g, names...)
		}, func(s types.AutoScalingGroup) *string { return s.AutoScalingGroupName }))
}
