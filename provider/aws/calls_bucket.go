package aws

import "github.com/aws/aws-sdk-go-v2/service/s3"

// bucketCalls are those about who may do what in a bucket, and how long its objects stay.
type bucketCalls struct {
	GetBucketOwnershipControls call[s3.GetBucketOwnershipControlsInput, s3.GetBucketOwnershipControlsOutput, s3.Options]
	PutBucketOwnershipControls call[s3.PutBucketOwnershipControlsInput, s3.PutBucketOwnershipControlsOutput, s3.Options]
}

func bucketCallsOf(c *s3.Client) bucketCalls {
	return bucketCalls{
		GetBucketOwnershipControls: c.GetBucketOwnershipControls,
		PutBucketOwnershipControls: c.PutBucketOwnershipControls,
	}
}
