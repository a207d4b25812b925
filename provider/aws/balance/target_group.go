package balance

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// The kind target_group and the beginning of its IDs.
const (
	// KindTargets is the kind target_group.
	KindTargets = "target_group"
	healthCheck = "health_check"
	ARNPrefix   = "arn:"
)

func kindOfTargets() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindTargets,
			Doc: "A group of targets to which a load_balancer listener sends requests.\n\n" +
				"Its name is its name in AWS, unless identifier sets another; " +
				"one that is created before the one it replaces is deleted has a\n" +
				"part of a digest behind it. An autoscaling_group registers its instances in it.",
			NamePattern: elbName, NameDoc: elbNameDoc,
			CrossCheck: api.CrossChecks(api.TagTraits{}),
			Identifier: api.Identifier,
			Holds:      api.HoldsName("target group", api.Identifier), HoldsDoc: api.HeldInRegion,
			Replace: func(resource.Desired, resource.Observed) []resource.Strategy { return api.CreateFirst() },
			Attrs: []resource.Attribute{
				api.SuffixedIdentifierAttr(elbName),
				{
					Name: "vpc", Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: api.KindVPC,
					IDPrefix: "vpc-", Example: "main", Doc: "The VPC of its targets.",
				},
				{
					Name: "port", Type: resource.TInt, Required: true, Effect: resource.Replace, Min: api.Bound(1),
					Max: api.Bound(65535), Example: "8080", Doc: "The port of the targets.",
				},
				{
					Name: "protocol", Type: resource.TString, Effect: resource.Replace, Default: resource.String("HTTP"),
					Enum: []string{"HTTP", "HTTPS", "TCP", "TLS", "UDP", "TCP_UDP"}, Example: "HTTP",
					Doc: "HTTP or HTTPS for an application load balancer, the others for a network load balancer.",
				},
				{
					Name: "target_type", Type: resource.TString, Effect: resource.Replace,
					HarmlessDefault: true, Default: resource.String("instance"),
					Enum: []string{"instance", "ip"}, Example: "instance", Doc: "Whether targets are instances or addresses.",
				},
				{
					Name: healthCheck, Type: resource.TObject, Fields: healthFields(), Example: "{path: /health}",
					Doc: "The health check of the targets. Settings that you omit have AWS's defaults.",
				},
			},
		},
		List: listTargets, Read: readTargets, Tag: tagELB,
		Check: func(ctx context.Context, g *api.Region, r provider.Request) error {
			return targetsByName(g, r).check(ctx, g, r)
		},
		Create: createTargets, Update: updateTargets, Remove: deleteTargets,
		Calls: api.Calls{
			Service:  "elasticloadbalancing",
			Observes: "DescribeTags DescribeTargetGroups",
			Creates:  "AddTags CreateTargetGroup",
			Changes:  "AddTags ModifyTargetGroup RemoveTags",
			Deletes:  "DeleteTargetGroup",
		},
	}
}

// healthFields are the settings of a health check. They have no defaults here, because AWS's
// defaults depend on the protocol of the target group (Elastic Load Balancing API Reference,
// CreateTargetGroup).
func healthFields() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "protocol", Type: resource.TString, Enum: []string{"HTTP", "HTTPS", "TCP"}, Example: "HTTP",
			Doc: "The health check protocol. Default: the protocol of the target group.",
		},
		{
			Name: "port", Type: resource.TString, Pattern: `traffic-port|[0-9]{1,5}`, Example: "8081",
			Doc: "The health check port. Default: the port of the requests.",
		},
		{Name: "path", Type: resource.TString, Pattern: `/.*`, Max: api.Bound(1024), Example: "/health", Doc: "The path."},
		{
			Name: "codes", Type: resource.TString, Pattern: `[0-9]{3}([,-][0-9]{3})*`, Example: "200-299",
			Doc: "The status codes of a healthy target.",
		},
		{
			Name: "interval", Type: resource.TInt, Min: api.Bound(5), Max: api.Bound(300), Unit: "s", Example: "10",
			Doc: "Seconds between two checks.",
		},
		{
			Name: "timeout", Type: resource.TInt, Min: api.Bound(2), Max: api.Bound(120), Unit: "s", Example: "5",
			Doc: "Seconds without an answer after which a check fails.",
		},
		{
			Name: "healthy", Type: resource.TInt, Min: api.Bound(2), Max: api.Bound(10), Example: "2",
			Doc: "How many checks in a row make a target healthy.",
		},
		{
			Name: "unhealthy", Type: resource.TInt, Min: api.Bound(2), Max: api.Bound(10), Example: "2",
			Doc: "How many failed checks in a row make a target unhealthy.",
		},
	}
}

