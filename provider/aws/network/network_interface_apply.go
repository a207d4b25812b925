package network

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// createInterface has a token, and looks for the tag of its key besides: a token is forgotten. An
// address that is still in use is waited for, because a terminated instance has it for a moment
// longer. A failure after the call leaves a tagged interface, which the next attempt finds, changes
// and attaches.
func createInterface(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	a := r.Desired.Attrs
	in := interfaceInput(a)
	in.ClientToken = aws.String(r.Key)
	in.TagSpecifications = []types.TagSpecification{api.Born(types.ResourceTypeNetworkInterface, g.BirthTags(r, true))}
	made, err := api.NoRetry(ctx, g, func() (types.NetworkInterface, error) {
		var out *ec2.CreateNetworkInterfaceOutput
		err := g.Patiently(ctx, g.Wait.Appear, func() (err error) {
			out, err = g.EC2.CreateNetworkInterface(ctx, in)
			return api.Classify("", err)
		}, "InvalidSubnetID.NotFound", "InvalidGroup.NotFound", "InvalidSecurityGroupID.NotFound", api.AddressTaken)
		if err != nil {
			return types.NetworkInterface{}, err
		}
		return *out.NetworkInterface, nil
	}, func() ([]types.NetworkInterface, error) {
		return interfacesIn().Where(ctx, g, api.BornWith(r.Key))
	})
	if err != nil {
		return resource.Observed{}, err
	}
	n, err := awaitInterface(ctx, g, interfaceID(made), "to be usable",
		func(n types.NetworkInterface) bool { return n.Status != interfacePending })
	// no part of the call
	if on, set := api.Flag(a, api.SourceDestCheck); err == nil && set && on != aws.ToBool(n.SourceDestCheck) {
		err = ModifyInterface(ctx, g, interfaceID(n),
			&ec2.ModifyNetworkInterfaceAttributeInput{SourceDestCheck: &types.AttributeBooleanValue{Value: aws.Bool(on)}})
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return plugIn(ctx, g, interfaceID(n), a, true)
}

// updateInterface sets each changed attribute by its own call, then moves the attachment. All calls
// set complete values, so an interrupted update may be repeated. Amazon EC2 API Reference,
// ModifyNetworkInterfaceAttribute: "The new set of groups you specify replaces the current set".
// The attachment comes last, so the interface never joins a new instance with its old groups.
func updateInterface(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id, a := r.Have.ID, r.Desired.Attrs
	if api.Changed(r, "security_groups") {
		if err := ModifyInterface(ctx, g, id, &ec2.ModifyNetworkInterfaceAttributeInput{
			Groups: a.Texts("security_groups"),
		}); err != nil {
			return resource.Observed{}, err
		}
	}
	if about, set := api.Text(a, "description"); set && api.Changed(r, "description") {
		if err := ModifyInterface(ctx, g, id, &ec2.ModifyNetworkInterfaceAttributeInput{
			Description: &types.AttributeValue{Value: aws.String(about)},
		}); err != nil {
			return resource.Observed{}, err
		}
	}
	if on, set := api.Flag(a, api.SourceDestCheck); set && api.Changed(r, api.SourceDestCheck) {
		if err := ModifyInterface(ctx, g, id, &ec2.ModifyNetworkInterfaceAttributeInput{
			SourceDestCheck: &types.AttributeBooleanValue{Value: aws.Bool(on)},
		}); err != nil {
			return resource.Observed{}, err
		}
	}
	return plugIn(ctx, g, id, a, api.Changed(r, "attach_to", deviceIndex))
}

// ModifyInterface changes one attribute. Amazon EC2 API Reference, ModifyNetworkInterfaceAttribute: "You can specify
// only one attribute at a time". It waits while EC2 does not know an interface that was just created. The caller sets
// the attribute in the input; the ID is set here.
func ModifyInterface(ctx context.Context, g *api.Region, id string,
	in *ec2.ModifyNetworkInterfaceAttributeInput,
) error {
	in.NetworkInterfaceId = aws.String(id)
	return g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.EC2.ModifyNetworkInterfaceAttribute(ctx, in)
		return api.Classify("", err)
	}, interfaceAbsent)
}

// awaitInterface waits until an interface is ready and returns it. what continues the name of the
// interface in messages. Poll reads all interfaces that actions wait for together.
func awaitInterface(ctx context.Context, g *api.Region, id, what string,
	ready func(types.NetworkInterface) bool,
) (n types.NetworkInterface, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, id+" "+what, func(ctx context.Context) error {
		if n, err = interfacesIn().Poll(ctx, g, id); err != nil {
			return err
		}
		if !ready(n) {
			return api.ErrWait
		}
		return nil
	})
	return n, err
}

