package bucket

import (
	"net/netip"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// kindOfS3 returns the kind s3. The calls that change a bucket are in Untagged: conditions on the
// tags of a bucket apply "only after ABAC is enabled on the bucket" (Amazon S3 API Reference,
// CreateBucketConfiguration).
func kindOfS3() api.Kind {
	return api.Kind{
		Schema: s3Schema(),
		List:   listBuckets, Read: readBucketByName, Tag: tagBucket, Check: checkBucket,
		Create: createBucket, Update: updateBucket, Remove: deleteBucket,
		Calls: api.Calls{
			Service: "s3",
			Observes: "GetBucketAbac:GetBucketABAC GetBucketCors:GetBucketCORS GetBucketOwnershipControls " +
				"GetBucketPolicy GetPublicAccessBlock:GetBucketPublicAccessBlock GetBucketTagging " +
				"GetBucketVersioning GetBucketEncryption:GetEncryptionConfiguration " +
				"GetBucketLifecycleConfiguration:GetLifecycleConfiguration ListBuckets:ListAllMyBuckets " +
				"HeadBucket:ListBucket",
			Deletes: "DeleteBucket",
			Untagged: "CreateBucket DeleteBucketPolicy PutBucketCors:PutBucketCORS DeleteBucketCors:PutBucketCORS " +
				"PutBucketOwnershipControls PutBucketPolicy PutPublicAccessBlock:PutBucketPublicAccessBlock " +
				"PutBucketTagging PutBucketVersioning PutBucketEncryption:PutEncryptionConfiguration " +
				"PutBucketLifecycleConfiguration:PutLifecycleConfiguration " +
				"DeleteBucketLifecycle:PutLifecycleConfiguration TagResource UntagResource",
		},
	}
}

const ownershipAttr = "ownership"

// bucketPattern matches the characters and the length of a bucket name. bucketWrong checks the
// other rules.
const bucketPattern = `[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]`

// s3Schema returns the schema. If versioning and encryption are omitted, their defaults apply to a
// creation only, and another client may change them. The default of block_public_access is compared
// as well, so a bucket that another client opens is a difference.
func s3Schema() resource.Kind {
	return resource.Kind{
		Provider: api.ProviderName, Name: api.KindS3,
		Doc: "A bucket.\n\nIts name is the bucket's name, unless bucket sets another. ovi never empties a bucket: " +
			"one that holds objects must be emptied before it can be deleted.",
		NamePattern: bucketPattern, NameDoc: "lower-case letters, digits, '.' and '-', from 3 to 63 characters",
		Canonical: canonicalS3, CrossCheck: api.CrossChecks(api.TagTraits{S3: true}, bucketsOnce),
		ReusedIDs: true, Replace: replaceBucket, DataLoss: loseBucket,
		Identifier: "bucket", Holds: holdsBucket, HoldsDoc: "the name of the bucket, in all of AWS",
		Attrs: []resource.Attribute{
			{
				Name: "bucket", Type: resource.TString, Effect: resource.Replace, Pattern: bucketPattern, Valid: bucketValue,
				Example: "acme-assets",
				Doc:     "The bucket's name, if it differs from the resource's. Bucket names are unique among all AWS accounts.",
			},
			{
				Name: "versioning", Type: resource.TBool, CreateDefault: resource.Bool(false), Example: "true",
				Doc: "Whether old versions of objects are kept.",
			},
			{
				Name: "block_public_access", Type: resource.TBool,
				HarmlessDefault: true, Default: resource.Bool(true), Example: "true",
				Doc: "Whether all four kinds of public access are blocked.",
			},
			{
				Name: "encryption", Type: resource.TString, Enum: []string{"AES256", "aws:kms"},
				HarmlessDefault: true, CreateDefault: resource.String("AES256"), Example: "AES256",
				Doc: "How new objects are encrypted by default.",
			},
			{
				Name: api.KMSKeyAttr, Type: resource.TString, Example: "main", Max: api.Bound(2048),
				Pattern: `(arn:aws[a-z-]*:kms:|alias/).+|(mrk-)?[0-9a-f-]{32,36}`, RefKind: api.KMSKeyAttr,
				RefPath: "arn", Weak: true,
				Doc: "The key for encryption aws:kms: a kms_key, or the ARN, alias or ID of a key. If omitted, AWS's " +
					"managed key.",
			},
			{
				Name: ownershipAttr, Type: resource.TString,
				Enum: []string{"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"}, Example: "BucketOwnerEnforced",
				Doc: "Who owns the objects that others write, and whether access lists apply: with BucketOwnerEnforced, the " +
					"bucket's owner and none. If omitted, a new bucket has that.",
			},
			{
				Name: network.PolicyAttr, Type: resource.TString, Valid: validBucketPolicy, Fits: api.SamePolicy,
				Max: api.Bound(20480), Example: "${file:bucket.json}",
				Doc: "The bucket policy, in JSON. Policies are compared by meaning, not by text. An empty one " +
					"removes the current policy.",
			},
			lifecycleSchema(),
			corsSchema(),
		},
	}
}

// bucketWrong returns what is wrong with a bucket name that has the right characters and length
// ("General purpose bucket naming rules"); empty if nothing is.
func bucketWrong(name string) string {
	if _, err := netip.ParseAddr(name); err == nil {
		return "has the form of an IP address"
	}
	if strings.Contains(name, "..") {
		return "has two dots in a row"
	}
	for _, p := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, p) {
			return "starts with " + p + ", which S3 reserves"
		}
	}
	for _, s := range []string{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"} {
		if strings.HasSuffix(name, s) {
			return "ends with " + s + ", which S3 reserves"
		}
	}
	return ""
}

