package aws

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// living filters a list for instances that exist; terminated ones stay listed for an hour.
func living() []types.Filter {
	return where("instance-state-name", "pending", "running", "stopping", "stopped")
}

func instances(ctx context.Context, g *region, in *ec2.DescribeInstancesInput) ([]types.Instance, error) {
	return pages(ctx, "ec2.DescribeInstances", func(ctx context.Context, token *string) ([]types.Instance, *string, error) {
		in.NextToken, in.MaxResults = token, pageOf(in.InstanceIds)
		out, err := g.ec2.DescribeInstances(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		var all []types.Instance
		for _, r := range out.Reservations {
			all = append(all, r.Instances...)
		}
		return all, out.NextToken, nil
	})
}

// instancesWhere names the living instances of a filter.
func instancesWhere(ctx context.Context, g *region, filter, value string) ([]string, error) {
	filters := append(where(filter, value), living()...)
	all, err := instances(ctx, g, &ec2.DescribeInstancesInput{Filters: filters})
	var names []string
	for _, i := range all {
		names = append(names, instanceName(g, i))
	}
	return names, err
}

func oneInstance(ctx context.Context, g *region, id string) (types.Instance, error) {
	all, err := instances(ctx, g, &ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	return only(all, err, "ec2.DescribeInstances", id)
}

func stateOf(i types.Instance) types.InstanceStateName {
	if i.State == nil {
		return ""
	}
	return i.State.Name
}

// gone reports that an instance is listed but no longer exists.
func gone(i types.Instance) bool {
	return stateOf(i) == types.InstanceStateNameTerminated || stateOf(i) == types.InstanceStateNameShuttingDown
}

// observedInstance reads an instance; root is its root volume, if known.
func observedInstance(g *region, i types.Instance, root *types.Volume) resource.Observed {
	o := resource.Observed{ID: aws.ToString(i.InstanceId), Since: aws.ToTime(i.LaunchTime), Health: runState(stateOf(i))}
	a := attrs{}
	a["size"] = resource.String(i.InstanceType)
	a.text("image", i.ImageId)
	a.text("subnet", i.SubnetId)
	a.text("key_name", i.KeyName)
	a.text(privateIP, i.PrivateIpAddress)
	a.text("private_address", i.PrivateIpAddress)
	a.text("public_address", i.PublicIpAddress)
	if i.Placement != nil {
		a.text("zone", i.Placement.AvailabilityZone)
	}
	if p := i.IamInstanceProfile; p != nil {
		arn := aws.ToString(p.Arn)
		a["iam_profile"] = resource.String(arn[strings.LastIndexByte(arn, '/')+1:])
	}
	if m := i.MetadataOptions; m != nil && m.HttpTokens != "" {
		a["imdsv2"] = resource.String(m.HttpTokens)
		a.number(hopLimit, m.HttpPutResponseHopLimit)
	}
	a.flag(sourceDestCheck, i.SourceDestCheck)
	a[spotAttr] = resource.Bool(i.InstanceLifecycle == types.InstanceLifecycleTypeSpot)
	var groups []string
	for _, s := range i.SecurityGroups {
		groups = append(groups, aws.ToString(s.GroupId))
	}
	slices.Sort(groups)
	a.texts("security_groups", groups)
	if volumes := dataVolumes(i); len(volumes) > 0 {
		a.texts("volumes", volumes)
	}
	if own := lasting(i); len(own) > 0 {
		a.texts("network_interfaces", own)
	}
	if root != nil {
		a["root_volume"] = rootAttrs(root)
	}
	o.Attrs = a.done()
	if o.Health == resource.Stopped {
		o.Message = aws.ToString(i.StateTransitionReason)
	}
	g.identify(&o, kindEC2, "", tagsOf(i.Tags))
	// The console's "launch more like this" copies tags; it cannot copy the token.
	token := aws.ToString(i.ClientToken)
	o.Attested = o.Marks.Key != "" && bornOf(token, o.Marks.Key)
	return o
}

// bornOf reports that a token was derived from a key.
func bornOf(token, key string) bool {
	for life := 1; life <= maxLives; life++ {
		if token == lifeToken(key, life) {
			return true
		}
	}
	return false
}

// runState is the health of an instance. One that is stopping will not run by itself.
func runState(s types.InstanceStateName) resource.Health {
	switch s {
	case types.InstanceStateNameRunning:
		return resource.Healthy
	case types.InstanceStateNamePending:
		return resource.Pending
	case types.InstanceStateNameStopping, types.InstanceStateNameStopped:
		return resource.Stopped
	default:
		return resource.Unclear
	}
}

func rootAttrs(v *types.Volume) resource.Attrs {
	a := attrs{}
	a.number("size", v.Size)
	a["type"] = resource.String(v.VolumeType)
	a.flag("encrypted", v.Encrypted)
	tuned(a, v.VolumeType, v.Iops, v.Throughput)
	a.text(kmsKeyAttr, v.KmsKeyId)
	return a.done()
}

// tuned reads the performance of a root volume. That of other types follows from the size, and cannot be set.
func tuned(a attrs, kind types.VolumeType, iops, throughput *int32) {
	if limit, ok := limitsOf(string(kind)); ok && limit.mostIOPS > 0 {
		a.number("iops", iops)
		a.number("throughput", throughput)
	}
}

// rootID is the id of an instance's root volume, if it is reported.
func rootID(i types.Instance) string {
	for _, d := range i.BlockDeviceMappings {
		if d.Ebs != nil && aws.ToString(d.DeviceName) == aws.ToString(i.RootDeviceName) {
			return aws.ToString(d.Ebs.VolumeId)
		}
	}
	return ""
}

func readInstance(ctx context.Context, g *region, id string) (resource.Observed, error) {
	i, err := oneInstance(ctx, g, id)
	if err == nil && gone(i) {
		err = &provider.Error{Class: provider.NotFound, Op: "ec2.DescribeInstances", Err: fmt.Errorf("%s is %s", id, stateOf(i))}
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return withRoot(ctx, g, i, volume)
}

// dataVolumes are the volumes of an instance besides its root volume.
func dataVolumes(i types.Instance) []string {
	var out []string
	root := rootID(i)
	for _, d := range i.BlockDeviceMappings {
		if d.Ebs == nil || aws.ToString(d.Ebs.VolumeId) == root {
			continue
		}
		if d.Ebs.Status == types.AttachmentStatusAttached || d.Ebs.Status == types.AttachmentStatusAttaching {
			out = append(out, aws.ToString(d.Ebs.VolumeId))
		}
	}
	slices.Sort(out)
	return out
}

// withRoot reads an instance with its root volume, which takes a call of its own.
func withRoot(ctx context.Context, g *region, i types.Instance, read func(context.Context, *region, string) (types.Volume, error)) (resource.Observed, error) {
	id := rootID(i)
	if id == "" {
		return observedInstance(g, i, nil), nil
	}
	v, err := read(ctx, g, id)
	if absent(err) {
		return observedInstance(g, i, nil), nil
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedInstance(g, i, &v), nil
}

// awaitInstance waits for a state, and fails at once if the instance is terminated.
func awaitInstance(ctx context.Context, g *region, id string, state types.InstanceStateName) (i types.Instance, err error) {
	err = g.awaitSeen(ctx, g.wait.Compute, fmt.Sprintf("%s to be %s", id, state), func(ctx context.Context) error {
		if i, err = pollInstance(ctx, g, id); err != nil {
			return err
		}
		switch {
		case stateOf(i) == state:
			return nil
		case gone(i):
			return died(i)
		}
		return errWait
	})
	return i, err
}

// died is why an instance was terminated during its launch: AWS accepts the launch and reports later.
func died(i types.Instance) error {
	why := aws.ToString(i.StateTransitionReason)
	if r := i.StateReason; r != nil {
		why = strings.TrimSpace(aws.ToString(r.Code) + " " + aws.ToString(r.Message))
	}
	class := provider.Permanent
	if strings.HasPrefix(why, "Server.") {
		class = provider.Transient
	}
	return &provider.Error{
		Class: class, Op: "ec2.RunInstances",
		Err: fmt.Errorf("%s became %s: %s", aws.ToString(i.InstanceId), stateOf(i), why),
	}
}

// deleteInstance terminates one instance per call: of several, one bad id would stop all.
func deleteInstance(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	if err := endSpotRequest(ctx, g, r.Have); err != nil {
		return err
	}
	_, err := g.ec2.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{id}})
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = g.await(ctx, g.wait.Compute, id+" to be terminated", func(ctx context.Context) error {
		i, err := pollInstance(ctx, g, id)
		switch {
		case absent(err):
			return nil
		case err != nil:
			return err
		case stateOf(i) == types.InstanceStateNameTerminated:
			return nil
		}
		return errWait
	})
	return err
}

// allInstances are those that are not terminated.
func allInstances(ctx context.Context, s *sweep) ([]types.Instance, error) {
	return once(s, kindEC2, func() ([]types.Instance, error) {
		all, err := allOrOwn(s, kindEC2, "instance-id", instanceID, instancesBy(ctx, s.region))
		return slices.DeleteFunc(all, gone), err
	})
}

// instanceName is the ID of an instance and what ovi calls it.
func instanceName(g *region, i types.Instance) string {
	o := resource.Observed{ID: aws.ToString(i.InstanceId)}
	g.identify(&o, kindEC2, o.ID, tagsOf(i.Tags))
	return nameID(o)
}
