package bucket

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// shape holds the configured attributes of a bucket, and tells which of them change. The function
// changed reports whether an attribute, or a part of it, changes. At a creation it is true for
// every attribute.
type shape struct {
	*api.Region
	bucket  *string
	attrs   resource.Attrs
	changed func(string) bool
}

// shapeBucket sets what is configured and has changed. Public access is blocked first and opened
// first: S3 refuses a public policy while it is blocked. Each call sets an absolute value and may
// be repeated, so an interrupted update is completed by the next one. An attribute that is not
// configured keeps the setting of the bucket. An error ends the sequence, and the next plan shows
// the remaining settings as differences.
func shapeBucket(ctx context.Context, g *api.Region, name string, a resource.Attrs, changed func(string) bool) error {
	s := shape{g, aws.String(name), a, changed}
	for _, set := range []func(context.Context) error{s.block, s.versions, s.encrypt, s.own, s.allow, s.age, s.share} {
		if err := set(ctx); err != nil {
			return err
		}
	}
	return nil
}

// block turns all four settings of the block of public access on or off. BlockPublicPolicy rejects
// only new policies, and RestrictPublicBuckets also restricts the policy that the bucket has
// (Amazon S3 API Reference, PublicAccessBlockConfiguration). S3 uses the most restrictive
// combination of the settings of the bucket and its account (PutPublicAccessBlock), so a bucket
// stays closed while its account blocks public access.
func (s shape) block(ctx context.Context) error {
	on, ok := api.Flag(s.attrs, "block_public_access")
	if !ok || !s.changed("block_public_access") {
		return nil
	}
	block := &types.PublicAccessBlockConfiguration{
		BlockPublicAcls: aws.Bool(on), BlockPublicPolicy: aws.Bool(on), IgnorePublicAcls: aws.Bool(on),
		RestrictPublicBuckets: aws.Bool(on),
	}
	return repeatedly(ctx, s.Region, func() error {
		_, err := s.S3.PutPublicAccessBlock(ctx,
			&s3.PutPublicAccessBlockInput{Bucket: s.bucket, PublicAccessBlockConfiguration: block})
		return err
	})
}

// versions turns versioning on or off; a bucket that never had it is not changed to turn it off. S3
// has only the values Enabled and Suspended (Amazon S3 API Reference, PutBucketVersioning), and no
// call that removes the status: a bucket that was suspended cannot return to the state without
// versioning.
func (s shape) versions(ctx context.Context) error {
	on, ok := api.Flag(s.attrs, "versioning")
	if !ok || !s.changed("versioning") {
		return nil
	}
	status := types.BucketVersioningStatusEnabled
	if !on {
		now, err := s.S3.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: s.bucket})
		if err != nil || now.Status != types.BucketVersioningStatusEnabled {
			return api.Classify("", err)
		}
		status = types.BucketVersioningStatusSuspended
	}
	return repeatedly(ctx, s.Region, func() error {
		_, err := s.S3.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{
			Bucket:                  s.bucket,
			VersioningConfiguration: &types.VersioningConfiguration{Status: status},
		})
		return err
	})
}

// encrypt sets the default encryption of new objects. The algorithm and the key are parts of one
// rule, so a change of either sends both. Bucket keys and blocked encryption types are parts of the
// rule too, and ovi neither reads nor sends them. Amazon S3 API Reference, PutBucketEncryption:
// "Amazon S3 doesn't validate the KMS key ID provided in PutBucketEncryption requests", so a wrong
// key is not an error of this call. If aws:kms has no key, S3 uses the key that AWS manages.
func (s shape) encrypt(ctx context.Context) error {
	cipher, ok := api.Text(s.attrs, "encryption")
	if !ok || !s.changed("encryption") && !s.changed(api.KMSKeyAttr) {
		return nil
	}
	rule := types.ServerSideEncryptionRule{ApplyServerSideEncryptionByDefault: &types.ServerSideEncryptionByDefault{
		SSEAlgorithm: types.ServerSideEncryption(cipher), KMSMasterKeyID: api.DesiredText(s.attrs, api.KMSKeyAttr),
	}}
	return repeatedly(ctx, s.Region, func() error {
		_, err := s.S3.PutBucketEncryption(ctx, &s3.PutBucketEncryptionInput{
			Bucket: s.bucket,
			ServerSideEncryptionConfiguration: &types.ServerSideEncryptionConfiguration{
				Rules: []types.ServerSideEncryptionRule{rule},
			},
		})
		return err
	})
}

// own sets who owns the objects. S3 refuses BucketOwnerEnforced while an access list grants
// anything to others. BucketOwnerEnforced disables access lists (Amazon S3 API Reference,
// OwnershipControlsRule).
func (s shape) own(ctx context.Context) error {
	owner, ok := api.Text(s.attrs, ownershipAttr)
	if !ok || !s.changed(ownershipAttr) {
		return nil
	}
	controls := &types.OwnershipControls{Rules: []types.OwnershipControlsRule{
		{ObjectOwnership: types.ObjectOwnership(owner)},
	}}
	return repeatedly(ctx, s.Region, func() error {
		_, err := s.S3.PutBucketOwnershipControls(ctx,
			&s3.PutBucketOwnershipControlsInput{Bucket: s.bucket, OwnershipControls: controls})
		return err
	})
}
