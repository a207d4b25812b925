package compute

import (
	"time"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/identity"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

func ec2Schema() resource.Kind {
	return resource.Kind{
		Provider: api.ProviderName, Name: api.KindEC2,
		Doc: "A virtual machine.\n\nIt is created with its name as its Name tag. An existing one is adopted by its " +
			"ID.",
		NameTag:     api.TagHuman,
		NamePattern: api.TagName, NameDoc: api.TagNameDoc,
		Canonical: canonicalEC2, CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, api.Zones,
			network.GroupsFit("subnet"), network.Addresses, spotRuns),
		Holds: holdsInstance, HoldsDoc: "its private_ip in its subnet",
		Replace: replaceInstance, Undeletable: keptInstance, EffectOf: spotEffect,
		State: resource.StateRunning, Grace: 30 * time.Minute,
		Attrs: append(ec2Machine(), ec2Settings()...),
	}
}

// keptInstance: AWS does not delete a protected instance. It lists no protection, so the applied configuration decides.
func keptInstance(_ resource.Observed, applied, _ resource.Attrs) (why, first string) {
	if on, _ := api.Flag(applied, "termination_protection"); !on {
		return "", ""
	}
	return "its termination_protection is on, so AWS does not delete it",
		"set termination_protection: false and apply that first, if it may be deleted"
}

// ec2Machine are the attributes that say what the instance is and where it runs.
func ec2Machine() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "size", Type: resource.TString, Required: true, Effect: resource.Restart, Pattern: `[a-z0-9-]+\.[a-z0-9-]+`,
			Example: "t3.micro", Valid: api.ValidSize, Doc: "The instance type. Changing it stops and starts the instance.",
		},
		{
			Name: "image", Type: resource.TString, Effect: resource.Replace,
			HarmlessDefault: true, CreateDefault: resource.String(latestImage),
			Pattern: `ami-[0-9a-z]+|` + latestImage, Example: "ami-0abcdef1234567890",
			Doc: "The machine image. al2023 is the Amazon Linux 2023 that is current when the instance is created; a newer " +
				"release replaces nothing.",
		},
		{
			Name: "subnet", Type: resource.TString, Effect: resource.Replace, RefKind: api.KindSubnet, IDPrefix: "subnet-",
			Example: "app", Doc: "The subnet it runs in. If omitted, a subnet of the default VPC.",
		},
		api.GroupsAttr("The security groups that apply to it. If omitted, the VPC's default group."),
		{
			Name: "zone", Type: resource.TString, Effect: resource.Replace, Pattern: api.ZonePattern,
			Example: "us-east-1a", Doc: "The availability zone, if no subnet sets it.",
		},
		{
			Name: "root_volume", Type: resource.TObject, Fields: rootFields(), Example: "{size: 30}",
			HarmlessDefault: true, CreateDefault: resource.Attrs{{Name: "encrypted", Value: resource.Bool(true)}},
			Doc: "The disk it boots from. It is deleted with the instance.",
		},
		{
			Name: "volumes", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TString}, Computed: true,
			Doc: "The IDs of the volumes attached to it besides the root volume.",
		},
		{
			Name: "network_interfaces", Type: resource.TSet, Elem: &resource.Attribute{Type: resource.TString}, Computed: true,
			Doc: "The IDs of the network interfaces attached to it that outlive it.",
		},
		{
			Name: api.PrivateIP, Type: resource.TString, Effect: resource.Replace, Valid: network.HostAddress,
			Omit:    func(resource.Value) bool { return true },
			Example: "10.0.1.10", Doc: "A private IPv4 address in its subnet. If omitted, AWS chooses one. An " +
				"instance that keeps its address is deleted before the one that replaces it is created.",
		},
		{Name: "private_address", Type: resource.TString, Computed: true, Doc: "Its private IPv4 address."},
		{
			Name: "public_address", Type: resource.TString, Computed: true, ChangesWith: []string{"size", "user_data", "state"},
			Doc: "Its public IPv4 address, if it has one.",
		},
	}
}

