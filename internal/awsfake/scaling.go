package awsfake

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

func scalingActions() map[string]handler {
	return map[string]handler{
		"CreateAutoScalingGroup": createScaling, "DescribeAutoScalingGroups": describeScaling, "UpdateAutoScalingGroup": updateScaling,
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
	LaunchTemplate                                                                struct{ LaunchTemplateId, Version string }
	Targets                                                                       []string             `xml:"TargetGroupARNs>member"`
	Instances                                                                     []xmlScalingInstance `xml:"Instances>member"`
	Tags                                                                          []xmlScalingTag      `xml:"Tags>member"`
}

func viewScaling(x *exchange, g *scalingGroup) xmlScaling {
	out := xmlScaling{
		AutoScalingGroupName: g.ID, AutoScalingGroupARN: g.ARN, VPCZoneIdentifier: strings.Join(g.Subnets, ","), HealthCheckType: g.Check,
		MinSize: g.Min, MaxSize: g.Max, DesiredCapacity: g.Desired, HealthCheckGracePeriod: g.Grace, CreatedTime: g.Made, Targets: g.Targets,
	}
	out.LaunchTemplate.LaunchTemplateId, out.LaunchTemplate.Version = g.Template, g.Version
	if !g.Until.IsZero() {
		status := "Delete in progress"
		out.Status = &status
	}
	for _, in := range membersOf(x, g.ID) {
		state := map[string]string{"pending": "Pending", "running": "InService"}[in.Life.at(x.now)]
		if state == "" {
			state = "Terminating"
		}
		out.Instances = append(out.Instances, xmlScalingInstance{in.ID, in.AZ, state, "Healthy"})
	}
	for _, t := range tagSet(g.Tags) {
		out.Tags = append(out.Tags, xmlScalingTag{t.Key, t.Value, g.ID, "auto-scaling-group", false})
	}
	return out
}

const scalingTag = "aws:autoscaling:groupName"

// membersOf are the instances of a group that are not terminated.
func membersOf(x *exchange, group string) []*instance {
	var out []*instance
	for _, in := range list[*instance](x.tx, x.Region) {
		if in.Tags[scalingTag] == group && in.Life.at(x.now) != "terminated" {
			out = append(out, in)
		}
	}
	return out
}

// invalid is the one code that this service has for most mistakes.
func invalid(format string, args ...any) error { return failf("ValidationError", format, args...) }

func scalingGroupOf(x *exchange, name string) (*scalingGroup, error) {
	g, ok := find[*scalingGroup](x.tx, x.Region, name)
	if !ok {
		return nil, invalid("AutoScalingGroup name not found - AutoScalingGroup '%s' not found", name)
	}
	return g, nil
}

// readScaling reads what create and update have in common.
func readScaling(x *exchange, g *scalingGroup) (err error) {
	for name, to := range map[string]*int{"MinSize": &g.Min, "MaxSize": &g.Max, "HealthCheckGracePeriod": &g.Grace} {
		if *to, err = x.p.num(name, *to); err != nil {
			return err
		}
	}
	if g.Desired, err = x.p.num("DesiredCapacity", max(g.Min, min(g.Desired, g.Max))); err != nil {
		return err
	}
	if g.Min > g.Max || g.Desired < g.Min || g.Desired > g.Max {
		return invalid("Desired capacity:%d must be between the specified min size:%d and max size:%d", g.Desired, g.Min, g.Max)
	}
	if s := x.p.str("VPCZoneIdentifier"); s != "" {
		g.Subnets = strings.Split(s, ",")
	}
	for _, id := range g.Subnets {
		if _, ok := find[*subnet](x.tx, x.Region, id); !ok {
			return invalid("The subnet ID '%s' does not exist", id)
		}
	}
	g.Check = x.p.or("HealthCheckType", g.Check)
	g.Template, g.Version = x.p.or("LaunchTemplate.LaunchTemplateId", g.Template), x.p.or("LaunchTemplate.Version", g.Version)
	_, _, err = templateFor(x, g, g.Subnets[0])
	return err
}

// templateFor is the call that launches an instance of a group in a subnet. A template that cannot launch is
// refused ("You must use a valid fully-formed launch template").
func templateFor(x *exchange, g *scalingGroup, subnetID string) (*exchange, *instance, error) {
	l, ok := find[*launchTemplate](x.tx, x.Region, g.Template)
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
	if nic := p.at("NetworkInterface.1"); nic != nil {
		at = nic
	}
	n := at.grow("SubnetId")
	n.val, n.set = subnetID, true
	c := *x.call
	c.p = p
	sub := *x
	sub.call = &c
	in, err := launchSpec(&sub)
	if err != nil {
		return nil, nil, invalid("You must use a valid fully-formed launch template. %s", errorOf(err).Message)
	}
	return &sub, in, nil
}

// scale launches and terminates until a group has what it should have, in each subnet in turn. The oldest
// go first. A launch that fails is tried again with the next change.
func scale(x *exchange, g *scalingGroup) error {
	members := slices.DeleteFunc(membersOf(x, g.ID), (*instance).dead)
	for len(members) > g.Desired {
		x.tx.put(kill(x, members[0]))
		members = members[1:]
	}
	g.Failure, g.Failed = "", time.Time{}
	for n := len(members); n < g.Desired; n++ {
		subnetID := g.Subnets[n%len(g.Subnets)]
		if freeAddresses(x, subnetID) < 1 {
			g.Failure, g.Failed = "There are not enough free addresses in subnet '"+subnetID+"' to satisfy the requested number of instances. Launching EC2 instance failed.", x.now
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
		tags, err := sub.specTags("instance", "volume")
		if err != nil {
			return err
		}
		tags[scalingTag] = g.ID
		diskTags, err := sub.specTags("volume", "instance")
		if err != nil {
			return err
		}
		attachNew(sub, launch(sub, *in, sub.tx.fresh("r-", x.Region).ID, 0, tags), disks, diskTags)
	}
	return nil
}

func createScaling(x *exchange) (any, error) {
	name := x.p.str("AutoScalingGroupName")
	if old, there := find[*scalingGroup](x.tx, x.Region, name); there && !old.Until.IsZero() {
		return nil, failf("AlreadyExists", "AutoScalingGroup by this name already exists - A group with the name %s is pending delete", name)
	} else if there {
		return nil, failf("AlreadyExists", "AutoScalingGroup by this name already exists - A group with the name %s already exists", name)
	}
	g := &scalingGroup{base: x.tx.named(name, x.Region), Check: "EC2"}
	if err := readScaling(x, g); err != nil {
		return nil, err
	}
	g.Targets = x.p.strs("TargetGroupARNs.member")
	for _, arn := range g.Targets {
		if _, err := targets(x, arn); err != nil {
			return nil, invalid("Target group '%s' not found", arn)
		}
	}
	g.ARN = "arn:aws:autoscaling:" + x.Region + ":" + Account + ":autoScalingGroup:" + x.tx.st.hex("asg", g.Seq)[:17] + ":autoScalingGroupName/" + name
	tags := map[string]string{}
	for _, t := range readScalingTags(x) {
		tags[t.Key] = t.Value
	}
	if g.Tags = tags; checkTags(tags) != nil {
		return nil, checkTags(tags)
	}
	if err := scale(x, g); err != nil {
		return nil, err
	}
	x.tx.put(g)
	return nil, nil
}

func readScalingTags(x *exchange) []xmlScalingTag {
	var out []xmlScalingTag
	for _, t := range x.p.items("Tags.member") {
		t.str("ResourceType")
		out = append(out, xmlScalingTag{Key: t.str("Key"), Value: t.str("Value"), ResourceId: t.str("ResourceId"), PropagateAtLaunch: t.yes("PropagateAtLaunch")})
	}
	return out
}

func changeScaling(x *exchange, name string, change func(*scalingGroup) error) (any, error) {
	g, err := scalingGroupOf(x, name)
	if err != nil {
		return nil, err
	}
	n := *g
	n.Tags, n.Targets = maps.Clone(g.Tags), slices.Clone(g.Targets)
	if err := change(&n); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return nil, nil
}

func updateScaling(x *exchange) (any, error) {
	return changeScaling(x, x.p.str("AutoScalingGroupName"), func(g *scalingGroup) error {
		if err := readScaling(x, g); err != nil {
			return err
		}
		return scale(x, g)
	})
}

// deleteScaling: one with instances stays, unless they are to be terminated with it (Auto Scaling API
// reference: DeleteAutoScalingGroup, ForceDelete).
func deleteScaling(x *exchange) (any, error) {
	force := x.p.yes("ForceDelete")
	return changeScaling(x, x.p.str("AutoScalingGroupName"), func(g *scalingGroup) error {
		members := slices.DeleteFunc(membersOf(x, g.ID), (*instance).dead)
		if len(members) > 0 && !force {
			return failf("ResourceInUse", "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.")
		}
		for _, in := range members {
			x.tx.put(kill(x, in))
		}
		g.Until = x.now.Add(x.settle)
		return nil
	})
}

func attachTargets(x *exchange) (any, error) {
	return moveTargets(x, func(g *scalingGroup, arn string) error {
		if _, err := targets(x, arn); err != nil {
			return invalid("Target group '%s' not found", arn)
		}
		if !slices.Contains(g.Targets, arn) {
			g.Targets = append(g.Targets, arn)
		}
		return nil
	})
}

func detachTargets(x *exchange) (any, error) {
	return moveTargets(x, func(g *scalingGroup, arn string) error {
		g.Targets = slices.DeleteFunc(g.Targets, func(s string) bool { return s == arn })
		return nil
	})
}

func moveTargets(x *exchange, each func(*scalingGroup, string) error) (any, error) {
	arns := x.p.strs("TargetGroupARNs.member")
	_, err := changeScaling(x, x.p.str("AutoScalingGroupName"), func(g *scalingGroup) error {
		for _, arn := range arns {
			if err := each(g, arn); err != nil {
				return err
			}
		}
		return nil
	})
	return struct{}{}, err
}

func tagScaling(x *exchange) (any, error) {
	for _, t := range readScalingTags(x) {
		_, err := changeScaling(x, t.ResourceId, func(g *scalingGroup) error {
			g.Tags[t.Key] = t.Value
			return checkTags(g.Tags)
		})
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func untagScaling(x *exchange) (any, error) {
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
func describeScaling(x *exchange) (any, error) {
	names := x.p.strs("AutoScalingGroupNames.member")
	all := slices.DeleteFunc(list[*scalingGroup](x.tx, x.Region), func(g *scalingGroup) bool { return len(names) > 0 && !slices.Contains(names, g.ID) })
	size, err := x.p.num("MaxRecords", 50)
	if err != nil || size > 100 {
		return nil, invalid("The page size must be 100 at most")
	}
	rows, next, ok := cut(all, x.p.str("NextToken"), size)
	if !ok {
		return nil, failf("InvalidNextToken", "The token is not valid.")
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
func describeActivities(x *exchange) (any, error) {
	x.p.str("MaxRecords")
	g, err := scalingGroupOf(x, x.p.str("AutoScalingGroupName"))
	if err != nil {
		return nil, err
	}
	out := struct {
		List []xmlActivity `xml:"Activities>member"`
	}{}
	if g.Failure != "" {
		out.List = []xmlActivity{{"a-" + strconv.Itoa(int(g.Seq)), g.ID, "the desired capacity", "Failed", g.Failure, g.Failed}}
	}
	return out, nil
}
