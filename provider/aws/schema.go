package aws

import "github.com/ovi-project/ovi/resource"

// Name is the provider's name in refs and configs.
const Name = "aws"

// The kinds.
const (
	kindVPC    = "vpc"
	kindSubnet = "subnet"
	kindGroup  = "security_group"
	kindEC2    = "ec2"
	kindEBS    = "ebs"
	kindRDS    = "rds"
	kindS3     = "s3"
)

// Kinds lists the schemas of everything this provider can make, without I/O and without an
// account. Each call gives a fresh list.
func Kinds() []resource.Kind {
	return []resource.Kind{vpcKind(), subnetKind(), groupKind(), ec2Kind(), ebsKind(), rdsKind(), s3Kind()}
}

func kindNamed(name string) (resource.Kind, bool) {
	for _, k := range Kinds() {
		if k.Name == name {
			return k, true
		}
	}
	return resource.Kind{}, false
}

func bound(n int64) *int64 { return &n }

const (
	// tagName is what ends up in a Name tag: anything readable, on one line, without the
	// slash that separates the parts of a ref.
	tagName    = `[A-Za-z0-9][A-Za-z0-9_.-]{0,126}`
	tagNameDoc = "letters, digits, '.', '_' and '-', beginning with a letter or digit, at most 127"

	cidrPattern = `[0-9a-fA-F.:]+/[0-9]{1,3}`
	// defaultDevice is what a disk is attached as where nothing is said.
	defaultDevice = "/dev/sdf"
	zonePattern   = `[a-z]{2}(-[a-z]+)+-[0-9]+[a-z0-9-]*`
)

func groupsAttr(doc string) resource.Attribute {
	return resource.Attribute{
		Name: "security_groups", Type: resource.TSet, Doc: doc, Example: "[web]", Min: bound(1),
		Elem: &resource.Attribute{Type: resource.TString, RefKind: kindGroup, IDPrefix: "sg-"},
	}
}

func stateAttr(what string) resource.Attribute {
	return resource.Attribute{
		Name: "state", Type: resource.TString, Enum: []string{"running", "stopped"},
		Default: resource.String("running"), Example: "running",
		Doc: "Whether the " + what + " runs. One that was stopped by hand is drift, and is started again.",
	}
}
