package bucket

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/ovi-project/ovi/provider/aws/api"
)

// fillDetails reads what a bucket has besides tags, each with a call of its own. If one is denied, the bucket
// is not read. A bucket without one of its settings would pass for changed. Each of the functions
// handles the code for a setting that does not exist: otherwise the table of causes, or the status
// 404, would take the bucket for absent.
func fillDetails(ctx context.Context, g *api.Region, b *bucket) error {
	for _, fill := range []func(context.Context, *api.Region, *bucket) error{
		fillAccess, fillEncryption, fillOwnership,
		fillPolicy, fillLifecycle, fillCORS,
	} {
		if err := fill(ctx, g, b); err != nil {
			return api.Classify("", err)
		}
	}
	return nil
}

// fillAccess reads versioning and the block of public access. Public access counts as blocked only
// if all four settings are on: a partial block is a difference. Suspended versioning counts as off.
// Amazon S3 API Reference, PutBucketVersioning: if the versioning state was never set, the answer
// has no status, which counts as off too. GetPublicAccessBlock: "This operation returns the
// bucket-level configuration only"; a block of the account is not part of the bucket.
func fillAccess(ctx context.Context, g *api.Region, b *bucket) error {
	name := aws.String(b.name)
	version, err := g.S3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: name})
	if err != nil {
		return err
	}
	b.version = version.Status == types.BucketVersioningStatusEnabled
	block, err := g.S3.GetPublicAccessBlock(ctx, &s3.GetPublicAccessBlockInput{Bucket: name})
	// A bucket without this configuration blocks nothing.
	if err != nil && !api.HasCode(err, "NoSuchPublicAccessBlockConfiguration") {
		return err
	}
	if err == nil && block.PublicAccessBlockConfiguration != nil {
		c := block.PublicAccessBlockConfiguration
		b.blocked = aws.ToBool(c.BlockPublicAcls) && aws.ToBool(c.BlockPublicPolicy) && aws.ToBool(c.IgnorePublicAcls) &&
			aws.ToBool(c.RestrictPublicBuckets)
	}
	return nil
}

// fillEncryption reads how new objects are encrypted by default, and the KMS key. A bucket without
// a configuration has the same value as a bucket with AES256, because S3 encrypts both in the same
// way.
func fillEncryption(ctx context.Context, g *api.Region, b *bucket) error {
	cipher, err := g.S3.GetBucketEncryption(ctx, &s3.GetBucketEncryptionInput{Bucket: aws.String(b.name)})
	if api.HasCode(err, "ServerSideEncryptionConfigurationNotFoundError") {
		b.cipher = string(types.ServerSideEncryptionAes256) // S3 encrypts so since 2023 where nothing is configured
		return nil
	}
	if err != nil {
		return err
	}
	if c := cipher.ServerSideEncryptionConfiguration; c != nil {
		for _, rule := range c.Rules {
			if d := rule.ApplyServerSideEncryptionByDefault; d != nil {
				b.cipher, b.key = string(d.SSEAlgorithm), aws.ToString(d.KMSMasterKeyID)
			}
		}
	}
	return nil
}

// fillOwnership: a bucket of before 2023 may have no controls, and its objects are then of who writes them.
func fillOwnership(ctx context.Context, g *api.Region, b *bucket) error {
	out, err := g.S3.GetBucketOwnershipControls(ctx, &s3.GetBucketOwnershipControlsInput{Bucket: aws.String(b.name)})
	if api.HasCode(err, "OwnershipControlsNotFoundError") {
		b.owner = string(types.ObjectOwnershipObjectWriter)
		return nil
	}
	if err != nil {
		return err
	}
	if c := out.OwnershipControls; c != nil && len(c.Rules) > 0 {
		b.owner = string(c.Rules[0].ObjectOwnership)
	}
	return nil
}
