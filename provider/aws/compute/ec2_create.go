package compute

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// createInstance launches an instance, waits until it runs and, if it is configured as stopped,
// stops it again. Each step after the launch compares with the live instance or sets an absolute
// value, so an attempt with the same key completes an interrupted one.
func createInstance(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	in, err := launchOf(ctx, g, r)
	if err != nil {
		return resource.Observed{}, err
	}
	id, err := launchLiving(ctx, g, in, r.Key)
	if err != nil {
		return resource.Observed{}, err
	}
	i, err := awaitInstance(ctx, g, id, types.InstanceStateNameRunning)
	if on, set := api.Flag(r.Desired.Attrs, api.SourceDestCheck); err == nil && set && !on { // no part of a launch
		i.SourceDestCheck, err = aws.Bool(on), setSourceDestCheck(ctx, g, i, on)
	}
	if err == nil && r.Desired.State == resource.StateStopped {
		i, err = stop(ctx, g, id)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return withRoot(ctx, g, i, volumes().Poll)
}

// launchLiving launches with the token of the key. EC2 answers a token it remembers with the
// instance of the first time, even if that has been terminated since: then the next token of the
// key creates another one. After maxLives tokens the terminated instance, or the refusal, is the
// result.
func launchLiving(ctx context.Context, g *api.Region, in *ec2.RunInstancesInput, key string) (string, error) {
	for life := 1; ; life++ {
		in.ClientToken = aws.String(lifeToken(key, life))
		i, err := launch(ctx, g, in)
		if api.HasCode(err, "IdempotentParameterMismatch") {
			i, err = launched(ctx, g, key, err)
		}
		dead := err == nil && gone(i) || api.HasCode(err, "IdempotentInstanceTerminated")
		if !dead || life == maxLives {
			return aws.ToString(i.InstanceId), err
		}
	}
}

// launch starts one instance. What it refers to may have been created a moment ago and not be
// visible to EC2 yet. A response without an instance has an unknown result: the launch may have
// happened, and an observation finds it.
func launch(ctx context.Context, g *api.Region, in *ec2.RunInstancesInput) (i types.Instance, err error) {
	err = g.PatientlyIf(ctx, g.Wait.Appear, func() error {
		out, err := g.EC2.RunInstances(ctx, in)
		if err != nil {
			return api.Classify("", err)
		}
		if len(out.Instances) != 1 {
			return &provider.Error{
				Cause: provider.UnknownResult, Op: "ec2.RunInstances",
				Err: errors.New("the response names no instance"),
			}
		}
		i = out.Instances[0]
		return nil
	}, func(err error) bool {
		return api.HasCode(err, "InvalidSubnetID.NotFound", "InvalidGroup.NotFound", "InvalidKeyPair.NotFound",
			api.AddressTaken) || unknownProfile(err)
	})
	return i, err
}

// launched finds the instance that an earlier attempt with this key created with slightly other
// parameters, such as an image that has been renewed since: an existing one, or else a terminated
// one. If none is listed, there may still be one that is not visible yet: then the refusal is the
// answer.
func launched(ctx context.Context, g *api.Region, key string, refused error) (types.Instance, error) {
	all, err := api.Instances(ctx, g, &ec2.DescribeInstancesInput{Filters: api.BornWith(key)})
	if err != nil {
		return types.Instance{}, err
	}
	if len(all) == 0 {
		return types.Instance{}, refused
	}
	for _, i := range all {
		if !gone(i) {
			return i, nil
		}
	}
	return all[0], nil
}

// launchOf writes the configuration as the one call that creates it, tags and protection included.
// Tags in the call itself leave no moment in which the instance runs without its marks. The root
// volume gets the tags of the owner and no ref, see api.RootTags.
func launchOf(ctx context.Context, g *api.Region, r provider.Request) (*ec2.RunInstancesInput, error) {
	a := r.Desired.Attrs
	size, _ := api.Text(a, "size")
	named, _ := api.Text(a, "image")
	image, err := imageFor(ctx, g, named, size)
	if err != nil {
		return nil, err
	}
	disk, err := rootDisk(ctx, g, image, a)
	if err != nil {
		return nil, err
	}
	tags := g.BirthTags(r, true)
	in := &ec2.RunInstancesInput{
		ClientToken: aws.String(r.Key), MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
		ImageId: aws.String(image), InstanceType: types.InstanceType(size), KeyName: api.DesiredText(a, "key_name"),
		BlockDeviceMappings: []types.BlockDeviceMapping{disk},
		MetadataOptions:     metadata(a), InstanceMarketOptions: marketOf(a),
		TagSpecifications: []types.TagSpecification{
			api.Born(types.ResourceTypeInstance, tags),
			api.Born(types.ResourceTypeVolume, api.RootTags(tags)),
		},
	}
	if on, _ := api.Flag(a, "termination_protection"); on {
		in.DisableApiTermination = aws.Bool(true)
	}
	if s, given, err := api.Secret(a, "user_data"); err != nil {
		return nil, err
	} else if given {
		in.UserData = aws.String(base64.StdEncoding.EncodeToString([]byte(s)))
	}
	if p := api.DesiredText(a, "iam_profile"); p != nil {
		in.IamInstanceProfile = &types.IamInstanceProfileSpecification{Name: p}
	}
	if z := api.DesiredText(a, "zone"); z != nil {
		in.Placement = &types.Placement{AvailabilityZone: z}
	}
	subnet, groups := api.DesiredText(a, "subnet"), a.Texts("security_groups")
	// A public address is an attribute of the network interface, and then all of the network must be set there. Amazon
	// EC2 API Reference, RunInstances: "If you specify a network interface, you must specify any subnets as part of the
	// network interface instead of using this parameter".
	if public, set := api.Flag(a, "public_ip"); set {
		in.NetworkInterfaces = []types.InstanceNetworkInterfaceSpecification{{
			DeviceIndex: aws.Int32(0), AssociatePublicIpAddress: aws.Bool(public),
			PrivateIpAddress: api.DesiredText(a, api.PrivateIP),
			SubnetId:         subnet, Groups: groups, DeleteOnTermination: aws.Bool(true),
		}}
	} else {
		in.SubnetId, in.SecurityGroupIds, in.PrivateIpAddress = subnet, groups, api.DesiredText(a, api.PrivateIP)
	}
	return in, nil
}

// rootDisk overrides the root device of the image. The device name must be the name in the image:
// with another name the launch adds a second disk and keeps the root volume of the image.
func rootDisk(ctx context.Context, g *api.Region, image string, a resource.Attrs) (types.BlockDeviceMapping, error) {
	device, err := rootOfImage(ctx, g, image)
	if err != nil {
		return types.BlockDeviceMapping{}, err
	}
	v, _ := a.Get("root_volume")
	root, _ := v.(resource.Attrs)
	ebs := &types.EbsBlockDevice{
		DeleteOnTermination: aws.Bool(true), Encrypted: aws.Bool(true), VolumeType: types.VolumeTypeGp3,
		VolumeSize: device.Size,
		Iops:       api.DesiredInt(root, "iops"), Throughput: api.DesiredInt(root, "throughput"),
		KmsKeyId: api.DesiredText(root, api.KMSKeyAttr),
	}
	if on, ok := api.Flag(root, "encrypted"); ok && !on {
		ebs.Encrypted = nil // an account may encrypt everything; false would be refused there
	}
	if s, ok := api.Text(root, "type"); ok {
		ebs.VolumeType = types.VolumeType(s)
	}
	if n, ok := api.Number(root, "size"); ok {
		ebs.VolumeSize = aws.Int32(int32(n))
	}
	return types.BlockDeviceMapping{DeviceName: aws.String(device.Name), Ebs: ebs}, nil
}