// bucketValue checks the attribute bucket. bucketsOnce checks a name that comes from the resource.
func bucketValue(v resource.Value) []resource.Problem {
	s, _ := v.(resource.String)
	if wrong := bucketWrong(string(s)); wrong != "" {
		return api.WrongValue("use for example acme-assets", "%q %s", s, wrong)
	}
	return nil
}

// bucketOf returns a bucket's name and the attribute that sets it.
func bucketOf(d *resource.Desired) (name, path string) {
	if s, ok := api.Text(d.Attrs, "bucket"); ok {
		return s, "bucket"
	}
	return d.Ref.Name, "name"
}

// holdsBucket returns the name of the bucket as a hold in all of AWS. The name is the identity: a
// bucket of the name is the resource, whatever the configuration calls it.
func holdsBucket(ref resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	return []resource.Hold{{What: "bucket", Of: api.Everywhere, Name: api.NameOr(a, "bucket", ref), Identity: true}}
}

// bucketsOnce: the name of a bucket is unique in all regions ("General purpose buckets overview").
// A duplicate is reported at the later resource in the configuration, so that the report does not
// depend on the order in which they are checked.
func bucketsOnce(c *api.Checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		name, path := bucketOf(d)
		if wrong := bucketWrong(name); wrong != "" && path == "name" {
			c.Wrong(d, path, "use for example acme-assets", "%q %s", name, wrong)
		}
		other, again := first[name]
		if !again {
			first[name] = d
			continue
		}
		second := d
		if api.Earlier(second, other) {
			other, second = second, other
		}
		_, path = bucketOf(second)
		c.Wrong(second, path, "use another name: bucket names are unique among all regions and accounts",
			"duplicate bucket %s: s3/%s has it too", name, api.WhereConfigured(other))
	}
}

// canonicalS3: the key "is allowed if and only if SSEAlgorithm is set to aws:kms"
// (ServerSideEncryptionByDefault). A key without a configured encryption is rejected too, because a
// new bucket gets AES256 then. The policy is brought to one form.
func canonicalS3(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := api.Text(a, network.PolicyAttr); ok {
		a = a.With(network.PolicyAttr, resource.String(api.CanonicalDocument(s)))
	}
	cipher, said := api.Text(a, "encryption")
	if _, key := a.Get("kms_key"); key && (!said || cipher != "aws:kms") {
		return a, []resource.Problem{{
			Path: "kms_key", Summary: "kms_key requires encryption aws:kms",
			Suggestion: "set encryption: aws:kms",
		}}
	}
	return a, nil
}
