package aws

import "github.com/ovi-project/ovi/resource"

func kindOfEBS() kind {
	return kind{
		schema: ebsSchema(),
		list:   listVolumes, byTag: true, read: readVolume, tag: tagEC2, check: checkVolume,
		create: createVolume, update: updateVolume, remove: deleteVolume,
	}
}

func volumeTypes() []string {
	return []string{"gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"}
}

func ebsSchema() resource.Kind {
	return resource.Kind{
		Provider: Name, Name: kindEBS,
		Doc:         "A disk that outlives instances.\n\nIt is created with its name as its Name tag. An existing one is adopted by its ID. The root volume of an instance is part of the instance, not a resource.",
		NameTag:     tagHuman,
		NamePattern: tagName, NameDoc: tagNameDoc,
		Canonical: canonicalEBS, CrossCheck: crossChecks(tagTraits{nameTag: true}, zones, disks),
		Replace: replaceVolume, DataLoss: loseVolume, Outlives: []string{kindEC2},
		Attrs: []resource.Attribute{
			{
				Name: "size", Type: resource.TInt, Min: bound(1), Max: bound(65536), Example: "100",
				Unit: "GiB", Fits: growsOnly, Doc: "In GiB. It can only grow. Required unless snapshot is set.",
			},
			{Name: volumeType, Type: resource.TString, Enum: volumeTypes(), CreateDefault: resource.String("gp3"), Example: "gp3", Doc: "The volume type."},
			iopsAttr(), throughputAttr(),
			{
				Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: zonePattern, Example: "us-east-1a",
				Doc: "The availability zone. If omitted, that of the instance in attach_to.",
			},
			{
				Name: "encrypted", Type: resource.TBool, Effect: resource.Replace, CreateDefault: resource.Bool(true), Example: "true",
				Fits: encryptedAnyway, Doc: "Whether it is encrypted. An account may encrypt every volume; then false changes nothing.",
			},
			volumeKeyAttr(),
			{
				Name: "snapshot", Type: resource.TString, Effect: resource.Replace, Pattern: `snap-[0-9a-z]+`, Example: "snap-0abcdef1234567890",
				Doc: "The snapshot it is created from.",
			},
			{
				Name: "attach_to", Type: resource.TString, RefKind: kindEC2, IDPrefix: "i-", Example: "web-0",
				Doc: "The instance it is attached to.",
			},
			{
				Name: "device", Type: resource.TString, Effect: resource.Restart, Pattern: `/dev/[a-z0-9/]+|xvd[a-z]{1,2}`,
				CreateDefault: resource.String(defaultDevice), Example: "/dev/sdf", Doc: "The device name on the instance. Changing it detaches the volume for a moment.",
			},
		},
	}
}
