package sandbox_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func TestBucketCORS(t *testing.T) {
	c, _ := open(t)
	cl := s3Of(c, "us-east-1", true)
	name := aws.String("shared")
	ok(cl.CreateBucket(ctx, bucketIn(*name, "us-east-1")))(t)
	_, err := cl.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: name})
	wantCode(t, err, "NoSuchCORSConfiguration")
	put := func(rules ...types.CORSRule) error {
		_, err := cl.PutBucketCors(ctx, &s3.PutBucketCorsInput{Bucket: name, CORSConfiguration: &types.CORSConfiguration{CORSRules: append([]types.CORSRule{}, rules...)}})
		return err
	}
	rule := func(origin, method, header, expose string) types.CORSRule {
		return types.CORSRule{AllowedOrigins: []string{origin}, AllowedMethods: []string{method}, AllowedHeaders: []string{header}, ExposeHeaders: []string{expose}, MaxAgeSeconds: aws.Int32(5)}
	}
	wantCode(t, put(), "MalformedXML")
	wantCode(t, put(types.CORSRule{AllowedOrigins: []string{"*"}, AllowedMethods: []string{}}), "MalformedXML")
	for _, bad := range []types.CORSRule{rule("*.*", "GET", "*", "a"), rule("*", "OPTIONS", "*", "a"), rule("*", "GET", "*-*", "a"), rule("*", "GET", "*", "*")} {
		wantCode(t, put(bad), "InvalidRequest")
	}
	if err := put(rule("https://*.example.com", "GET", "*", "ETag")); err != nil {
		t.Fatal(err)
	}
	r := ok(cl.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: name}))(t).CORSRules
	if len(r) != 1 || r[0].AllowedOrigins[0] != "https://*.example.com" || r[0].ExposeHeaders[0] != "ETag" || *r[0].MaxAgeSeconds != 5 || r[0].ID != nil {
		t.Errorf("rules %+v", r)
	}
	ok(cl.DeleteBucketCors(ctx, &s3.DeleteBucketCorsInput{Bucket: name}))(t)
	_, err = cl.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: name})
	wantCode(t, err, "NoSuchCORSConfiguration")
}
