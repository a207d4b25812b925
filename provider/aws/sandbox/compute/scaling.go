package compute

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/balance"
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func scalingActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateAutoScalingGroup": createScaling, "DescribeAutoScalingGroups": describeScaling,
		"UpdateAutoScalingGroup": updateScaling,
		"DeleteAutoScalingGroup": deleteScaling, "DescribeScalingActivities": describeActivities,
		"AttachLoadBalancerTargetGroups": attachTargets, "DetachLoadBalancerTargetGroups": detachTargets,
		"CreateOrUpdateTags": tagScaling, "DeleteTags": untagScaling,
	}
}

type xmlScalingInstance struct{ InstanceId, AvailabilityZone, LifecycleState, HealthStatus string }

type xmlScalingTag struct {
	Key, Value, ResourceId, ResourceType string
	PropagateAtLaunch                    bool
}

type xmlScaling struct {
	AutoScalingGroupName, AutoScalingGroupARN, VPCZoneIdentifier, HealthCheckType string
	MinSize, MaxSize, DesiredCapacity, HealthCheckGracePeriod                     int
	Status                                                                        *string
	CreatedTime                                                                   time.Time
	LaunchTemplate                                                                struct {
		LaunchTemplateId,
		Version string
	}
	Targets   []string             `xml:"TargetGroupARNs>member"`
	Instances []xmlScalingInstance `xml:"Instances>member"`
	Tags      []xmlScalingTag      `xml:"Tags>member"`
}

func viewScaling(x *core.Exchange, g *scalingGroup) xmlScaling {
	out := xmlScaling{
		AutoScalingGroupName: g.ID, AutoScalingGroupARN: g.ARN, VPCZoneIdentifier: strings.Join(g.Subnets, ","),
		HealthCheckType: g.Check,
		MinSize:         g.Min, MaxSize: g.Max, DesiredCapacity: g.Desired, HealthCheckGracePeriod: g.Grace,
		CreatedTime: g.Made, Targets: g.Targets,
	}
	out.LaunchTemplate.LaunchTemplateId, out.LaunchTemplate.Version = g.Template, g.Version
	if !g.Until.IsZero() {
		status := "Delete in progress"
		out.Status = &status
	}
	for _, in := range membersOf(x, g.ID) {
		state := map[string]string{"pending": "Pending", "running": "InService"}[in.Life.At(x.Now)]
		if state == "" {
			state = "Terminating"
		}
		out.Instances = append(out.Instances, xmlScalingInstance{in.ID, in.AZ, state, "Healthy"})
	}
	for _, t := range core.TagSet(g.Tags) {
		out.Tags = append(out.Tags, xmlScalingTag{t.Key, t.Value, g.ID, "auto-scaling-group", false})
	}
	return out
}

const scalingTag = "aws:autoscaling:groupName"

// membersOf are the instances of a group that are not terminated.
func membersOf(x *core.Exchange, group string) []*ec2.Instance {
	var out []*ec2.Instance
	for _, in := range core.List[*ec2.Instance](x.Tx, x.Region) {
		if in.Tags[scalingTag] == group && in.Life.At(x.Now) != "terminated" {
			out = append(out, in)
		}
	}
	return out
}

// invalid is the one code that this service has for most mistakes.
func invalid(format string, args ...any) error {
	return wire.Failf("ValidationError", format, args...)
}

func scalingGroupOf(x *core.Exchange, name string) (*scalingGroup, error) {
	g, ok := core.Find[*scalingGroup](x.Tx, x.Region, name)
	if !ok {
		return nil, invalid("AutoScalingGroup name not found - AutoScalingGroup '%s' not found", name)
	}
	return g, nil
}

// readScaling reads what create and update have in common.
func readScaling(x *core.Exchange, g *scalingGroup) (err error) {
	for name, to := range map[string]*int{"MinSize": &g.Min, "MaxSize": &g.Max, "HealthCheckGracePeriod": &g.Grace} {
		if *to, err = x.P.Num(name, *to); err != nil {
			return err
		}
	}
	if g.Desired, err = x.P.Num("DesiredCapacity", max(g.Min, min(g.Desired, g.Max))); err != nil {
		return err
	}
	if g.Min > g.Max || g.Desired < g.Min || g.Desired > g.Max {
		return invalid("Desired capacity:%d must be between the specified min size:%d and max size:%d", g.Desired, g.Min,
			g.Max)
	}
	if s := x.P.Str("VPCZoneIdentifier"); s != "" {
		g.Subnets = strings.Split(s, ",")
	}
	for _, id := range g.Subnets {
		if _, ok := core.Find[*network.Subnet](x.Tx, x.Region, id); !ok {
			return invalid("The subnet ID '%s' does not exist", id)
		}
	}
	g.Check = x.P.Or("HealthCheckType", g.Check)
	g.Template, g.Version = x.P.Or("LaunchTemplate.LaunchTemplateId", g.Template), x.P.Or("LaunchTemplate.Version",
		g.Version)
	_, _, err = templateFor(x, g, g.Subnets[0])
	return err
}

