package compute

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// updateInstance first changes what can change while it runs, then what requires a stop. The order
// keeps an interruption short and safe: if a change that needs a stop fails, the changes before it
// are made and the instance was never stopped for them.
func updateInstance(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := r.Have.ID
	i, err := stableInstance(ctx, g, id)
	if err == nil {
		err = SameMachine(r, i)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	for _, step := range []func() error{
		func() error { return changeLive(ctx, g, r, i) },
		func() error { return changeProfile(ctx, g, r, id) },
		func() error { return changeRoot(ctx, g, r, i) },
		func() error { return changeStopped(ctx, g, r, i) },
	} {
		if err := step(); err != nil {
			return resource.Observed{}, err
		}
	}
	if i, err = api.OneInstance(ctx, g, id); err != nil {
		return resource.Observed{}, err
	}
	return withRoot(ctx, g, i, volumes().Poll)
}

// SameMachine: a size of another architecture cannot run the installed system ("Change the
// instance type": only types of the same architecture). A new instance of the current Amazon Linux
// can have it; an image that the configuration names cannot.
func SameMachine(r provider.Request, i types.Instance) error {
	size, _ := api.Text(r.Desired.Attrs, "size")
	now, want := string(i.Architecture), architecture(size)
	if !api.Changed(r, "size") || now == want || now != "arm64" && now != "x86_64" {
		return nil
	}
	err := provider.Errorf("size %s is %s, and %s runs %s", size, want, aws.ToString(i.InstanceId), now)
	if image, ok := api.Text(r.Desired.Attrs, "image"); ok && image != latestImage {
		return api.Mistake("ec2.ModifyInstanceAttribute", provider.Errorf("%w, as does its image %s", err, image),
			"set an image for "+want+" too")
	}
	return provider.Errorf("aws: %w: %w", err, provider.ErrReplace)
}

// stableInstance waits until an instance is running or stopped. EC2 refuses most changes of an
// instance that is starting or stopping, for example after an interrupted update.
func stableInstance(ctx context.Context, g *api.Region, id string) (i types.Instance, err error) {
	read := api.OneInstance // most are stable: nothing is waited for
	err = g.AwaitSeen(ctx, g.Wait.Compute, id+" to be running or stopped", func(ctx context.Context) error {
		if i, err = read(ctx, g, id); err != nil {
			return err
		}
		read = pollInstance
		switch {
		case gone(i):
			return &provider.Error{
				Cause: provider.Configuration, Absent: true, Op: "ec2.DescribeInstances", Err: died(i),
				Hint: "run `ovi plan` again",
			}
		case stateOf(i) == types.InstanceStateNameRunning || stateOf(i) == types.InstanceStateNameStopped:
			return nil
		}
		return api.ErrWait
	})
	return i, err
}

// changeLive makes the changes that do not stop it. EC2 accepts one attribute per call. Amazon EC2
// API Reference, ModifyInstanceAttribute: "You can specify only one attribute at a time". Each call
// sets an absolute value, so a repeated update has the same result.
func changeLive(ctx context.Context, g *api.Region, r provider.Request, i types.Instance) error {
	id := aws.ToString(i.InstanceId)
	if api.Changed(r, "security_groups") {
		if err := setGroups(ctx, g, i, r.Desired.Attrs.Texts("security_groups")); err != nil {
			return err
		}
	}
	if on, ok := api.Flag(r.Desired.Attrs, "termination_protection"); ok && api.Changed(r, "termination_protection") {
		if err := modify(ctx, g, id, &ec2.ModifyInstanceAttributeInput{
			DisableApiTermination: &types.AttributeBooleanValue{Value: aws.Bool(on)},
		}); err != nil {
			return err
		}
	}
	if on, ok := api.Flag(r.Desired.Attrs, api.SourceDestCheck); ok && api.Changed(r, api.SourceDestCheck) {
		if err := setSourceDestCheck(ctx, g, i, on); err != nil {
			return err
		}
	}
	// Only the options that change are set: one that the configuration does not mention stays. HttpEndpoint goes with
	// HttpTokens: an instance whose endpoint was disabled outside ovi would otherwise require a token and have no
	// service.
	in, want := &ec2.ModifyInstanceMetadataOptionsInput{InstanceId: aws.String(id)}, metadata(r.Desired.Attrs)
	if api.Changed(r, "imdsv2") {
		in.HttpTokens, in.HttpEndpoint = want.HttpTokens, want.HttpEndpoint
	}
	if api.Changed(r, hopLimit) {
		in.HttpPutResponseHopLimit = want.HttpPutResponseHopLimit
	}
	if in.HttpTokens == "" && in.HttpPutResponseHopLimit == nil {
		return nil
	}
	_, err := g.EC2.ModifyInstanceMetadataOptions(ctx, in)
	return api.Classify("", err)
}

// setGroups sets the security groups of the interface that the instance was launched with. If the
// instance has more interfaces, AWS refuses a change by the ID of the instance, because it does not
// name the interface.
func setGroups(ctx context.Context, g *api.Region, i types.Instance, ids []string) error {
	if own := network.Primary(i); own != "" {
		return network.ModifyInterface(ctx, g, own, &ec2.ModifyNetworkInterfaceAttributeInput{Groups: ids})
	}
	return modify(ctx, g, aws.ToString(i.InstanceId), &ec2.ModifyInstanceAttributeInput{Groups: ids})
}

// setSourceDestCheck sets the source/destination check of the same interface as setGroups.
func setSourceDestCheck(ctx context.Context, g *api.Region, i types.Instance, on bool) error {
	value := &types.AttributeBooleanValue{Value: aws.Bool(on)}
	if own := network.Primary(i); own != "" {
		return network.ModifyInterface(ctx, g, own, &ec2.ModifyNetworkInterfaceAttributeInput{SourceDestCheck: value})
	}
	return modify(ctx, g, aws.ToString(i.InstanceId), &ec2.ModifyInstanceAttributeInput{SourceDestCheck: value})
}

// modify changes the one attribute of an instance that the input sets.
func modify(ctx context.Context, g *api.Region, id string, in *ec2.ModifyInstanceAttributeInput) error {
	in.InstanceId = aws.String(id)
	_, err := g.EC2.ModifyInstanceAttribute(ctx, in)
	return api.Classify("", err)
}

// changeProfile sets its instance profile, whether or not it has one. An association that is being
// removed does not count.
func changeProfile(ctx context.Context, g *api.Region, r provider.Request, id string) error {
	if !api.Changed(r, "iam_profile") {
		return nil
	}
	out, err := g.EC2.DescribeIamInstanceProfileAssociations(ctx, &ec2.DescribeIamInstanceProfileAssociationsInput{
		Filters: append(api.Where("instance-id", id), api.Where("state", "associating", "associated")...),
	})
	if err != nil {
		return api.Classify("", err)
	}
	name := api.DesiredText(r.Desired.Attrs, "iam_profile")
	return g.PatientlyIf(ctx, g.Wait.Appear,
		func() error { return setProfile(ctx, g, id, name, out.IamInstanceProfileAssociations) }, unknownProfile)
}

// setProfile makes the one call that leads from the live associations to the configured profile.
// Amazon EC2 API Reference, AssociateIamInstanceProfile: "You cannot associate more than one IAM
// instance profile with an instance"; so an existing one is replaced in one call and not removed
// first.
func setProfile(ctx context.Context, g *api.Region, id string, name *string,
	have []types.IamInstanceProfileAssociation,
) (err error) {
	spec := &types.IamInstanceProfileSpecification{Name: name}
	switch {
	case len(have) == 0 && name == nil:
	case len(have) == 0:
		_, err = g.EC2.AssociateIamInstanceProfile(ctx,
			&ec2.AssociateIamInstanceProfileInput{InstanceId: aws.String(id), IamInstanceProfile: spec})
	case name == nil:
		_, err = g.EC2.DisassociateIamInstanceProfile(ctx,
			&ec2.DisassociateIamInstanceProfileInput{AssociationId: have[0].AssociationId})
	default:
		_, err = g.EC2.ReplaceIamInstanceProfileAssociation(ctx, &ec2.ReplaceIamInstanceProfileAssociationInput{
			AssociationId: have[0].AssociationId, IamInstanceProfile: spec,
		})
	}
	return api.Classify("", err)
}

// changeRoot changes the root volume in place. Its encryption and key are fixed: a change of them
// replaces the instance.
func changeRoot(ctx context.Context, g *api.Region, r provider.Request, i types.Instance) error {
	if !api.Changed(r, "root_volume") {
		return nil
	}
	v, _ := r.Desired.Attrs.Get("root_volume")
	root, _ := v.(resource.Attrs)
	// A root volume that was not observed changes as a whole, and then no path of a change names its parts.
	whole := slices.ContainsFunc(r.Changes, func(c resource.Change) bool { return c.Path == "root_volume" })
	return reshape(ctx, g, rootID(i), root, "type",
		func(path string) bool { return whole || api.Changed(r, "root_volume."+path) })
}

// changeStopped makes the changes that require a stop, and leaves it in the state that the
// configuration changes it to, or else in the one that was observed before the action: an attempt
// that stopped it and failed must not make the next one leave it stopped.
func changeStopped(ctx context.Context, g *api.Region, r provider.Request, i types.Instance) error {
	id := aws.ToString(i.InstanceId)
	stopped := stateOf(i) == types.InstanceStateNameStopped
	wantStopped := api.WantsStopped(r, r.Have.Health == resource.Stopped)
	inside := api.Changed(r, "size", "user_data")
	if !stopped && (inside || wantStopped) {
		if _, err := stop(ctx, g, id); err != nil {
			return err
		}
		stopped = true
	}
	if inside {
		if err := changeInside(ctx, g, r, id); err != nil {
			return err
		}
	}
	if stopped && !wantStopped {
		return start(ctx, g, id)
	}
	return nil
}

// changeInside changes the attributes that EC2 accepts only for a stopped instance (Amazon EC2 API
// Reference, ModifyInstanceAttribute: "To modify some attributes, the instance must be stopped").
func changeInside(ctx context.Context, g *api.Region, r provider.Request, id string) error {
	if size, ok := api.Text(r.Desired.Attrs, "size"); ok && api.Changed(r, "size") {
		if err := modify(ctx, g, id, &ec2.ModifyInstanceAttributeInput{
			InstanceType: &types.AttributeValue{Value: aws.String(size)},
		}); err != nil {
			return err
		}
	}
	if !api.Changed(r, "user_data") {
		return nil
	}
	s, _, err := api.Secret(r.Desired.Attrs, "user_data")
	if err != nil {
		return err
	}
	// the SDK encodes it
	return modify(ctx, g, id, &ec2.ModifyInstanceAttributeInput{
		UserData: &types.SecureBlobAttributeValue{Value: []byte(s)},
	})
}

// stop stops an instance and waits for it. The data of instance store volumes is lost; the
// operating system has time to shut down, because the call does not use Force.
func stop(ctx context.Context, g *api.Region, id string) (types.Instance, error) {
	if _, err := g.EC2.StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: []string{id}}); err != nil {
		return types.Instance{}, api.Classify("", err)
	}
	return awaitInstance(ctx, g, id, types.InstanceStateNameStopped)
}

