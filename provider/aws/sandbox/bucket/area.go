// Package bucket has the S3 of the sandbox: buckets, their settings, and their objects. It promises one space of names
// for all regions, and that a client of the wrong region is redirected.
package bucket

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// Actions are the handlers of this area, by service and action.
func Actions() map[string]map[string]core.Handler {
	return map[string]map[string]core.Handler{"s3": {
		"ListBuckets": listBuckets, "CreateBucket": createBucket, "HeadBucket": headBucket, "DeleteBucket": deleteBucket,
		"GetBucketLocation": bucketLocation,
		"GetBucketTagging":  getBucketTags, "PutBucketTagging": putBucketTags, "DeleteBucketTagging": deleteBucketTags,
		"GetBucketVersioning": getVersioning, "PutBucketVersioning": putVersioning,
		"GetBucketPublicAccessBlock": getBlock, "PutBucketPublicAccessBlock": putBlock,
		"DeleteBucketPublicAccessBlock": deleteBlock,
		"GetBucketEncryption":           getEncryption, "PutBucketEncryption": putEncryption,
		"DeleteBucketEncryption":     deleteEncryption,
		"GetBucketOwnershipControls": getOwnership, "PutBucketOwnershipControls": putOwnership,
		"DeleteBucketOwnershipControls": deleteOwnership,
		"GetBucketPolicy":               getPolicy, "PutBucketPolicy": putPolicy, "DeleteBucketPolicy": deletePolicy,
		"GetBucketLifecycleConfiguration": getLifecycle, "PutBucketLifecycleConfiguration": putLifecycle,
		"DeleteBucketLifecycle": deleteLifecycle,
		"GetBucketCors":         getCORS, "PutBucketCors": putCORS, "DeleteBucketCors": deleteCORS,
		"GetBucketAbac": getAbac, "PutBucketAbac": putAbac, "TagResource": tagBucketByControl,
		"UntagResource": untagBucketByControl,
		"ListObjectsV2": listObjects, "ListObjectVersions": listVersions,
		"PutObject": putObject, "GetObject": getObject, "HeadObject": headObject, "DeleteObject": deleteObject,
		"DeleteObjects": deleteObjects,
	}}
}

// Kinds describes the kinds of this area.
func Kinds() []core.Kind {
	return []core.Kind{
		{Name: "bucket", Word: "s3", Rank: 13, Type: (*bucket)(nil), Order: orderBucket},
		{Name: "object", Type: (*object)(nil)},
	}
}