// templateFor is the call that launches an instance of a group in a subnet. A template that cannot launch is
// refused ("You must use a valid fully-formed launch template").
func templateFor(x *core.Exchange, g *scalingGroup, subnetID string) (*core.Exchange, *ec2.Instance, error) {
	l, ok := core.Find[*launchTemplate](x.Tx, x.Region, g.Template)
	if !ok {
		return nil, nil, invalid("The specified launch template, with template ID %s, does not exist.", g.Template)
	}
	v, ok := l.version(g.Version)
	if !ok {
		return nil, nil, invalid("You must use a valid fully-formed launch template. Could not find version %s", g.Version)
	}
	p, err := paramsOf(v.Data)
	if err != nil {
		return nil, nil, err
	}
	at := p
	if nic := p.At("NetworkInterface.1"); nic != nil {
		at = nic
	}
	n := at.Grow("SubnetId")
	n.Val, n.Set = subnetID, true
	c := *x.Call
	c.P = p
	sub := *x
	sub.Call = &c
	in, err := launchSpec(&sub)
	if err != nil {
		return nil, nil, invalid("You must use a valid fully-formed launch template. %s", wire.ErrorOf(err).Message)
	}
	return &sub, in, nil
}

// scale launches and terminates until a group has what it should have, in each subnet in turn. The oldest
// go first. A launch that fails is tried again with the next change.
func scale(x *core.Exchange, g *scalingGroup) error {
	members := slices.DeleteFunc(membersOf(x, g.ID), (*ec2.Instance).Dead)
	for len(members) > g.Desired {
		x.Tx.Put(kill(x, members[0]))
		members = members[1:]
	}
	g.Failure, g.Failed = "", time.Time{}
	for n := len(members); n < g.Desired; n++ {
		subnetID := g.Subnets[n%len(g.Subnets)]
		if network.FreeAddresses(x, subnetID) < 1 {
			g.Failure, g.Failed = "There are not enough free addresses in subnet '"+subnetID+
				"' to satisfy the requested number of instances. Launching EC2 instance failed.", x.Now
			return nil
		}
		sub, in, err := templateFor(x, g, subnetID)
		if err != nil {
			return err
		}
		disks, err := launchDisks(sub)
		if err != nil {
			return err
		}
		tags, err := sub.SpecTags("instance", "volume")
		if err != nil {
			return err
		}
		tags[scalingTag] = g.ID
		diskTags, err := sub.SpecTags("volume", "instance")
		if err != nil {
			return err
		}
		attachNew(sub, launch(sub, *in, sub.Tx.Fresh("r-", x.Region).ID, 0, tags), disks, diskTags)
	}
	return nil
}

func createScaling(x *core.Exchange) (any, error) {
	name := x.P.Str("AutoScalingGroupName")
	if old, there := core.Find[*scalingGroup](x.Tx, x.Region, name); there && !old.Until.IsZero() {
		return nil, wire.Failf("AlreadyExists",
			"AutoScalingGroup by this name already exists - A group with the name %s is pending delete", name)
	} else if there {
		return nil, wire.Failf("AlreadyExists",
			"AutoScalingGroup by this name already exists - A group with the name %s already exists", name)
	}
	g := &scalingGroup{Base: x.Tx.Named(name, x.Region), Check: "EC2"}
	if err := readScaling(x, g); err != nil {
		return nil, err
	}
	g.Targets = x.P.Strs("TargetGroupARNs.member")
	for _, arn := range g.Targets {
		if _, err := balance.Targets(x, arn); err != nil {
			return nil, invalid("Target group '%s' not found", arn)
		}
	}
	g.ARN = "arn:aws:autoscaling:" + x.Region + ":" + wire.Account + ":autoScalingGroup:" +
		x.Tx.St.Hex("asg", g.Seq)[:17] + ":autoScalingGroupName/" + name
	tags := map[string]string{}
	for _, t := range readScalingTags(x) {
		tags[t.Key] = t.Value
	}
	if g.Tags = tags; core.CheckTags(tags) != nil {
		return nil, core.CheckTags(tags)
	}
	if err := scale(x, g); err != nil {
		return nil, err
	}
	x.Tx.Put(g)
	return nil, nil
}

func readScalingTags(x *core.Exchange) []xmlScalingTag {
	var out []xmlScalingTag
	for _, t := range x.P.Items("Tags.member") {
		t.Str("ResourceType")
		out = append(out, xmlScalingTag{
			Key: t.Str("Key"), Value: t.Str("Value"), ResourceId: t.Str("ResourceId"),
			PropagateAtLaunch: t.Yes("PropagateAtLaunch"),
		})
	}
	return out
}

