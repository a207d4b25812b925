package compute

import (
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// volumeTypes are the types that CreateVolume accepts; limitsOf has a row for each.
func volumeTypes() []string {
	return []string{"gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"}
}

func ebsSchema() resource.Kind {
	return resource.Kind{
		Provider: api.ProviderName, Name: api.KindEBS,
		Doc: "A disk that outlives instances.\n\nIt is created with its name as its Name tag. An existing one is " +
			"adopted by its ID. The root volume of an instance is part of the instance, not a resource.",
		NameTag:     api.TagHuman,
		NamePattern: api.TagName, NameDoc: api.TagNameDoc,
		Canonical: canonicalEBS, CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, api.Zones, disks),
		Holds: holdsVolume, HoldsDoc: "its device on the instance",
		Replace: replaceVolume, DataLoss: loseVolume, Outlives: []string{api.KindEC2},
		Attrs: []resource.Attribute{
			{
				Name: "size", Type: resource.TInt, Min: api.Bound(1), Max: api.Bound(65536), Example: "100",
				Unit: "GiB", Fits: api.GrowsOnly, Doc: "In GiB. It can only grow. Required unless snapshot is set.",
			},
			{
				Name: volumeType, Type: resource.TString, Enum: volumeTypes(),
				HarmlessDefault: true, CreateDefault: resource.String("gp3"),
				Example: "gp3", Doc: "The volume type.",
			},
			api.IopsAttr(), api.ThroughputAttr(),
			{
				Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: api.ZonePattern, Example: "us-east-1a",
				Doc: "The availability zone. If omitted, the zone of the instance in attach_to.",
			},
			{
				Name: "encrypted", Type: resource.TBool, Effect: resource.Replace,
				HarmlessDefault: true, CreateDefault: resource.Bool(true),
				Example: "true",
				Fits:    api.EncryptedAnyway, Doc: "Whether it is encrypted. An account may encrypt every volume; then false " +
					"changes nothing.",
			},
			api.VolumeKeyAttr(),
			{
				Name: "snapshot", Type: resource.TString, Effect: resource.Replace, Pattern: `snap-[0-9a-z]+`,
				Example: "snap-0abcdef1234567890",
				Doc:     "The snapshot it is created from.",
			},
			{
				Name: "attach_to", Type: resource.TString, RefKind: api.KindEC2, IDPrefix: "i-", Weak: true, Example: "web-0",
				Doc: "The instance it is attached to.",
			},
			{
				Name: "device", Type: resource.TString, Effect: resource.Restart, Pattern: `/dev/[a-z0-9/]+|xvd[a-z]{1,2}`,
				HarmlessDefault: true, CreateDefault: resource.String(api.DefaultDevice), Example: "/dev/sdf",
				Doc: "The device name on the instance. Changing it detaches the volume for a moment.",
			},
		},
	}
}

// canonicalEBS requires the attributes without which CreateVolume cannot succeed: a size or a
// snapshot, and a zone or an instance that has one.
func canonicalEBS(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	var out []resource.Problem
	_, size := a.Get("size")
	if _, snapshot := a.Get("snapshot"); !size && !snapshot {
		out = append(out, resource.Problem{
			Path: "size", Summary: "a volume needs a size or a snapshot",
			Suggestion: "size: 20",
		})
	}
	_, zone := a.Get("zone")
	_, attach := a.Get("attach_to")
	if !zone && !attach {
		out = append(out, resource.Problem{
			Path:    "zone",
			Summary: "a volume needs a zone, or an instance in attach_to whose zone it takes", Suggestion: "zone: us-east-1a",
		})
	}
	// A device without an instance would have no effect.
	if _, device := a.Get("device"); device && !attach {
		out = append(out, resource.Problem{Path: "device", Summary: "device is set, but attach_to names no instance"})
	}
	return a, append(out, judgeVolume(a, volumeType)...)
}

// holdsVolume: a device of an instance has one volume (AttachVolume).
func holdsVolume(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	instance, attached := api.Inside(a, "attach_to")
	if !attached {
		return nil
	}
	return []resource.Hold{{What: "device", Of: instance, Name: deviceOf(a)}}
}
