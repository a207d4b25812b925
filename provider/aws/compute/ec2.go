package compute

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// stateOf returns the state of an instance; "" if the answer has none.
func stateOf(i types.Instance) types.InstanceStateName {
	if i.State == nil {
		return ""
	}
	return i.State.Name
}

// gone reports that an instance is listed but no longer exists. Amazon EC2 API Reference,
// DescribeInstances: recently terminated instances may be listed for an interval that "is usually
// less than one hour".
func gone(i types.Instance) bool {
	return stateOf(i) == types.InstanceStateNameTerminated || stateOf(i) == types.InstanceStateNameShuttingDown
}

// observedInstance reads an instance; root is its root volume, if known. The volumes and interfaces
// attached to an instance are read-only attributes, because their own resources are configured to
// name the instance. Attested means that the client token proves the origin, which tags alone do
// not.
func observedInstance(g *api.Region, i types.Instance, root *types.Volume) resource.Observed {
	o := resource.Observed{ID: aws.ToString(i.InstanceId), Since: aws.ToTime(i.LaunchTime), Health: runState(stateOf(i))}
	a := api.Attrs{}
	a["size"] = resource.String(i.InstanceType)
	a.Text("image", i.ImageId)
	a.Text("subnet", i.SubnetId)
	a.Text("key_name", i.KeyName)
	// A configuration can set one of the two addresses; the other one is computed.
	a.Text(api.PrivateIP, i.PrivateIpAddress)
	a.Text("private_address", i.PrivateIpAddress)
	a.Text("public_address", i.PublicIpAddress)
	if i.Placement != nil {
		a.Text("zone", i.Placement.AvailabilityZone)
	}
	if p := i.IamInstanceProfile; p != nil {
		arn := aws.ToString(p.Arn)
		a["iam_profile"] = resource.String(arn[strings.LastIndexByte(arn, '/')+1:])
	}
	if m := i.MetadataOptions; m != nil && m.HttpTokens != "" {
		a["imdsv2"] = resource.String(m.HttpTokens)
		a.Number(hopLimit, m.HttpPutResponseHopLimit)
	}
	a.Flag(api.SourceDestCheck, i.SourceDestCheck)
	a[SpotAttr] = resource.Bool(i.InstanceLifecycle == types.InstanceLifecycleTypeSpot)
	var groups []string
	for _, s := range i.SecurityGroups {
		groups = append(groups, aws.ToString(s.GroupId))
	}
	slices.Sort(groups)
	a.Texts("security_groups", groups)
	if volumes := dataVolumes(i); len(volumes) > 0 {
		a.Texts("volumes", volumes)
	}
	if own := network.Lasting(i); len(own) > 0 {
		a.Texts("network_interfaces", own)
	}
	if root != nil {
		a["root_volume"] = rootAttrs(root)
	}
	o.Attrs = a.Build()
	if o.Health == resource.Stopped {
		o.Message = aws.ToString(i.StateTransitionReason)
	}
	g.Identify(&o, api.KindEC2, "", api.TagsOf(i.Tags))
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

// rootAttrs returns the attributes of a root volume as they are configured inside the instance.
func rootAttrs(v *types.Volume) resource.Attrs {
	a := api.Attrs{}
	a.Number("size", v.Size)
	a["type"] = resource.String(v.VolumeType)
	a.Flag("encrypted", v.Encrypted)
	// The performance of other types follows from the size, and cannot be set.
	if limit, ok := limitsOf(string(v.VolumeType)); ok && limit.mostIOPS > 0 {
		a.Number("iops", v.Iops)
		a.Number("throughput", v.Throughput)
	}
	a.Text(api.KMSKeyAttr, v.KmsKeyId)
	return a.Build()
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

// readInstance returns one instance with its root volume. A terminated instance is absent, although
// EC2 still lists it.
func readInstance(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	i, err := api.OneInstance(ctx, g, id)
	if err == nil && gone(i) {
		err = &provider.Error{
			Cause: provider.Configuration, Absent: true, Op: "ec2.DescribeInstances",
			Err: provider.Errorf("%s is %s", id, stateOf(i)),
		}
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return withRoot(ctx, g, i, volumes().One)
}

// dataVolumes are the IDs of the volumes of an instance except its root volume. A volume that is
// being detached is not among them, as in observedVolume.
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

// withRoot reads an instance with its root volume, which takes a call of its own. If the volume is
// gone, the instance is returned without it: it may be terminating at this moment.
func withRoot(ctx context.Context, g *api.Region, i types.Instance,
	read func(context.Context, *api.Region, string) (types.Volume, error),
) (resource.Observed, error) {
	id := rootID(i)
	if id == "" {
		return observedInstance(g, i, nil), nil
	}
	v, err := read(ctx, g, id)
	if api.Absent(err) {
		return observedInstance(g, i, nil), nil
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedInstance(g, i, &v), nil
}

// awaitInstance waits for a state, and fails at once if the instance is terminated. The limit is
// the wait for compute resources. A terminated instance never reaches another state, so waiting
// longer would only hide the reason.
func awaitInstance(ctx context.Context, g *api.Region, id string, state types.InstanceStateName) (i types.Instance,
	err error,
) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, fmt.Sprintf("%s to be %s", id, state), func(ctx context.Context) error {
		if i, err = pollInstance(ctx, g, id); err != nil {
			return err
		}
		switch {
		case stateOf(i) == state:
			return nil
		case gone(i):
			return died(i)
		}
		return api.ErrWait
	})
	return i, err
}

// died is why an instance was terminated during its launch: AWS accepts the launch and reports
// later. A reason with the prefix "Server." is a failure inside AWS and may pass; any other reason
// comes from the request, such as a volume limit (Amazon EC2 API Reference, StateReason).
func died(i types.Instance) error {
	why := aws.ToString(i.StateTransitionReason)
	if r := i.StateReason; r != nil {
		why = strings.TrimSpace(aws.ToString(r.Code) + " " + aws.ToString(r.Message))
	}
	class := provider.Configuration
	if strings.HasPrefix(why, "Server.") {
		class = provider.Unreachable
	}
	return &provider.Error{
		Cause: class, Op: "ec2.RunInstances",
		Err: provider.Errorf("%s became %s: %s", aws.ToString(i.InstanceId), stateOf(i), why),
	}
}

// allInstances returns the instances that are not terminated, from one list for the whole sweep.
func allInstances(ctx context.Context, s *api.Sweep) ([]types.Instance, error) {
	return api.Once(s, api.KindEC2, func() ([]types.Instance, error) {
		all, err := api.AllOrOwn(s, api.KindEC2, "instance-id", instanceID, instancesBy(ctx, s.Region))
		return slices.DeleteFunc(all, gone), err
	})
}

func instanceID(i types.Instance) string { return aws.ToString(i.InstanceId) }

// instancesBy returns a read of the instances that filters select. Terminated instances are
// excluded.
func instancesBy(ctx context.Context, g *api.Region) func([]types.Filter) ([]types.Instance, error) {
	return func(f []types.Filter) ([]types.Instance, error) {
		return api.Instances(ctx, g, &ec2.DescribeInstancesInput{Filters: append(f, api.Living()...)})
	}
}

// maxLives is the maximum number of tokens that are tried for one key.
const maxLives = 5

// lifeToken is the key itself, and the key with a number after that. A token has at most 64
// characters (RunInstances, ClientToken), so a long key is replaced by its hash before a number is
// added. The result depends on key and life alone: another process finds the same tokens.
func lifeToken(key string, life int) string {
	if life == 1 {
		return key
	}
	if len(key) > api.MaxKey-2 {
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:16])
	}
	return fmt.Sprintf("%s.%d", key, life)
}
