package awsfake

import (
	"encoding/xml"
	"maps"
)

type xmlAbac struct {
	XMLName xml.Name `xml:"AbacStatus"`
	Status  string
}

func getAbac(x *exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if b.Abac {
		return xmlAbac{Status: "Enabled"}, nil
	}
	return xmlAbac{Status: "Disabled"}, nil
}

func putAbac(x *exchange) (any, error) {
	var in xmlAbac
	if xml.Unmarshal(x.rest.Body, &in) != nil || in.Status != "Enabled" && in.Status != "Disabled" {
		return nil, malformed()
	}
	return changeBucket(x, func(b *bucket) error { b.Abac = in.Status == "Enabled"; return nil }, 200)
}

// byControlOnly refuses PutBucketTagging and DeleteBucketTagging on a bucket with attribute-based access control
// ("Enabling ABAC in general purpose buckets"). The documentation names no code.
func (b *bucket) byControlOnly() error {
	if b.Abac {
		return failAs(400, "InvalidRequest", "Attribute-based access control is enabled for the bucket: use TagResource.")
	}
	return nil
}

// tagBucketByControl adds tags and leaves the others (API reference of S3 Control: TagResource).
func tagBucketByControl(x *exchange) (any, error) {
	var in struct {
		Tags []s3Tag `xml:"Tags>Tag"`
	}
	if xml.Unmarshal(x.rest.Body, &in) != nil || len(in.Tags) == 0 {
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
		return checkTags(tags)
	}, 204)
}

func untagBucketByControl(x *exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error {
		b.Tags = maps.Clone(b.Tags)
		for _, k := range x.rest.Query["tagKeys"] {
			delete(b.Tags, k)
		}
		return nil
	}, 204)
}
