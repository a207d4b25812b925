package balance

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

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

func viewTargets(x *core.Exchange, t *targetGroup) xmlTargets {
	out := xmlTargets{
		TargetGroupArn: t.ID, TargetGroupName: t.Name, Protocol: t.Protocol, TargetType: t.Target, VpcId: t.VPC, Port: t.Port,
		HealthCheckProtocol: t.Health["HealthCheckProtocol"], HealthCheckPort: t.Health["HealthCheckPort"],
		HealthCheckPath:            t.Health["HealthCheckPath"],
		HealthCheckIntervalSeconds: t.Health["HealthCheckIntervalSeconds"],
		HealthCheckTimeoutSeconds:  t.Health["HealthCheckTimeoutSeconds"],
		HealthyThresholdCount:      t.Health["HealthyThresholdCount"],
		UnhealthyThresholdCount:    t.Health["UnhealthyThresholdCount"],
	}
	if c := t.Health["Matcher.HttpCode"]; c != "" {
		out.Matcher = &struct{ HttpCode string }{c}
	}
	for _, l := range core.List[*listener](x.Tx, x.Region) {
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
		"HealthCheckProtocol": protocol, "HealthCheckPort": "traffic-port", "HealthCheckIntervalSeconds": "30",
		"HealthCheckTimeoutSeconds": "5",
		"HealthyThresholdCount":     "5", "UnhealthyThresholdCount": "2", "HealthCheckPath": "/", "Matcher.HttpCode": "200",
	}
	if !strings.HasPrefix(protocol, "HTTP") {
		out["HealthCheckProtocol"] = "TCP"
		delete(out, "HealthCheckPath")
		delete(out, "Matcher.HttpCode")
	}
	return out
}

func readHealth(x *core.Exchange, have map[string]string) (map[string]string, error) {
	out := maps.Clone(have)
	for _, name := range []string{
		"HealthCheckProtocol", "HealthCheckPort", "HealthCheckPath", "HealthCheckIntervalSeconds",
		"HealthCheckTimeoutSeconds",
		"HealthyThresholdCount", "UnhealthyThresholdCount", "Matcher.HttpCode",
	} {
		if v := x.P.Str(name); v != "" {
			out[name] = v
		}
	}
	if out["HealthCheckProtocol"] == "TCP" && (out["HealthCheckPath"] != "" || out["Matcher.HttpCode"] != "") {
		return nil, wire.Failf("InvalidConfigurationRequest",
			"You cannot specify a path or a matcher for health checks of the protocol TCP")
	}
	return out, nil
}

type manyTargets struct {
	List   []xmlTargets `xml:"TargetGroups>member"`
	Marker *string      `xml:"NextMarker"`
}

func createTargets(x *core.Exchange) (any, error) {
	t := &targetGroup{
		Name: x.P.Str("Name"), VPC: x.P.Str("VpcId"), Protocol: x.P.Str("Protocol"),
		Target: x.P.Or("TargetType", "instance"),
	}
	if err := elbName(t.Name); err != nil {
		return nil, err
	}
	if _, ok := core.Find[*network.VPC](x.Tx, x.Region, t.VPC); !ok {
		return nil, wire.Failf("ValidationError", "The VPC ID '%s' is not found", t.VPC)
	}
	var err error
	if t.Port, err = x.P.Num("Port", 0); err != nil {
		return nil, err
	}
	if t.Health, err = readHealth(x, healthDefaults(t.Protocol)); err != nil {
		return nil, err
	}
	tags, err := elbTags(x)
	if err != nil {
		return nil, err
	}
	for _, o := range core.List[*targetGroup](x.Tx, x.Region) {
		if o.Name != t.Name {
			continue
		}
		if o.VPC != t.VPC || o.Port != t.Port || o.Protocol != t.Protocol || o.Target != t.Target ||
			!maps.Equal(o.Health, t.Health) {
			return nil, wire.Failf("DuplicateTargetGroupName",
				"A target group with the same name '%s' exists, but with different settings", t.Name)
		}
		return manyTargets{List: []xmlTargets{viewTargets(x, o)}}, nil
	}
	t.Base = elbBase(x, "targetgroup/"+t.Name)
	t.Tags = tags
	x.Tx.Put(t)
	return manyTargets{List: []xmlTargets{viewTargets(x, t)}}, nil
}

// Targets finds a target group.
func Targets(x *core.Exchange, arn string) (*targetGroup, error) {
	t, ok := core.Find[*targetGroup](x.Tx, x.Region, arn)
	if !ok {
		return nil, wire.Failf("TargetGroupNotFound", "Target groups '%s' not found", arn)
	}
	return t, nil
}

func describeTargets(x *core.Exchange) (any, error) {
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

func modifyTargets(x *core.Exchange) (any, error) {
	t, err := Targets(x, x.P.Str("TargetGroupArn"))
	if err != nil {
		return nil, err
	}
	n := *t
	if n.Health, err = readHealth(x, t.Health); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return manyTargets{List: []xmlTargets{viewTargets(x, &n)}}, nil
}

// deleteTargets: one that a listener uses stays (ELB API reference: DeleteTargetGroup, ResourceInUse).
// One that does not exist is no error.
func deleteTargets(x *core.Exchange) (any, error) {
	t, err := Targets(x, x.P.Str("TargetGroupArn"))
	if err != nil {
		return struct{}{}, nil
	}
	if len(viewTargets(x, t).Balancers) > 0 {
		return nil, wire.Failf("ResourceInUse", "Target group '%s' is currently in use by a listener or a rule", t.ID)
	}
	x.Tx.Drop(t)
	return struct{}{}, nil
}
