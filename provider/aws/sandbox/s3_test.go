package sandbox_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
)

func s3Of(c http.RoundTripper, region string, pathStyle bool) *s3.Client {
	return s3.NewFromConfig(config(c, region), func(o *s3.Options) { o.UsePathStyle = pathStyle })
}

func bucketIn(name, region string) *s3.CreateBucketInput {
	in := &s3.CreateBucketInput{Bucket: &name}
	if region != "us-east-1" {
		in.CreateBucketConfiguration = &types.CreateBucketConfiguration{LocationConstraint: types.BucketLocationConstraint(region)}
	}
	return in
}

func TestBucketsInBothStyles(t *testing.T) {
	for _, pathStyle := range []bool{true, false} {
		t.Run(fmt.Sprintf("path style %v", pathStyle), func(t *testing.T) {
			c, _ := open(t)
			here, there := s3Of(c, "us-east-1", pathStyle), s3Of(c, "eu-west-1", pathStyle)
			ok(here.CreateBucket(ctx, bucketIn("here", "us-east-1")))(t)
			in := bucketIn("there", "eu-west-1")
			in.CreateBucketConfiguration.Tags = []types.Tag{{Key: aws.String("ovi:ref"), Value: aws.String("r")}}
			ok(there.CreateBucket(ctx, in))(t)
			_, err := there.CreateBucket(ctx, bucketIn("there", "eu-west-1"))
			wantCode(t, err, "BucketAlreadyOwnedByYou")
			_, err = there.CreateBucket(ctx, bucketIn("other", "us-east-1"))
			wantCode(t, err, "IllegalLocationConstraintException")
			_, err = here.CreateBucket(ctx, bucketIn("Bad_Name", "us-east-1"))
			wantCode(t, err, "InvalidBucketName")
			head := ok(there.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String("there")}))(t)
			loc := ok(here.GetBucketLocation(ctx, &s3.GetBucketLocationInput{Bucket: aws.String("here")}))(t)
			if aws.ToString(head.BucketRegion) != "eu-west-1" || loc.LocationConstraint != "" {
				t.Errorf("regions %v and %q", head.BucketRegion, loc.LocationConstraint)
			}
			tags := ok(there.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: aws.String("there")}))(t).TagSet
			if len(tags) != 1 || *tags[0].Key != "ovi:ref" {
				t.Errorf("tags %v", tags)
			}
			_, err = here.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: aws.String("there")})
			wantCode(t, err, "PermanentRedirect")
			_, err = here.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String("none")})
			wantCode(t, err, "NotFound")
		})
	}
}

func TestBucketListsArePaged(t *testing.T) {
	c, _ := open(t)
	cl := s3Of(c, "us-east-1", true)
	for i := range 7 {
		ok(cl.CreateBucket(ctx, bucketIn(fmt.Sprintf("app-%d", i), "us-east-1")))(t)
	}
	ok(cl.CreateBucket(ctx, bucketIn("zoo", "us-east-1")))(t)
	pages := s3.NewListBucketsPaginator(cl, &s3.ListBucketsInput{Prefix: aws.String("app-"), MaxBuckets: aws.Int32(3)})
	var names []string
	n := 0
	for ; pages.HasMorePages(); n++ {
		for _, b := range ok(pages.NextPage(ctx))(t).Buckets {
			names = append(names, *b.Name+"@"+*b.BucketRegion)
		}
	}
	if n != 3 || len(names) != 7 || names[6] != "app-6@us-east-1" {
		t.Errorf("%d pages: %v", n, names)
	}
}

