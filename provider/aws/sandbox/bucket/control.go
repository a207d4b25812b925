package bucket

import (
	"encoding/xml"
	"maps"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlAbac struct {
	XMLName xml.Name `xml:"AbacStatus"`
	Status  string
}

func getAbac(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if b.Abac {
		return xmlAbac{Status: "Enabled"}, nil
	}
	return xmlAbac{Status: "Disabled"}, nil
}

func putAbac(x *core.Exchange) (any, error) {
	var in xmlAbac
	if xml.Unmarshal(x.Rest.Body, &in) != nil || in.Status != "Enabled" && in.Status != "Disabled" {
		return nil, malformed()
	}
	return changeBucket(x, func(b *bucket) error { b.Abac = in.Status == "Enabled"; return nil }, 200)
}

// byControlOnly refuses PutBucketTagging and DeleteBucketTagging on a bucket with attribute-based access control
// ("Enabling ABAC in general purpose buckets"). The documentation names no code.
func (b *bucket) byControlOnly() error {
	if b.Abac {
		return wire.FailAs(400, "InvalidRequest",
			"Attribute-based access control is enabled for the bucket: use TagResource.")
	}
	return nil
}

// tagBucketByControl adds tags and leaves the others (API reference of S3 Control: TagResource).
func tagBucketByControl(x *core.Exchange) (any, error) {
	var in struct {
		Tags []s3Tag `xml:"Tags>Tag"`
	}
	if xml.Unmarshal(x.Rest.Body, &in) != nil || len(in.Tags) == 0 {
		return nil, malformed()
	}
	added, err := tagMap(in.Tags)
	if err != nil {
		return nil, err
	}
	return changeBucket(x, func(b *bucket) error {
		tags := maps.Clone(b.Tags)
		if tags == nil {
			tags = map[string]string{}
		}
		maps.Copy(tags, added)
		b.Tags = tags
		return core.CheckTags(tags)
	}, 204)
}

func untagBucketByControl(x *core.Exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error {
		b.Tags = maps.Clone(b.Tags)
		for _, k := range x.Rest.Query["tagKeys"] {
			delete(b.Tags, k)
		}
		return nil
	}, 204)
}