// targetGroups returns the groups that the input describes, with their tags, from all pages. As for
// load balancers, a page size and names exclude each other.
func targetGroups(ctx context.Context, g *api.Region, in *elb.DescribeTargetGroupsInput) ([]resource.Observed, error) {
	all, err := api.Pages(ctx, "elasticloadbalancing.DescribeTargetGroups",
		func(ctx context.Context, token *string) ([]types.TargetGroup, *string, error) {
			if in.Marker = token; len(in.Names)+len(in.TargetGroupArns) == 0 {
				in.PageSize = aws.Int32(elbPage)
			}
			out, err := g.ELB.DescribeTargetGroups(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return out.TargetGroups, out.NextMarker, nil
		})
	if err != nil {
		return nil, err
	}
	return withTags(ctx, g, all, func(t types.TargetGroup) *string { return t.TargetGroupArn },
		func(t types.TargetGroup, tags map[string]string) resource.Observed {
			return observedTargets(g, t, tags)
		})
}

// observedTargets converts an answer of the service. The health of targets is not part of it: a
// group without a healthy target is still usable by its listener.
func observedTargets(g *api.Region, t types.TargetGroup, tags map[string]string) resource.Observed {
	o := resource.Observed{ID: aws.ToString(t.TargetGroupArn), Health: resource.Healthy}
	a := api.Attrs{}
	a.Text("vpc", t.VpcId)
	a.Number("port", t.Port)
	a["protocol"], a["target_type"] = resource.String(t.Protocol), resource.String(t.TargetType)
	h := api.Attrs{}
	if t.HealthCheckProtocol != "" {
		h["protocol"] = resource.String(t.HealthCheckProtocol)
	}
	h.Text("port", t.HealthCheckPort)
	h.Text("path", t.HealthCheckPath)
	if t.Matcher != nil {
		h.Text("codes", t.Matcher.HttpCode)
	}
	h.Number("interval", t.HealthCheckIntervalSeconds)
	h.Number("timeout", t.HealthCheckTimeoutSeconds)
	h.Number("healthy", t.HealthyThresholdCount)
	h.Number("unhealthy", t.UnhealthyThresholdCount)
	a[healthCheck] = h.Build()
	o.Attrs = a.Build()
	g.IdentifyNamed(&o, KindTargets, aws.ToString(t.TargetGroupName), tags)
	return o
}

func listTargets(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	return targetGroups(ctx, s.Region, &elb.DescribeTargetGroupsInput{})
}

func readTargets(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	all, err := targetGroups(ctx, g, &elb.DescribeTargetGroupsInput{TargetGroupArns: []string{id}})
	return lone(all, err, "elasticloadbalancing.DescribeTargetGroups", id)
}

func targetsByName(g *api.Region, r provider.Request) byName {
	return byName{
		max: elbNameMax,
		find: func(ctx context.Context, name string) (resource.Observed, error) {
			all, err := targetGroups(ctx, g, &elb.DescribeTargetGroupsInput{Names: []string{name}})
			return lone(all, err, "elasticloadbalancing.DescribeTargetGroups", name)
		},
		create: func(ctx context.Context, name string) error {
			_, err := g.ELB.CreateTargetGroup(ctx, orderTargets(g, r, name))
			return err
		},
	}
}

// orderTargets returns the call that creates a target group together with its tags, so that the key
// identifies the group after a crash.
func orderTargets(g *api.Region, r provider.Request, name string) *elb.CreateTargetGroupInput {
	a := r.Desired.Attrs
	protocol, _ := api.Text(a, "protocol")
	target, _ := api.Text(a, "target_type")
	h := checkOf(a)
	return &elb.CreateTargetGroupInput{
		Name: aws.String(name), VpcId: api.DesiredText(a, "vpc"), Port: api.AsInt32(a, "port"),
		Protocol: types.ProtocolEnum(protocol), TargetType: types.TargetTypeEnum(target),
		HealthCheckProtocol: h.HealthCheckProtocol, HealthCheckPort: h.HealthCheckPort, HealthCheckPath: h.HealthCheckPath,
		Matcher:                    h.Matcher,
		HealthCheckIntervalSeconds: h.HealthCheckIntervalSeconds, HealthCheckTimeoutSeconds: h.HealthCheckTimeoutSeconds,
		HealthyThresholdCount: h.HealthyThresholdCount, UnhealthyThresholdCount: h.UnhealthyThresholdCount,
		Tags: elbTagList(g.BirthTags(r, false)),
	}
}

// checkOf is the health check that is configured. A setting that is not configured is not sent: at
// a creation AWS sets its default, at a change it keeps the present value.
func checkOf(a resource.Attrs) *elb.ModifyTargetGroupInput {
	v, _ := a.Get(healthCheck)
	h, _ := v.(resource.Attrs)
	protocol, _ := api.Text(h, "protocol")
	out := &elb.ModifyTargetGroupInput{
		HealthCheckProtocol: types.ProtocolEnum(protocol), HealthCheckPort: api.DesiredText(h, "port"),
		HealthCheckPath:            api.DesiredText(h, "path"),
		HealthCheckIntervalSeconds: api.AsInt32(h, "interval"), HealthCheckTimeoutSeconds: api.AsInt32(h, "timeout"),
		HealthyThresholdCount: api.AsInt32(h, "healthy"), UnhealthyThresholdCount: api.AsInt32(h, "unhealthy"),
	}
	if codes := api.DesiredText(h, "codes"); codes != nil {
		out.Matcher = &types.Matcher{HttpCode: codes}
	}
	return out
}

// createTargets creates a target group once per key. A target group is usable at once, so only its
// visibility is awaited.
func createTargets(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	return targetsByName(g, r).make(ctx, g, r)
}

// updateTargets changes the health check. All other attributes are fixed: changing them replaces
// the group.
func updateTargets(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	if api.Changed(r, healthCheck) {
		in := checkOf(r.Desired.Attrs)
		in.TargetGroupArn = aws.String(r.Have.ID)
		if _, err := g.ELB.ModifyTargetGroup(ctx, in); err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return readTargets(ctx, g, r.Have.ID)
}

// deleteTargets: a listener that was deleted a moment ago may still use it. Elastic Load Balancing
// API Reference, DeleteTargetGroup: "You can delete a target group if it is not referenced by any
// actions". The error names the load balancers that use it. The deletion "does not affect its
// registered targets".
func deleteTargets(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		_, err := g.ELB.DeleteTargetGroup(ctx, &elb.DeleteTargetGroupInput{TargetGroupArn: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) {
		out, err := g.ELB.DescribeTargetGroups(ctx, &elb.DescribeTargetGroupsInput{TargetGroupArns: []string{id}})
		if err != nil || len(out.TargetGroups) == 0 {
			return nil, api.Classify("", err)
		}
		return g.Balancers(ctx, out.TargetGroups[0].LoadBalancerArns), nil
	}, "ResourceInUse")
}
