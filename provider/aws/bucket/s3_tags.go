package bucket

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/s3control"
	control "github.com/aws/aws-sdk-go-v2/service/s3control/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// putTags replaces the tags of a bucket. One with attribute-based access control refuses that, and
// takes the differences from S3 Control instead. Amazon S3 API Reference, PutBucketTagging: once
// access by tags is enabled, "you can no longer use this operation for that bucket". tags is the
// complete new set: every other tag is removed. before are the tags that the bucket has, by which
// the differences are found.
func putTags(ctx context.Context, g *api.Region, name string, before, tags map[string]string) error {
	err := repeatedly(ctx, g, func() error {
		_, err := g.S3.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{
			Bucket:  aws.String(name),
			Tagging: &types.Tagging{TagSet: s3Tags(tags)},
		})
		return err
	})
	// The refusal is returned unless S3 confirms that access is by tags.
	if err == nil || !byAttributes(ctx, g, name) {
		return err
	}
	// The ARN of a bucket has neither a region nor an account. Its partition depends on the region.
	arn := aws.String("arn:" + api.PartitionOf(g.Name) + ":s3:::" + name)
	in := &s3control.TagResourceInput{AccountId: aws.String(g.Account), ResourceArn: arn}
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		if was, has := before[k]; !has || was != tags[k] {
			in.Tags = append(in.Tags, control.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
		}
	}
	var drop []string
	for _, k := range slices.Sorted(maps.Keys(before)) {
		if _, stays := tags[k]; !stays {
			drop = append(drop, k)
		}
	}
	// The tags that differ are set before any is removed, so that the bucket is never without its marks. A crash
	// between the two calls leaves surplus tags, which a repeated call removes.
	if len(in.Tags) > 0 {
		if _, err := g.Control.TagResource(ctx, in); err != nil {
			return api.Classify("s3.TagResource", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	_, err = g.Control.UntagResource(ctx, &s3control.UntagResourceInput{
		AccountId: in.AccountId, ResourceArn: arn,
		TagKeys: drop,
	})
	return api.Classify("s3.UntagResource", err)
}

// byAttributes reports whether the access to a bucket is by its tags. It is asked where tags were refused: the
// documentation names no code of that refusal.
func byAttributes(ctx context.Context, g *api.Region, name string) bool {
	out, err := g.S3.GetBucketAbac(ctx, &s3.GetBucketAbacInput{Bucket: aws.String(name)})
	return err == nil && out.AbacStatus != nil && out.AbacStatus.Status == types.BucketAbacStatusEnabled
}
