package compute

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// modifyAttribute changes one attribute (EC2 API reference:
// ModifyInstanceAttribute: "you can specify only one attribute at a time").
func modifyAttribute(x *core.Exchange) (any, error) {
	in, err := ec2.InstanceOf(x)
	if err != nil {
		return nil, err
	}
	if in.Dead() {
		return nil, wrongState(in, in.Life.At(x.Now), "modified")
	}
	name, value := attribute(x)
	if name == "" {
		return nil, wire.Failf("InvalidParameterCombination", "Exactly one attribute must be specified.")
	}
	n := *in
	if err := setAttribute(x, &n, name, value); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return ec2.Success{Return: true}, nil
}

// attribute finds the one attribute of the request, in either of the two forms
// that the API has; empty when there is none or more than one.
func attribute(x *core.Exchange) (name, value string) {
	if a := x.P.Str("Attribute"); a != "" {
		return a, x.P.Str("Value")
	}
	forms := map[string]string{
		"InstanceType.Value": "instanceType", "UserData.Value": "userData",
		"DisableApiTermination.Value": "disableApiTermination",
		"DisableApiStop.Value":        "disableApiStop", "EbsOptimized.Value": "ebsOptimized",
		"SourceDestCheck.Value":                   "sourceDestCheck",
		"InstanceInitiatedShutdownBehavior.Value": "instanceInitiatedShutdownBehavior", "GroupId.1": "groupSet",
		"BlockDeviceMapping.1.DeviceName": "blockDeviceMapping",
	}
	found := 0
	for path, n := range forms {
		if x.P.Has(path) {
			found++
			name, value = n, x.P.Str(path)
		}
	}
	if found != 1 {
		return "", ""
	}
	return name, value
}

func setAttribute(x *core.Exchange, in *ec2.Instance, name, value string) error {
	switch name {
	case "instanceType":
		if err := stopped(x, in, name); err != nil {
			return err
		}
		in.Type = value
		return checkImage(x, in.Image, value)
	case "userData":
		if err := stopped(x, in, name); err != nil {
			return err
		}
		in.UserData = value
		return checkUserData(value)
	case "ebsOptimized":
		in.Optimized = value == "true"
		return stopped(x, in, name)
	case "disableApiTermination":
		in.Protected = value == "true"
	case "disableApiStop":
		in.StopGuard = value == "true"
	case "sourceDestCheck":
		in.NoSrcCheck = value != "true"
		return network.Several(x, in)
	case "instanceInitiatedShutdownBehavior":
		if value != "stop" && value != "terminate" {
			return wire.BadValue(value, name, "It must be stop or terminate.")
		}
		in.OnShutdown = value
	case "groupSet":
		sn, ok := core.Find[*network.Subnet](x.Tx, x.Region, in.Subnet)
		if !ok {
			return ec2.NotFound(in.Subnet, "InvalidSubnetID.NotFound")
		}
		if err := network.Several(x, in); err != nil {
			return err
		}
		groups, err := network.GroupsFor(x, x.P.Strs("GroupId"), nil, sn)
		in.Groups = slices.Compact(groups)
		return err
	case "blockDeviceMapping":
		return remap(x, in)
	default:
		return wire.BadValue(name, "attribute", "The sandbox does not support it.")
	}
	return nil
}

// stopped: these attributes change only while the instance is stopped (EC2 API
// reference: IncorrectInstanceState).
func stopped(x *core.Exchange, in *ec2.Instance, attr string) error {
	if state := in.Life.At(x.Now); state != "stopped" {
		return wire.Failf("IncorrectInstanceState",
			"The instance '%s' is not in the 'stopped' state (it is %s); its %s cannot change.", in.ID, state, attr)
	}
	return nil
}