// ec2Settings are the attributes that say how it is set up.
func ec2Settings() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "key_name", Type: resource.TString, Effect: resource.Replace, Pattern: keyPattern,
			RefKind: KindKeyPair, Weak: true, AnyName: true, Example: "ops",
			Doc: "The SSH key pair whose key is installed on it.",
		},
		{
			Name: "user_data", Type: resource.TString, Effect: resource.Restart, WriteOnly: true, Max: api.Bound(16384),
			Secret: true, SecretInFile: true,
			Valid: userDataSize, Note: "cloud-init does not run it again", Example: "|",
			Doc: "The script that cloud-init runs at the first boot. It may be written in the file; only its digest is " +
				"recorded. Anyone who may describe the instance can read it. Changing it restarts the instance, but cloud-init " +
				"does not run it again. It is read once, when an instance is adopted; a change outside ovi after that is not " +
				"noticed.",
		},
		{
			Name: "public_ip", Type: resource.TBool, Effect: resource.Replace, WriteOnly: true,
			Example: "true", Doc: "Whether it gets a public address. If omitted, the subnet decides.",
		},
		{
			Name: "iam_profile", Type: resource.TString, Pattern: `[A-Za-z0-9+=,.@_-]{1,128}`,
			RefKind: identity.KindRole, Weak: true, AnyName: true, NamesAttr: identity.ProfilesAttr, Example: "web",
			Doc: "The role that its programs use: an iam_role with instance_profile, or the name of an instance profile.",
		},
		{
			Name: "imdsv2", Type: resource.TString, Enum: []string{"required", "optional"},
			HarmlessDefault: true, Default: resource.String("required"),
			Example: "required", Doc: "Whether the metadata service requires session tokens (IMDSv2).",
		},
		{
			Name: SpotAttr, Type: resource.TBool, Effect: resource.Replace, Omit: api.Omitting(resource.Bool(false)),
			Example: "true",
			Doc: "Whether it runs on spare capacity, which costs less and which AWS takes back with two minutes' notice; then " +
				"the next apply creates another. It cannot be stopped, so that a change of size or user_data replaces it.",
		},
		{
			Name: spotPrice, Type: resource.TString, Effect: resource.Replace, WriteOnly: true, Pattern: `[0-9]+(\.[0-9]+)?`,
			Example: `"0.02"`,
			Doc:     "The most it may cost in US dollars per hour. If omitted, the price on demand.",
		},
		{
			Name: hopLimit, Type: resource.TInt, Min: api.Bound(1), Max: api.Bound(64), Example: "2",
			Doc: "How many network hops an answer of the metadata service travels: 2 for programs in containers. If omitted, " +
				"what the image or the account sets.",
		},
		{
			Name: api.SourceDestCheck, Type: resource.TBool, Omit: api.Omitting(resource.Bool(true)), Example: "false",
			Doc: "Whether it drops traffic that is not from or to its own addresses. false for a router, VPN or NAT instance. " +
				"AWS's default is true.",
		},
		{
			Name: "termination_protection", Type: resource.TBool, WriteOnly: true, CreateDefault: resource.Bool(false),
			Example: "true", Doc: "Whether AWS refuses to delete it. ovi turns it off only if the configuration sets it to " +
				"false.",
		},
	}
}

// rootFields are the attributes of a root volume. Zone and device are not among them: the instance
// and its image set both. The types exclude st1 and sc1, which "can't be used as boot volumes"
// (Amazon EC2 API Reference, CreateVolume).
func rootFields() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "size", Type: resource.TInt, Min: api.Bound(1), Max: api.Bound(65536), Example: "30",
			Unit: "GiB", Fits: api.GrowsOnly, Doc: "In GiB. If omitted, the image's size. It can only grow.",
		},
		{
			Name: "type", Type: resource.TString, Enum: []string{"gp3", "gp2", "io1", "io2", "standard"}, Example: "gp3",
			Doc:             "The volume type. If omitted, gp3.",
			HarmlessDefault: true, CreateDefault: resource.String("gp3"),
		},
		api.IopsAttr(), api.ThroughputAttr(),
		{
			Name: "encrypted", Type: resource.TBool, Effect: resource.Replace,
			HarmlessDefault: true, CreateDefault: resource.Bool(true),
			Example: "true",
			Fits:    api.EncryptedAnyway, Doc: "Whether it is encrypted. An account may encrypt every volume; then false " +
				"changes " +
				"nothing.",
		},
		api.VolumeKeyAttr(),
	}
}

// canonicalEC2 removes an image that means "the current one": it is resolved when an instance is
// created, and not compared afterwards.
func canonicalEC2(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, _ := api.Text(a, "image"); s == latestImage {
		a = a.Without("image")
	}
	var out []resource.Problem
	_, subnet := a.Get("subnet")
	if _, zone := a.Get("zone"); zone && subnet {
		out = append(out, resource.Problem{
			Path: "zone", Summary: "the subnet already sets the zone",
			Suggestion: "omit zone",
		})
	}
	out = append(out, judgeSpot(a)...)
	if _, fixed := a.Get(api.PrivateIP); fixed && !subnet {
		out = append(out, resource.Problem{
			Path:    api.PrivateIP,
			Summary: "an address is part of a subnet, and no subnet is set", Suggestion: "set subnet",
		})
	}
	if v, ok := a.Get("root_volume"); ok {
		root, _ := v.(resource.Attrs)
		for _, p := range judgeVolume(root, "type") {
			p.Path = "root_volume." + p.Path
			out = append(out, p)
		}
	}
	return a, out
}

// keyPattern: "Up to 255 ASCII characters" (CreateKeyPairInput), without spaces at the ends.
const keyPattern = `[!-~]([ -~]{0,253}[!-~])?`

// maxUserData: "limited to 16 KB, in raw form, before it is base64-encoded" ("Run commands at
// launch"). It is bytes, where the schema counts characters.
const maxUserData = 16384

// userDataSize counts bytes of the text before it is encoded, as AWS does.
func userDataSize(v resource.Value) []resource.Problem {
	if n := len(api.Revealed(v)); n > maxUserData {
		return api.WrongValue("download the rest from a bucket", "user_data has %d bytes, and AWS allows %d", n, maxUserData)
	}
	return nil
}

// holdsInstance: an instance keeps its private address while it is stopped. The address is its
// identity, so an observed instance with it is the configured one.
func holdsInstance(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	return api.HoldsAddress(a, api.PrivateIP, true)
}
