package api

import "github.com/aws/aws-sdk-go-v2/service/s3"

// bucketCalls are those about who may do what in a bucket, and how long its objects stay.
type bucketCalls struct {
	GetBucketOwnershipControls call[s3.GetBucketOwnershipControlsInput, s3.GetBucketOwnershipControlsOutput, s3.Options]
	PutBucketOwnershipControls call[s3.PutBucketOwnershipControlsInput, s3.PutBucketOwnershipControlsOutput, s3.Options]
	GetBucketPolicy            call[s3.GetBucketPolicyInput, s3.GetBucketPolicyOutput, s3.Options]
	PutBucketPolicy            call[s3.PutBucketPolicyInput, s3.PutBucketPolicyOutput, s3.Options]
	DeleteBucketPolicy         call[s3.DeleteBucketPolicyInput, s3.DeleteBucketPolicyOutput, s3.Options]
	GetBucketCors              call[s3.GetBucketCorsInput, s3.GetBucketCorsOutput, s3.Options]
	PutBucketCors              call[s3.PutBucketCorsInput, s3.PutBucketCorsOutput, s3.Options]
	DeleteBucketCors           call[s3.DeleteBucketCorsInput, s3.DeleteBucketCorsOutput, s3.Options]

	GetBucketLifecycleConfiguration call[s3.GetBucketLifecycleConfigurationInput, s3.GetBucketLifecycleConfigurationOutput,
		s3.Options]
	PutBucketLifecycleConfiguration call[s3.PutBucketLifecycleConfigurationInput, s3.PutBucketLifecycleConfigurationOutput,
		s3.Options]
	DeleteBucketLifecycle call[s3.DeleteBucketLifecycleInput, s3.DeleteBucketLifecycleOutput, s3.Options]
}

func bucketCallsOf(c *s3.Client) bucketCalls {
	return bucketCalls{
		GetBucketOwnershipControls: c.GetBucketOwnershipControls,
		PutBucketOwnershipControls: c.PutBucketOwnershipControls,
		GetBucketPolicy:            c.GetBucketPolicy,
		PutBucketPolicy:            c.PutBucketPolicy,
		DeleteBucketPolicy:         c.DeleteBucketPolicy,
		GetBucketCors:              c.GetBucketCors,
		PutBucketCors:              c.PutBucketCors,
		DeleteBucketCors:           c.DeleteBucketCors,

		GetBucketLifecycleConfiguration: c.GetBucketLifecycleConfiguration,
		PutBucketLifecycleConfiguration: c.PutBucketLifecycleConfiguration,
		DeleteBucketLifecycle:           c.DeleteBucketLifecycle,
	}
}