// start starts it, repeatedly if need be: right after a change of type EC2 may still have the old one.
func start(ctx context.Context, g *api.Region, id string) error {
	err := g.Await(ctx, g.Wait.Free, id+" to start", func(ctx context.Context) error {
		_, err := g.EC2.StartInstances(ctx, &ec2.StartInstancesInput{InstanceIds: []string{id}})
		if api.Spreading(err) {
			return api.ErrWait
		}
		return api.Classify("", err)
	})
	if err != nil {
		return err
	}
	_, err = awaitInstance(ctx, g, id, types.InstanceStateNameRunning)
	return err
}

// deleteInstance terminates one instance per call. Amazon EC2 API Reference, TerminateInstances: if
// one ID is incorrect, "none of the instances are terminated". The function waits until the
// instance is terminated: until then its address, volumes and interfaces are in use. AWS refuses an
// instance with termination protection, and ovi does not turn the protection off here.
func deleteInstance(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	if err := endSpotRequest(ctx, g, r.Have); err != nil {
		return err
	}
	_, err := g.EC2.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: []string{id}})
	if api.Absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = g.Await(ctx, g.Wait.Compute, id+" to be terminated", func(ctx context.Context) error {
		i, err := pollInstance(ctx, g, id)
		switch {
		case api.Absent(err):
			return nil
		case err != nil:
			return err
		case stateOf(i) == types.InstanceStateNameTerminated:
			return nil
		}
		return api.ErrWait
	})
	return err
}

// unknownProfile: it takes EC2 some seconds to see a new instance profile of IAM. The code has many
// other meanings.
func unknownProfile(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "InvalidParameterValue" &&
		strings.Contains(api.ErrorMessage(), "iamInstanceProfile")
}

// metadata returns the options of a launch. The endpoint is always enabled: without it an instance
// has no credentials of its role.
func metadata(a resource.Attrs) *types.InstanceMetadataOptionsRequest {
	tokens := types.HttpTokensStateRequired
	if s, _ := api.Text(a, "imdsv2"); s == "optional" {
		tokens = types.HttpTokensStateOptional
	}
	return &types.InstanceMetadataOptionsRequest{
		HttpTokens: tokens, HttpEndpoint: types.InstanceMetadataEndpointStateEnabled,
		HttpPutResponseHopLimit: api.DesiredInt(a, hopLimit),
	}
}
