package aws

import "github.com/ovi-project/ovi/resource"

func bound(n int64) *int64 { return &n }

const (
	// tagName is what a Name tag holds: readable text on one line, without the slash that
	// separates the parts of a ref.
	tagName    = `[A-Za-z0-9][A-Za-z0-9_.-]{0,126}`
	tagNameDoc = "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 127 characters"

	cidrPattern = `[0-9a-fA-F.:]+/[0-9]{1,3}`
	// defaultDevice is the device name of a volume where none is set.
	defaultDevice = "/dev/sdf"
	zonePattern   = `[a-z]{2}(-[a-z]+)+-[0-9]+[a-z0-9-]*`
)

// omitting is for what AWS sets where nothing is configured.
func omitting(usual resource.Value) func(resource.Value) bool {
	return func(v resource.Value) bool { return resource.Equal(v, usual) }
}

// growsOnly is for sizes: storage grows by hand, by itself and in steps of the service, and shrinks
// never.
func growsOnly(desired, observed resource.Value) resource.Fit {
	want, ok := desired.(resource.Int)
	have, is := observed.(resource.Int)
	if ok && is && have > want {
		return resource.Exceeds
	}
	return resource.Differs
}

// encryptedAnyway is for accounts that encrypt every volume, and volumes of encrypted snapshots:
// AWS creates none that is not, so that a new one would be encrypted too.
func encryptedAnyway(desired, observed resource.Value) resource.Fit {
	if desired == resource.Bool(false) && observed == resource.Bool(true) {
		return resource.Exceeds
	}
	return resource.Differs
}

func iopsAttr() resource.Attribute {
	return resource.Attribute{Name: "iops", Type: resource.TInt, Min: bound(100), Max: bound(256000), Example: "3000", Doc: "Operations per second, for gp3, io1 and io2."}
}

func throughputAttr() resource.Attribute {
	return resource.Attribute{Name: "throughput", Type: resource.TInt, Min: bound(125), Max: bound(2000), Example: "125", Doc: "MiB per second, for gp3."}
}

// volumeKeyAttr takes the ARN of a key alone: it is what EC2 reports, whatever a key was called by.
func volumeKeyAttr() resource.Attribute {
	return resource.Attribute{
		Name: kmsKeyAttr, Type: resource.TString, Effect: resource.Replace, Pattern: `arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+`,
		Example: "${kms_key/main.arn}", Doc: "The ARN of the key that encrypts it. If omitted, the account's key for volumes.",
	}
}

func groupsAttr(doc string) resource.Attribute {
	return resource.Attribute{
		Name: "security_groups", Type: resource.TSet, Doc: doc, Example: "[web]", Min: bound(1),
		Elem: &resource.Attribute{Type: resource.TString, RefKind: kindGroup, IDPrefix: "sg-"},
	}
}
