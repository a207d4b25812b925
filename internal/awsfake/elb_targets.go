package awsfake

import (
	"maps"
	"slices"
	"strings"
)

func targetActions() map[string]handler {
	return map[string]handler{
		"CreateTargetGroup": createTargets, "DescribeTargetGroups": describeTargets, "ModifyTargetGroup": modifyTargets, "DeleteTargetGroup": deleteTargets,
	}
}

type xmlTargets struct {
	TargetGroupArn, TargetGroupName, Protocol, TargetType, VpcId string
	Port                                                         int
	HealthCheckProtocol, HealthCheckPort                         string
	HealthCheckPath                                              string `xml:",omitempty"`
	Matcher                                                      *struct{ HttpCode string }
	HealthCheckIntervalSeconds, HealthCheckTimeoutSeconds        string
	HealthyThresholdCount, UnhealthyThresholdCount               string
	Balancers                                                    []string `xml:"LoadBalancerArns>member"`
}

func viewTargets(x *exchange, t *targetGroup) xmlTargets {
	out := xmlTargets{
		TargetGroupArn: t.ID, TargetGroupName: t.Name, Protocol: t.Protocol, TargetType: t.Target, VpcId: t.VPC, Port: t.Port,
		HealthCheckProtocol: t.Health["HealthCheckProtocol"], HealthCheckPort: t.Health["HealthCheckPort"], HealthCheckPath: t.Health["HealthCheckPath"],
		HealthCheckIntervalSeconds: t.Health["HealthCheckIntervalSeconds"], HealthCheckTimeoutSeconds: t.Health["HealthCheckTimeoutSeconds"],
		HealthyThresholdCount: t.Health["HealthyThresholdCount"], UnhealthyThresholdCount: t.Health["UnhealthyThresholdCount"],
	}
	if c := t.Health["Matcher.HttpCode"]; c != "" {
		out.Matcher = &struct{ HttpCode string }{c}
	}
	for _, l := range list[*listener](x.tx, x.Region) {
		if l.Targets == t.ID && !slices.Contains(out.Balancers, l.Balancer) {
			out.Balancers = append(out.Balancers, l.Balancer)
		}
	}
	return out
}

// healthDefaults are those of AWS ("Health checks for Application Load Balancer target groups", and
// for Network Load Balancers).
func healthDefaults(protocol string) map[string]string {
	out := map[string]string{
		"HealthCheckProtocol": protocol, "HealthCheckPort": "traffic-port", "HealthCheckIntervalSeconds": "30", "HealthCheckTimeoutSeconds": "5",
		"HealthyThresholdCount": "5", "UnhealthyThresholdCount": "2", "HealthCheckPath": "/", "Matcher.HttpCode": "200",
	}
	if !strings.HasPrefix(protocol, "HTTP") {
		out["HealthCheckProtocol"] = "TCP"
		delete(out, "HealthCheckPath")
		delete(out, "Matcher.HttpCode")
	}
	return out
}

func readHealth(x *exchange, have map[string]string) (map[string]string, error) {
	out := maps.Clone(have)
	for _, name := range []string{
		"HealthCheckProtocol", "HealthCheckPort", "HealthCheckPath", "HealthCheckIntervalSeconds", "HealthCheckTimeoutSeconds",
		"HealthyThresholdCount", "UnhealthyThresholdCount", "Matcher.HttpCode",
	} {
		if v := x.p.str(name); v != "" {
			out[name] = v
		}
	}
	if out["HealthCheckProtocol"] == "TCP" && (out["HealthCheckPath"] != "" || out["Matcher.HttpCode"] != "") {
		return nil, failf("InvalidConfigurationRequest", "You cannot specify a path or a matcher for health checks of the protocol TCP")
	}
	return out, nil
}

type manyTargets struct {
	List   []xmlTargets `xml:"TargetGroups>member"`
	Marker *string      `xml:"NextMarker"`
}

func createTargets(x *exchange) (any, error) {
	t := &targetGroup{Name: x.p.str("Name"), VPC: x.p.str("VpcId"), Protocol: x.p.str("Protocol"), Target: x.p.or("TargetType", "instance")}
	if err := elbName(t.Name); err != nil {
		return nil, err
	}
	if _, ok := find[*vpc](x.tx, x.Region, t.VPC); !ok {
		return nil, failf("ValidationError", "The VPC ID '%s' is not found", t.VPC)
	}
	var err error
	if t.Port, err = x.p.num("Port", 0); err != nil {
		return nil, err
	}
	if t.Health, err = readHealth(x, healthDefaults(t.Protocol)); err != nil {
		return nil, err
	}
	tags, err := elbTags(x)
	if err != nil {
		return nil, err
	}
	for _, o := range list[*targetGroup](x.tx, x.Region) {
		if o.Name != t.Name {
			continue
		}
		if o.VPC != t.VPC || o.Port != t.Port || o.Protocol != t.Protocol || o.Target != t.Target || !maps.Equal(o.Health, t.Health) {
			return nil, failf("DuplicateTargetGroupName", "A target group with the same name '%s' exists, but with different settings", t.Name)
		}
		return manyTargets{List: []xmlTargets{viewTargets(x, o)}}, nil
	}
	t.base = elbBase(x, "targetgroup/"+t.Name)
	t.Tags = tags
	x.tx.put(t)
	return manyTargets{List: []xmlTargets{viewTargets(x, t)}}, nil
}

func targets(x *exchange, arn string) (*targetGroup, error) {
	t, ok := find[*targetGroup](x.tx, x.Region, arn)
	if !ok {
		return nil, failf("TargetGroupNotFound", "Target groups '%s' not found", arn)
	}
	return t, nil
}

func describeTargets(x *exchange) (any, error) {
	all, err := chosen(x, "TargetGroupArns.member", "TargetGroupNotFound", func(t *targetGroup) string { return t.Name })
	if err != nil {
		return nil, err
	}
	rows, next, err := elbPage(x, all)
	if err != nil {
		return nil, err
	}
	out := manyTargets{Marker: next}
	for _, t := range rows {
		out.List = append(out.List, viewTargets(x, t))
	}
	return out, nil
}

func modifyTargets(x *exchange) (any, error) {
	t, err := targets(x, x.p.str("TargetGroupArn"))
	if err != nil {
		return nil, err
	}
	n := *t
	if n.Health, err = readHealth(x, t.Health); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return manyTargets{List: []xmlTargets{viewTargets(x, &n)}}, nil
}

// deleteTargets: one that a listener uses stays (ELB API reference: DeleteTargetGroup, ResourceInUse).
// One that does not exist is no error.
func deleteTargets(x *exchange) (any, error) {
	t, err := targets(x, x.p.str("TargetGroupArn"))
	if err != nil {
		return struct{}{}, nil
	}
	if len(viewTargets(x, t).Balancers) > 0 {
		return nil, failf("ResourceInUse", "Target group '%s' is currently in use by a listener or a rule", t.ID)
	}
	x.tx.drop(t)
	return struct{}{}, nil
}
