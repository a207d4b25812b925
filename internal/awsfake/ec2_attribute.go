package awsfake

import (
	"slices"
	"strings"
)

// modifyAttribute changes one attribute (EC2 API reference:
// ModifyInstanceAttribute: "you can specify only one attribute at a time").
func modifyAttribute(x *exchange) (any, error) {
	in, err := instanceOf(x)
	if err != nil {
		return nil, err
	}
	if in.dead() {
		return nil, wrongState(in, in.Life.at(x.now), "modified")
	}
	name, value := attribute(x)
	if name == "" {
		return nil, failf("InvalidParameterCombination", "Exactly one attribute must be specified.")
	}
	n := *in
	if err := setAttribute(x, &n, name, value); err != nil {
		return nil, err
	}
	x.tx.put(&n)
	return success{Return: true}, nil
}

// attribute finds the one attribute of the request, in either of the two forms
// that the API has; empty when there is none or more than one.
func attribute(x *exchange) (name, value string) {
	if a := x.p.str("Attribute"); a != "" {
		return a, x.p.str("Value")
	}
	forms := map[string]string{
		"InstanceType.Value": "instanceType", "UserData.Value": "userData", "DisableApiTermination.Value": "disableApiTermination",
		"DisableApiStop.Value": "disableApiStop", "EbsOptimized.Value": "ebsOptimized", "SourceDestCheck.Value": "sourceDestCheck",
		"InstanceInitiatedShutdownBehavior.Value": "instanceInitiatedShutdownBehavior", "GroupId.1": "groupSet",
		"BlockDeviceMapping.1.DeviceName": "blockDeviceMapping",
	}
	found := 0
	for path, n := range forms {
		if x.p.has(path) {
			found++
			name, value = n, x.p.str(path)
		}
	}
	if found != 1 {
		return "", ""
	}
	return name, value
}

func setAttribute(x *exchange, in *instance, name, value string) error {
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
		return several(x, in)
	case "instanceInitiatedShutdownBehavior":
		if value != "stop" && value != "terminate" {
			return badValue(value, name, "It must be stop or terminate.")
		}
		in.OnShutdown = value
	case "groupSet":
		return regroup(x, in)
	case "blockDeviceMapping":
		return remap(x, in)
	default:
		return badValue(name, "attribute", "The sandbox does not support it.")
	}
	return nil
}

// stopped: these attributes change only while the instance is stopped (EC2 API
// reference: IncorrectInstanceState).
func stopped(x *exchange, in *instance, attr string) error {
	if state := in.Life.at(x.now); state != "stopped" {
		return failf("IncorrectInstanceState", "The instance '%s' is not in the 'stopped' state (it is %s); its %s cannot change.", in.ID, state, attr)
	}
	return nil
}

func regroup(x *exchange, in *instance) error {
	sn, ok := find[*subnet](x.tx, x.Region, in.Subnet)
	if !ok {
		return notFound(in.Subnet, "InvalidSubnetID.NotFound")
	}
	if err := several(x, in); err != nil {
		return err
	}
	groups, err := groupsFor(x, x.p.strs("GroupId"), nil, sn)
	in.Groups = slices.Compact(groups)
	return err
}

// remap changes whether volumes go when the instance goes.
func remap(x *exchange, in *instance) error {
	for _, m := range x.p.items("BlockDeviceMapping") {
		device, hit := m.str("DeviceName"), false
		for _, v := range disksOf(x, in.ID) {
			if v.Attached.Device != device {
				continue
			}
			d, tie := *v, *v.Attached
			tie.Kill = m.flag("Ebs.DeleteOnTermination", tie.Kill)
			d.Attached, hit = &tie, true
			x.tx.put(&d)
		}
		if !hit {
			return failf("InvalidInstanceAttributeValue", "No device is currently mapped at %s", device)
		}
	}
	return nil
}

type xmlValue struct {
	Value string `xml:"value,omitempty"`
}

type xmlAttribute struct {
	ID        string        `xml:"instanceId"`
	Protected *xmlFlag      `xml:"disableApiTermination"`
	StopGuard *xmlFlag      `xml:"disableApiStop"`
	Optimized *xmlFlag      `xml:"ebsOptimized"`
	SrcCheck  *xmlFlag      `xml:"sourceDestCheck"`
	Type      *xmlValue     `xml:"instanceType"`
	UserData  *xmlValue     `xml:"userData"`
	Shutdown  *xmlValue     `xml:"instanceInitiatedShutdownBehavior"`
	Root      *xmlValue     `xml:"rootDeviceName"`
	Groups    []xmlGroupRef `xml:"groupSet>item"`
	Mappings  []xmlMapping  `xml:"blockDeviceMapping>item"`
}

// describeAttribute shows one attribute; DescribeInstances does not report
// protection or user data (EC2 API reference: DescribeInstanceAttribute).
func describeAttribute(x *exchange) (any, error) {
	in, err := instanceOf(x)
	if err != nil {
		return nil, err
	}
	out := xmlAttribute{ID: in.ID}
	full := viewInstance(x, in, in.Life.at(x.now), disksOf(x, in.ID))
	switch name := x.p.str("Attribute"); name {
	case "disableApiTermination":
		out.Protected = &xmlFlag{Value: in.Protected}
	case "disableApiStop":
		out.StopGuard = &xmlFlag{Value: in.StopGuard}
	case "ebsOptimized":
		out.Optimized = &xmlFlag{Value: in.Optimized}
	case "sourceDestCheck":
		out.SrcCheck = &xmlFlag{Value: !in.NoSrcCheck}
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
		return nil, badValue(name, "attribute", "The sandbox does not support it.")
	}
	return out, nil
}

// modifyMetadata changes how the metadata service answers (EC2 API reference:
// ModifyInstanceMetadataOptions).
func modifyMetadata(x *exchange) (any, error) {
	in, err := instanceOf(x)
	if err != nil {
		return nil, err
	}
	n := *in
	if n.Metadata, err = readMetadata(x.p, in.Metadata); err != nil {
		return nil, err
	}
	if in.dead() {
		return nil, wrongState(in, in.Life.at(x.now), "modified")
	}
	x.tx.put(&n)
	m := n.Metadata
	return struct {
		ID      string      `xml:"instanceId"`
		Options xmlMetadata `xml:"instanceMetadataOptions"`
	}{n.ID, xmlMetadata{"pending", m.Tokens, m.Hops, m.Endpoint, m.IPv6, m.Tags}}, nil
}