func TestBucketSettings(t *testing.T) {
	c, _ := open(t)
	cl := s3Of(c, "us-east-1", false)
	name := aws.String("bbb")
	ok(cl.CreateBucket(ctx, bucketIn("bbb", "us-east-1")))(t)
	_, err := cl.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: name})
	wantCode(t, err, "NoSuchTagSet")
	put := func(keys ...string) {
		var set []types.Tag
		for _, k := range keys {
			set = append(set, types.Tag{Key: aws.String(k), Value: aws.String("v")})
		}
		ok(cl.PutBucketTagging(ctx, &s3.PutBucketTaggingInput{Bucket: name, Tagging: &types.Tagging{TagSet: set}}))(t)
	}
	put("a", "b")
	put("c")
	if tags := ok(cl.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: name}))(t).TagSet; len(tags) != 1 || *tags[0].Key != "c" {
		t.Errorf("PutBucketTagging replaces the whole set; there is %v", tags)
	}
	if v := ok(cl.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: name}))(t); v.Status != "" {
		t.Errorf("new bucket: versioning %s", v.Status)
	}
	ok(cl.PutBucketVersioning(ctx, &s3.PutBucketVersioningInput{Bucket: name, VersioningConfiguration: &types.VersioningConfiguration{Status: "Enabled"}}))(t)
	if v := ok(cl.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: name}))(t); v.Status != "Enabled" {
		t.Errorf("versioning %s", v.Status)
	}
	block := ok(cl.GetPublicAccessBlock(ctx, &s3.GetPublicAccessBlockInput{Bucket: name}))(t).PublicAccessBlockConfiguration
	if !*block.BlockPublicAcls || !*block.RestrictPublicBuckets {
		t.Error("a new bucket does not block public access")
	}
	ok(cl.DeletePublicAccessBlock(ctx, &s3.DeletePublicAccessBlockInput{Bucket: name}))(t)
	_, err = cl.GetPublicAccessBlock(ctx, &s3.GetPublicAccessBlockInput{Bucket: name})
	wantCode(t, err, "NoSuchPublicAccessBlockConfiguration")
	ok(cl.PutPublicAccessBlock(ctx, &s3.PutPublicAccessBlockInput{Bucket: name, PublicAccessBlockConfiguration: &types.PublicAccessBlockConfiguration{BlockPublicAcls: aws.Bool(true)}}))(t)
	block = ok(cl.GetPublicAccessBlock(ctx, &s3.GetPublicAccessBlockInput{Bucket: name}))(t).PublicAccessBlockConfiguration
	if !*block.BlockPublicAcls || *block.BlockPublicPolicy {
		t.Errorf("block %+v", block)
	}
	sse := func() types.ServerSideEncryptionByDefault {
		return *ok(cl.GetBucketEncryption(ctx, &s3.GetBucketEncryptionInput{Bucket: name}))(t).ServerSideEncryptionConfiguration.Rules[0].ApplyServerSideEncryptionByDefault
	}
	if got := sse(); got.SSEAlgorithm != "AES256" {
		t.Errorf("default encryption %s", got.SSEAlgorithm)
	}
	rule := types.ServerSideEncryptionRule{ApplyServerSideEncryptionByDefault: &types.ServerSideEncryptionByDefault{SSEAlgorithm: "aws:kms", KMSMasterKeyID: aws.String("alias/k")}}
	ok(cl.PutBucketEncryption(ctx, &s3.PutBucketEncryptionInput{Bucket: name, ServerSideEncryptionConfiguration: &types.ServerSideEncryptionConfiguration{Rules: []types.ServerSideEncryptionRule{rule}}}))(t)
	if got := sse(); got.SSEAlgorithm != "aws:kms" || *got.KMSMasterKeyID != "alias/k" {
		t.Errorf("encryption %+v", got)
	}
	_, err = cl.GetBucketWebsite(ctx, &s3.GetBucketWebsiteInput{Bucket: name})
	wantCode(t, err, "NotImplemented")
}

func TestABucketWithObjectsIsNotDeleted(t *testing.T) {
	c, _ := open(t)
	cl := s3Of(c, "us-east-1", false)
	name, key := aws.String("full"), aws.String("a/b c+d.txt")
	ok(cl.CreateBucket(ctx, bucketIn("full", "us-east-1")))(t)
	ok(cl.PutObject(ctx, &s3.PutObjectInput{Bucket: name, Key: key, Body: strings.NewReader("hello")}))(t)
	got := ok(cl.GetObject(ctx, &s3.GetObjectInput{Bucket: name, Key: key}))(t)
	if text, err := io.ReadAll(got.Body); err != nil || string(text) != "hello" {
		t.Errorf("object %q (%v)", text, err)
	}
	objects := ok(cl.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: name}))(t).Contents
	if len(objects) != 1 || *objects[0].Key != *key {
		t.Errorf("objects %v", objects)
	}
	_, err := cl.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name})
	wantCode(t, err, "BucketNotEmpty")
	ok(cl.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: name, Key: key}))(t)
	ok(cl.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name}))(t)
	_, err = cl.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: name})
	wantCode(t, err, "NoSuchBucket")
}

func TestPublicParametersNameTheCurrentImage(t *testing.T) {
	c, _ := open(t)
	cl := ssm.NewFromConfig(config(c, "us-east-1"))
	const linux = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-"
	for arch, size := range map[string]string{"x86_64": "t3.micro", "arm64": "t4g.micro"} {
		out := ok(cl.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String(linux + arch)}))(t)
		in := runInput("")
		in.ImageId = out.Parameter.Value
		in.InstanceType = "t3.micro"
		if size == "t4g.micro" {
			in.InstanceType = "t4g.micro"
		}
		ok(ec2Of(c).RunInstances(ctx, in))(t)
	}
	_, err := cl.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String("/mine")})
	wantCode(t, err, "ParameterNotFound")
}