// remap changes whether volumes go when the instance goes.
func remap(x *core.Exchange, in *ec2.Instance) error {
	for _, m := range x.P.Items("BlockDeviceMapping") {
		device, hit := m.Str("DeviceName"), false
		for _, v := range disksOf(x, in.ID) {
			if v.Attached.Device != device {
				continue
			}
			d, tie := *v, *v.Attached
			tie.Kill = m.Flag("Ebs.DeleteOnTermination", tie.Kill)
			d.Attached, hit = &tie, true
			x.Tx.Put(&d)
		}
		if !hit {
			return wire.Failf("InvalidInstanceAttributeValue", "No device is currently mapped at %s", device)
		}
	}
	return nil
}

type xmlValue struct {
	Value string `xml:"value,omitempty"`
}

type xmlAttribute struct {
	ID        string         `xml:"instanceId"`
	Protected *ec2.XMLFlag   `xml:"disableApiTermination"`
	StopGuard *ec2.XMLFlag   `xml:"disableApiStop"`
	Optimized *ec2.XMLFlag   `xml:"ebsOptimized"`
	SrcCheck  *ec2.XMLFlag   `xml:"sourceDestCheck"`
	Type      *xmlValue      `xml:"instanceType"`
	UserData  *xmlValue      `xml:"userData"`
	Shutdown  *xmlValue      `xml:"instanceInitiatedShutdownBehavior"`
	Root      *xmlValue      `xml:"rootDeviceName"`
	Groups    []ec2.GroupRef `xml:"groupSet>item"`
	Mappings  []xmlMapping   `xml:"blockDeviceMapping>item"`
}

// describeAttribute shows one attribute; DescribeInstances does not report
// protection or user data (EC2 API reference: DescribeInstanceAttribute).
func describeAttribute(x *core.Exchange) (any, error) {
	in, err := ec2.InstanceOf(x)
	if err != nil {
		return nil, err
	}
	out := xmlAttribute{ID: in.ID}
	full := viewInstance(x, in, in.Life.At(x.Now), disksOf(x, in.ID))
	switch name := x.P.Str("Attribute"); name {
	case "disableApiTermination":
		out.Protected = &ec2.XMLFlag{Value: in.Protected}
	case "disableApiStop":
		out.StopGuard = &ec2.XMLFlag{Value: in.StopGuard}
	case "ebsOptimized":
		out.Optimized = &ec2.XMLFlag{Value: in.Optimized}
	case "sourceDestCheck":
		out.SrcCheck = &ec2.XMLFlag{Value: !in.NoSrcCheck}
	case "instanceType":
		out.Type = &xmlValue{in.Type}
	case "userData":
		out.UserData = &xmlValue{strings.TrimSpace(in.UserData)}
	case "instanceInitiatedShutdownBehavior":
		out.Shutdown = &xmlValue{in.OnShutdown}
	case "rootDeviceName":
		out.Root = &xmlValue{in.Root}
	case "groupSet":
		out.Groups = full.Groups
	case "blockDeviceMapping":
		out.Mappings = full.Mappings
	default:
		return nil, wire.BadValue(name, "attribute", "The sandbox does not support it.")
	}
	return out, nil
}

// modifyMetadata changes how the metadata service answers (EC2 API reference:
// ModifyInstanceMetadataOptions).
func modifyMetadata(x *core.Exchange) (any, error) {
	in, err := ec2.InstanceOf(x)
	if err != nil {
		return nil, err
	}
	n := *in
	if n.Metadata, err = readMetadata(x.P, in.Metadata); err != nil {
		return nil, err
	}
	if in.Dead() {
		return nil, wrongState(in, in.Life.At(x.Now), "modified")
	}
	x.Tx.Put(&n)
	m := n.Metadata
	return struct {
		ID      string      `xml:"instanceId"`
		Options xmlMetadata `xml:"instanceMetadataOptions"`
	}{n.ID, xmlMetadata{"pending", m.Tokens, m.Hops, m.Endpoint, m.IPv6, m.Tags}}, nil
}
