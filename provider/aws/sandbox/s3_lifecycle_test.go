package sandbox_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func TestBucketLifecycle(t *testing.T) {
	c, _ := open(t)
	cl := s3Of(c, "us-east-1", true)
	name := aws.String("aging")
	ok(cl.CreateBucket(ctx, bucketIn(*name, "us-east-1")))(t)
	_, err := cl.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: name})
	wantCode(t, err, "NoSuchLifecycleConfiguration")
	put := func(rules ...types.LifecycleRule) error {
		if rules == nil {
			rules = []types.LifecycleRule{}
		}
		_, err := cl.PutBucketLifecycleConfiguration(ctx, &s3.PutBucketLifecycleConfigurationInput{Bucket: name, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules}})
		return err
	}
	rule := func(change func(*types.LifecycleRule)) types.LifecycleRule {
		r := types.LifecycleRule{ID: aws.String("a"), Status: "Enabled", Filter: &types.LifecycleRuleFilter{}, Expiration: &types.LifecycleExpiration{Days: aws.Int32(40)}}
		if change != nil {
			change(&r)
		}
		return r
	}
	move := func(days int32, class types.TransitionStorageClass) types.LifecycleRule {
		return rule(func(r *types.LifecycleRule) {
			r.Transitions = []types.Transition{{Days: aws.Int32(days), StorageClass: class}}
		})
	}
	wantCode(t, put(), "MalformedXML")
	wantCode(t, put(rule(nil), rule(nil)), "InvalidArgument")
	wantCode(t, put(rule(func(r *types.LifecycleRule) { r.Status = "On" })), "MalformedXML")
	wantCode(t, put(rule(func(r *types.LifecycleRule) { r.Filter = nil })), "MalformedXML")
	wantCode(t, put(rule(func(r *types.LifecycleRule) { r.Expiration = nil })), "InvalidRequest")
	wantCode(t, put(rule(func(r *types.LifecycleRule) { r.Expiration.Days = aws.Int32(0) })), "InvalidArgument")
	wantCode(t, put(move(30, "COLD")), "MalformedXML")
	wantCode(t, put(move(29, "STANDARD_IA")), "InvalidArgument")
	wantCode(t, put(move(40, "GLACIER")), "InvalidArgument")
	if err := put(move(30, "GLACIER")); err != nil {
		t.Fatal(err)
	}
	got := ok(cl.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: name}))(t)
	if r := got.Rules; len(r) != 1 || *r[0].Transitions[0].Days != 30 || *r[0].Expiration.Days != 40 || got.TransitionDefaultMinimumObjectSize != "all_storage_classes_128K" {
		t.Errorf("lifecycle %+v", got)
	}
	ok(cl.DeleteBucketLifecycle(ctx, &s3.DeleteBucketLifecycleInput{Bucket: name}))(t)
	_, err = cl.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: name})
	wantCode(t, err, "NoSuchLifecycleConfiguration")
}
