package bucket

import (
	"encoding/xml"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type s3Tag struct {
	Key   string
	Value string
}

// s3TagText is what S3 takes in tags ("Using cost allocation S3 bucket tags"), fewer characters than EC2.
var s3TagText = wire.Late(`^[\p{L}\p{Z}\p{N}+\-=._:/@]*$`)

type xmlTagging struct {
	XMLName xml.Name `xml:"Tagging"`
	Tags    []s3Tag  `xml:"TagSet>Tag"`
}

func tagMap(tags []s3Tag) (map[string]string, error) {
	out := map[string]string{}
	for _, t := range tags {
		if _, twice := out[t.Key]; twice {
			return nil, wire.Failf("InvalidTag", "Cannot provide multiple Tags with the same key")
		}
		out[t.Key] = t.Value
	}
	for k, v := range out {
		if !s3TagText.MatchString(k) || !s3TagText.MatchString(v) {
			return nil, wire.Failf("InvalidTag", "The TagKey or TagValue you have provided is invalid")
		}
	}
	if err := core.CheckTags(out); err != nil {
		return nil, wire.Failf("InvalidTag", "%s", wire.ErrorOf(err).Message)
	}
	return out, nil
}

// changeBucket puts a changed copy of the request's bucket.
func changeBucket(x *core.Exchange, set func(*bucket) error, status int) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	n := *b
	if err := set(&n); err != nil {
		return nil, err
	}
	x.Tx.Put(&n)
	return empty(status), nil
}

// getBucketTags: a bucket without tags is an error (S3 API reference:
// GetBucketTagging, NoSuchTagSet).
func getBucketTags(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if len(b.Tags) == 0 {
		return nil, wire.FailAs(404, "NoSuchTagSet", "The TagSet does not exist")
	}
	var out xmlTagging
	for _, t := range core.TagSet(b.Tags) {
		out.Tags = append(out.Tags, s3Tag(t))
	}
	return out, nil
}

// putBucketTags replaces the whole set (S3 API reference: PutBucketTagging).
func putBucketTags(x *core.Exchange) (any, error) {
	var in xmlTagging
	if xml.Unmarshal(x.Rest.Body, &in) != nil {
		return nil, malformed()
	}
	tags, err := tagMap(in.Tags)
	if err != nil {
		return nil, err
	}
	return changeBucket(x, func(b *bucket) error { b.Tags = tags; return b.byControlOnly() }, 204)
}

func deleteBucketTags(x *core.Exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error { b.Tags = nil; return b.byControlOnly() }, 204)
}

type xmlVersioning struct {
	XMLName xml.Name `xml:"VersioningConfiguration"`
	Status  string   `xml:",omitempty"`
}

func getVersioning(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	return xmlVersioning{Status: b.Versioning}, nil
}

// putVersioning: once on, versioning is suspended, never off again ("Using
// versioning in S3 buckets").
func putVersioning(x *core.Exchange) (any, error) {
	var in xmlVersioning
	if xml.Unmarshal(x.Rest.Body, &in) != nil || in.Status != "Enabled" && in.Status != "Suspended" {
		return nil, malformed()
	}
	return changeBucket(x, func(b *bucket) error { b.Versioning = in.Status; return nil }, 200)
}

type xmlBlock struct {
	XMLName xml.Name `xml:"PublicAccessBlockConfiguration"`
	blocking
}

func getBlock(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if b.Block == nil {
		return nil, wire.FailAs(404, "NoSuchPublicAccessBlockConfiguration",
			"The public access block configuration was not found")
	}
	return xmlBlock{blocking: *b.Block}, nil
}

func putBlock(x *core.Exchange) (any, error) {
	var in xmlBlock
	if xml.Unmarshal(x.Rest.Body, &in) != nil {
		return nil, malformed()
	}
	return changeBucket(x, func(b *bucket) error { b.Block = &in.blocking; return nil }, 200)
}

func deleteBlock(x *core.Exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error { b.Block = nil; return nil }, 204)
}

type xmlEncryption struct {
	XMLName xml.Name  `xml:"ServerSideEncryptionConfiguration"`
	Rules   []sseRule `xml:"Rule"`
}

type sseRule struct {
	Algorithm string `xml:"ApplyServerSideEncryptionByDefault>SSEAlgorithm"`
	Key       string `xml:"ApplyServerSideEncryptionByDefault>KMSMasterKeyID,omitempty"`
	BucketKey bool   `xml:"BucketKeyEnabled"`
}

// getEncryption: every bucket encrypts, with SSE-S3 by default
// ("Setting default server-side encryption behavior").
func getEncryption(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	e := b.Encryption
	return xmlEncryption{Rules: []sseRule{{e.Algorithm, e.Key, e.BucketKey}}}, nil
}

func putEncryption(x *core.Exchange) (any, error) {
	var in xmlEncryption
	if xml.Unmarshal(x.Rest.Body, &in) != nil || len(in.Rules) != 1 {
		return nil, malformed()
	}
	r := in.Rules[0]
	if !slices.Contains([]string{"AES256", "aws:kms", "aws:kms:dsse"}, r.Algorithm) {
		return nil, malformed()
	}
	if r.Algorithm == "AES256" && r.Key != "" {
		return nil, wire.Failf("InvalidArgument",
			"a KMSMasterKeyID is not applicable if the default sse algorithm is not aws:kms or aws:kms:dsse")
	}
	return changeBucket(x, func(b *bucket) error { b.Encryption = encryption(r); return nil }, 200)
}

func deleteEncryption(x *core.Exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error { b.Encryption = encryption{Algorithm: "AES256"}; return nil }, 204)
}

type xmlOwnership struct {
	XMLName xml.Name `xml:"OwnershipControls"`
	Value   string   `xml:"Rule>ObjectOwnership"`
}

func getOwnership(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if b.Ownership == "" {
		return nil, wire.FailAs(404, "OwnershipControlsNotFoundError", "The bucket ownership controls were not found")
	}
	return xmlOwnership{Value: b.Ownership}, nil
}

func deleteOwnership(x *core.Exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error { b.Ownership = ""; return nil }, 204)
}

func putOwnership(x *core.Exchange) (any, error) {
	var in xmlOwnership
	if xml.Unmarshal(x.Rest.Body, &in) != nil ||
		!slices.Contains([]string{"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"}, in.Value) {
		return nil, malformed()
	}
	return changeBucket(x, func(b *bucket) error { b.Ownership = in.Value; return nil }, 200)
}
