package api

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Bound returns a pointer to a limit of an attribute.
func Bound(n int64) *int64 { return &n }

// Patterns and names of attributes that several kinds have.
const (
	// TagName is the pattern of a Name tag: readable text on one line, without the slash that separates the
	// parts of a ref.
	TagName    = `[A-Za-z0-9][A-Za-z0-9_.-]{0,126}`
	TagNameDoc = "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 127 characters"

	CIDRPattern = `[0-9a-fA-F.:]+/[0-9]{1,3}`
	// DefaultDevice is the device name of a volume where none is set.
	DefaultDevice = "/dev/sdf"
	ZonePattern   = `[a-z]{2}(-[a-z]+)+-[0-9]+[a-z0-9-]*`
)

// Omitting returns the Omit function of an attribute that AWS sets if it is not configured.
func Omitting(usual resource.Value) func(resource.Value) bool {
	return func(v resource.Value) bool { return resource.Equal(v, usual) }
}

// GrowsOnly compares sizes of storage: storage grows by hand, automatically and in steps of the service,
// and never shrinks.
func GrowsOnly(desired, observed resource.Value) resource.Fit {
	want, ok := desired.(resource.Int)
	have, is := observed.(resource.Int)
	if ok && is && have > want {
		return resource.Exceeds
	}
	return resource.Differs
}

// EncryptedAnyway is for accounts that encrypt every volume, and volumes of encrypted snapshots:
// AWS creates none that is not, so that a new one would be encrypted too.
func EncryptedAnyway(desired, observed resource.Value) resource.Fit {
	if desired == resource.Bool(false) && observed == resource.Bool(true) {
		return resource.Exceeds
	}
	return resource.Differs
}

// IopsAttr returns the attribute iops of a volume.
func IopsAttr() resource.Attribute {
	return resource.Attribute{
		Name: "iops", Type: resource.TInt, Min: Bound(100), Max: Bound(256000), Example: "3000",
		Doc: "Operations per second, for gp3, io1 and io2.",
	}
}

// ThroughputAttr returns the attribute throughput of a volume.
func ThroughputAttr() resource.Attribute {
	return resource.Attribute{
		Name: "throughput", Type: resource.TInt, Min: Bound(125), Max: Bound(2000), Example: "125",
		Doc: "MiB per second, for gp3.",
	}
}

// VolumeKeyAttr accepts only the ARN of a key, because EC2 always reports the ARN, whatever name was given.
func VolumeKeyAttr() resource.Attribute {
	return resource.Attribute{
		Name: KMSKeyAttr, Type: resource.TString, Effect: resource.Replace, RefKind: KMSKeyAttr, RefPath: "arn", Weak: true,
		Pattern: `arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/.+`,
		Example: "main", Doc: "The key that encrypts it: a kms_key, or the ARN of a key. If omitted, the account's key " +
			"for volumes.",
	}
}

// GroupsAttr returns an attribute with the IDs of security groups.
func GroupsAttr(doc string) resource.Attribute {
	return resource.Attribute{
		Name: "security_groups", Type: resource.TSet, Doc: doc, Example: "[web]", Min: Bound(1),
		Elem: &resource.Attribute{Type: resource.TString, RefKind: KindGroup, IDPrefix: "sg-", Parent: KindVPC},
	}
}

// AliasAttr is the attribute alias.
const AliasAttr = "alias"

// DomainAttr is the attribute domain.
const DomainAttr = "domain"

// DomainPattern matches names in their usual form: Route 53 accepts more characters, escaped.
const DomainPattern = `(\*\.)?([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*` +
	`[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.?`

// DomainMax is the largest number of characters of a domain name (RFC 1035).
const DomainMax = 255

// Domain is a name in the form in which two are compared. Route 53 reports it with a dot at its end and
// with \052 for a star ("DNS domain name format").
func Domain(s string) string {
	return strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(s, `\052`, "*")), ".")
}

// PrivateIP is the attribute private_ip.
const PrivateIP = "private_ip"

// SourceDestCheck is the attribute source_dest_check.
const SourceDestCheck = "source_dest_check"

// KMSKeyAttr is the attribute kms_key.
const KMSKeyAttr = "kms_key"