// plugIn attaches an interface to the configured instance, or detaches it if none is configured. If moves is false,
// it only reads: an attachment that was made outside ovi stays if none is configured.
func plugIn(ctx context.Context, g *api.Region, id string, want resource.Attrs, moves bool) (resource.Observed, error) {
	n, err := interfacesIn().One(ctx, g, id)
	to, _ := api.Text(want, "attach_to")
	if err == nil && moves && !pluggedInto(n, to, want) {
		if n, err = unplug(ctx, g, n); err == nil && to != "" {
			err = plug(ctx, g, id, to, want)
		}
	}
	if err == nil && moves && to != "" {
		n, err = awaitInterface(ctx, g, id, "to be attached to "+to, func(n types.NetworkInterface) bool {
			return pluggedInto(n, to, want) && n.Attachment.Status == types.AttachmentStatusAttached
		})
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedInterface(g, n), nil
}

// indexOf returns the device index for an attachment: the configured one, or defaultIndex.
func indexOf(want resource.Attrs) int32 {
	if n := api.DesiredInt(want, deviceIndex); n != nil {
		return *n
	}
	return defaultIndex
}

// pluggedInto reports whether an interface is attached to an instance at the configured index, or
// is being attached there. Without a configured index every index counts, so that an existing
// attachment is not moved.
func pluggedInto(n types.NetworkInterface, to string, want resource.Attrs) bool {
	at := plugged(n)
	_, set := want.Get(deviceIndex)
	return at != nil && aws.ToString(at.InstanceId) == to && (!set || aws.ToInt32(at.DeviceIndex) == indexOf(want))
}

// plug attaches an interface to an instance and waits while the instance, or the interface, is not
// visible yet or not in a state for it. AttachNetworkInterface has no client token: after a lost
// response the repeated call is refused, and the interface itself shows whether it is attached.
func plug(ctx context.Context, g *api.Region, id, to string, want resource.Attrs) error {
	err := g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.EC2.AttachNetworkInterface(ctx, &ec2.AttachNetworkInterfaceInput{
			NetworkInterfaceId: aws.String(id), InstanceId: aws.String(to), DeviceIndex: aws.Int32(indexOf(want)),
		})
		return api.Classify("", err)
	}, "InvalidInstanceID.NotFound", "IncorrectState", "IncorrectInstanceState", interfaceAbsent)
	if err != nil { // an earlier call whose answer was lost may have attached it, which has several codes
		if n, obs := interfacesIn().One(ctx, g, id); obs == nil && pluggedInto(n, to, want) {
			return nil
		}
	}
	return err
}

// unplug detaches an interface, never by force: the instance may have to be restarted after that.
// Amazon EC2 API Reference, DetachNetworkInterface: Force is "a last resort", after which the same
// index may be unusable until the instance is stopped and started. A refusal with IncorrectState is
// not an error: the wait that follows shows whether the interface becomes available.
func unplug(ctx context.Context, g *api.Region, n types.NetworkInterface) (types.NetworkInterface, error) {
	if n.Attachment == nil {
		return n, nil
	}
	if at := plugged(n); at != nil {
		_, err := g.EC2.DetachNetworkInterface(ctx, &ec2.DetachNetworkInterfaceInput{AttachmentId: at.AttachmentId})
		if err = api.Classify("", err); err != nil && !api.Absent(err) && !api.HasCode(err, "IncorrectState") {
			return n, err
		}
	}
	id := interfaceID(n)
	return awaitInterface(ctx, g, id, "to be detached from its instance (stop the instance if it takes long)",
		func(n types.NetworkInterface) bool {
			return n.Attachment == nil && n.Status == types.NetworkInterfaceStatusAvailable
		})
}

// deleteInterface waits until EC2 no longer lists the interface: until then its private address is
// taken, and a replacement with the same address would fail. An interface that disappears at any
// step, for example together with its instance, counts as deleted. Amazon EC2 API Reference,
// DeleteNetworkInterface: "You must detach the network interface before you can delete it".
func deleteInterface(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	n, err := interfacesIn().One(ctx, g, id)
	if err == nil {
		_, err = unplug(ctx, g, n)
	}
	if api.Absent(api.Classify("", err)) {
		return nil
	}
	if err != nil {
		return err
	}
	err = g.DeleteHeld(ctx, id, func() error {
		_, err := g.EC2.DeleteNetworkInterface(ctx, &ec2.DeleteNetworkInterfaceInput{NetworkInterfaceId: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) { return api.Held(userOf(ctx, g, id)) }, api.InterfaceInUse)
	if err != nil {
		return err
	}
	return g.Await(ctx, g.Wait.Compute, id+" to be gone", func(ctx context.Context) error {
		_, err := interfacesIn().Poll(ctx, g, id)
		switch {
		case api.Absent(api.Classify("", err)):
			return nil
		case err != nil:
			return err
		}
		return api.ErrWait
	})
}

// userOf names the instance that an interface is attached to. An absent interface has no user.
func userOf(ctx context.Context, g *api.Region, id string) ([]string, error) {
	n, err := interfacesIn().One(ctx, g, id)
	if at := plugged(n); err == nil && at != nil {
		return []string{fmt.Sprintf("%s (number %d)", aws.ToString(at.InstanceId), aws.ToInt32(at.DeviceIndex))}, nil
	}
	if api.Absent(api.Classify("", err)) {
		return nil, nil
	}
	return nil, err
}