func changeScaling(x *core.Exchange, name string, change func(*scalingGroup) error) (any, error) {
	g, err := scalingGroupOf(x, name)
	if err != nil {
		return nil, err
	}
	n := *g
	n.Tags, n.Targets = maps.Clone(g.Tags), slices.Clone(g.Targets)
	if err := change(&n); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return nil, nil
}

func updateScaling(x *core.Exchange) (any, error) {
	return changeScaling(x, x.P.Str("AutoScalingGroupName"), func(g *scalingGroup) error {
		if err := readScaling(x, g); err != nil {
			return err
		}
		return scale(x, g)
	})
}

// deleteScaling: one with instances stays, unless they are to be terminated with it (Auto Scaling API
// reference: DeleteAutoScalingGroup, ForceDelete).
func deleteScaling(x *core.Exchange) (any, error) {
	force := x.P.Yes("ForceDelete")
	return changeScaling(x, x.P.Str("AutoScalingGroupName"), func(g *scalingGroup) error {
		members := slices.DeleteFunc(membersOf(x, g.ID), (*ec2.Instance).Dead)
		if len(members) > 0 && !force {
			return wire.Failf("ResourceInUse",
				"You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in "+
					"the group.")
		}
		for _, in := range members {
			x.Tx.Put(kill(x, in))
		}
		g.Until = x.Now.Add(x.Settle)
		return nil
	})
}

func attachTargets(x *core.Exchange) (any, error) {
	return moveTargets(x, func(g *scalingGroup, arn string) error {
		if _, err := balance.Targets(x, arn); err != nil {
			return invalid("Target group '%s' not found", arn)
		}
		if !slices.Contains(g.Targets, arn) {
			g.Targets = append(g.Targets, arn)
		}
		return nil
	})
}

func detachTargets(x *core.Exchange) (any, error) {
	return moveTargets(x, func(g *scalingGroup, arn string) error {
		g.Targets = slices.DeleteFunc(g.Targets, func(s string) bool { return s == arn })
		return nil
	})
}

func moveTargets(x *core.Exchange, each func(*scalingGroup, string) error) (any, error) {
	arns := x.P.Strs("TargetGroupARNs.member")
	_, err := changeScaling(x, x.P.Str("AutoScalingGroupName"), func(g *scalingGroup) error {
		for _, arn := range arns {
			if err := each(g, arn); err != nil {
				return err
			}
		}
		return nil
	})
	return struct{}{}, err
}

func tagScaling(x *core.Exchange) (any, error) {
	for _, t := range readScalingTags(x) {
		_, err := changeScaling(x, t.ResourceId, func(g *scalingGroup) error {
			g.Tags[t.Key] = t.Value
			return core.CheckTags(g.Tags)
		})
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func untagScaling(x *core.Exchange) (any, error) {
	for _, t := range readScalingTags(x) {
		_, err := changeScaling(x, t.ResourceId, func(g *scalingGroup) error {
			delete(g.Tags, t.Key)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// describeScaling: a name that does not exist is an empty answer; pages of 100 at most.
func describeScaling(x *core.Exchange) (any, error) {
	names := x.P.Strs("AutoScalingGroupNames.member")
	all := slices.DeleteFunc(core.List[*scalingGroup](x.Tx, x.Region), func(g *scalingGroup) bool {
		return len(names) > 0 && !slices.Contains(names, g.ID)
	})
	size, err := x.P.Num("MaxRecords", 50)
	if err != nil || size > 100 {
		return nil, invalid("The page size must be 100 at most")
	}
	rows, next, ok := core.Cut(all, x.P.Str("NextToken"), size)
	if !ok {
		return nil, wire.Failf("InvalidNextToken", "The token is not valid.")
	}
	out := struct {
		List []xmlScaling `xml:"AutoScalingGroups>member"`
		Next *string      `xml:"NextToken"`
	}{}
	for _, g := range rows {
		out.List = append(out.List, viewScaling(x, g))
	}
	if next != "" {
		out.Next = &next
	}
	return out, nil
}

type xmlActivity struct {
	ActivityId, AutoScalingGroupName, Cause, StatusCode, StatusMessage string
	StartTime                                                          time.Time
}

// describeActivities shows the last launch that failed, or none.
func describeActivities(x *core.Exchange) (any, error) {
	x.P.Str("MaxRecords")
	g, err := scalingGroupOf(x, x.P.Str("AutoScalingGroupName"))
	if err != nil {
		return nil, err
	}
	out := struct {
		List []xmlActivity `xml:"Activities>member"`
	}{}
	if g.Failure != "" {
		out.List = []xmlActivity{{
			"a-" + strconv.Itoa(int(g.Seq)), g.ID, "the desired capacity", "Failed", g.Failure,
			g.Failed,
		}}
	}
	return out, nil
}
