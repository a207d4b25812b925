package aws

import "github.com/ovi-project/ovi/resource"

// latestImage stands for the current Amazon Linux 2023. It is looked up when an instance is
// made and never compared: a new release of the image replaces nothing.
const latestImage = "al2023"

func ec2Kind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindEC2,
		Doc:         "A virtual machine.\n\nIts name is its Name tag.",
		NamePattern: tagName, NameDoc: tagNameDoc,
		Canonical: canonicalEC2, CrossCheck: together(zones, groupsFit),
		Attrs: []resource.Attribute{
			{
				Name: "size", Type: resource.TString, Required: true, Effect: resource.Restart, Pattern: `[a-z0-9-]+\.[a-z0-9-]+`,
				Example: "t3.micro", Doc: "The instance type. Changing it stops the instance and starts it again.",
			},
			stateAttr("instance"),
			{
				Name: "image", Type: resource.TString, Effect: resource.Replace, CreateDefault: resource.String(latestImage),
				Pattern: `ami-[0-9a-z]+|` + latestImage, Example: "ami-0abcdef1234567890",
				Doc: "The image. al2023 is the current Amazon Linux 2023 at the moment of making; a newer release replaces nothing.",
			},
			{
				Name: "subnet", Type: resource.TString, Effect: resource.Replace, RefKind: kindSubnet, IDPrefix: "subnet-",
				Example: "app", Doc: "The subnet it stands in; one of the default network where nothing is said.",
			},
			groupsAttr("The firewalls around it; the network's default group where nothing is said."),
			{
				Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: zonePattern,
				Example: "us-east-1a", Doc: "The availability zone, where no subnet says it.",
			},
			{
				Name: "key_name", Type: resource.TString, Effect: resource.Replace, Pattern: keyPattern,
				Example: "ops", Doc: "The SSH key pair that is put on it.",
			},
			{
				Name: "user_data", Type: resource.TString, Effect: resource.Restart, WriteOnly: true, Max: bound(16384), Secret: true, SecretInFile: true,
				Valid: userDataSize, Example: "|", Doc: "What cloud-init runs at the first start. It may stand in the file; the record keeps only its digest. Anyone who may describe the instance can read it.",
			},
			{
				Name: "public_ip", Type: resource.TBool, Effect: resource.Replace, WriteOnly: true,
				Example: "true", Doc: "Whether it gets a public address; the subnet decides where nothing is said.",
			},
			{
				Name: "iam_profile", Type: resource.TString, Pattern: `[A-Za-z0-9+=,.@_-]{1,128}`,
				Example: "web", Doc: "The name of the instance profile whose role its programs have.",
			},
			{
				Name: "imdsv2", Type: resource.TString, Enum: []string{"required", "optional"}, Default: resource.String("required"),
				Example: "required", Doc: "Whether the metadata service insists on session tokens (IMDSv2).",
			},
			{
				Name: "termination_protection", Type: resource.TBool, WriteOnly: true, CreateDefault: resource.Bool(false),
				Example: "true", Doc: "Whether AWS refuses to delete it. ovi never switches this off unless the wish says false.",
			},
			{
				Name: "root_volume", Type: resource.TObject, Fields: rootFields(), Example: "{size: 30}",
				CreateDefault: resource.Attrs{{Name: "encrypted", Value: resource.Bool(true)}},
				Doc:           "The disk it starts from. It goes when the instance goes.",
			},
			{Name: "private_address", Type: resource.TString, Computed: true, Doc: "Its address in the network."},
			{Name: "public_address", Type: resource.TString, Computed: true, Doc: "Its public address, while it has one."},
		},
	}
}

func rootFields() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "size", Type: resource.TInt, Min: bound(1), Max: bound(65536), Example: "30",
			Doc: "In GiB; the image's own size where nothing is said. It can only grow.",
		},
		{
			Name: "type", Type: resource.TString, Enum: []string{"gp3", "gp2", "standard"}, Example: "gp3", Doc: "The volume type; gp3 where nothing is said.",
			CreateDefault: resource.String("gp3"),
		},
		{
			Name: "encrypted", Type: resource.TBool, Effect: resource.Replace, CreateDefault: resource.Bool(true), Example: "true",
			Doc: "Whether it is encrypted with the account's key.",
		},
	}
}

func volumeTypes() []string {
	return []string{"gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"}
}

func ebsKind() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindEBS,
		Doc:         "A disk that outlives instances.\n\nIts name is its Name tag. Root disks of instances are no things of their own.",
		NamePattern: tagName, NameDoc: tagNameDoc,
		Canonical: canonicalEBS, CrossCheck: together(zones, disks),
		Attrs: []resource.Attribute{
			{
				Name: "size", Type: resource.TInt, Min: bound(1), Max: bound(65536), Example: "100",
				Doc: "In GiB. It can only grow. Needed unless a snapshot says it.",
			},
			{Name: volumeType, Type: resource.TString, Enum: volumeTypes(), CreateDefault: resource.String("gp3"), Example: "gp3", Doc: "The volume type."},
			{Name: "iops", Type: resource.TInt, Min: bound(100), Max: bound(256000), Example: "3000", Doc: "Operations a second, for gp3, io1 and io2."},
			{Name: "throughput", Type: resource.TInt, Min: bound(125), Max: bound(2000), Example: "125", Doc: "MiB a second, for gp3."},
			{
				Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: zonePattern, Example: "us-east-1a",
				Doc: "The availability zone; that of the instance it is attached to where nothing is said.",
			},
			{
				Name: "encrypted", Type: resource.TBool, Effect: resource.Replace, CreateDefault: resource.Bool(true), Example: "true",
				Doc: "Whether it is encrypted with the account's key.",
			},
			{
				Name: "snapshot", Type: resource.TString, Effect: resource.Replace, Pattern: `snap-[0-9a-z]+`, Example: "snap-0abcdef1234567890",
				Doc: "The snapshot it is made from.",
			},
			{
				Name: "attach_to", Type: resource.TString, RefKind: kindEC2, IDPrefix: "i-", Example: "web-0",
				Doc: "The instance it hangs on.",
			},
			{
				Name: "device", Type: resource.TString, Effect: resource.Restart, Pattern: `/dev/[a-z0-9/]+|xvd[a-z]{1,2}`,
				CreateDefault: resource.String(defaultDevice), Example: "/dev/sdf", Doc: "The device name that the instance is told. Changing it detaches the disk for a moment.",
			},
		},
	}
}
