package bucket

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// movedTo reads the region of a bucket from the answer that it is elsewhere. It is empty for every
// other error. HeadBucket has no body, so the header names the region.
func movedTo(err error) string {
	var r *smithyhttp.ResponseError
	if errors.As(err, &r) && r.Response != nil && r.HTTPStatusCode() == http.StatusMovedPermanently {
		return r.Response.Header.Get("X-Amz-Bucket-Region")
	}
	return ""
}

// createBucket checks first whether the bucket exists: creating one that the account already has
// resets its access lists in us-east-1 (Amazon S3 API Reference, CreateBucket, error
// BucketAlreadyOwnedByYou). The settings follow in calls of their own. A crash before the last of
// them leaves a bucket with the key of the request, and the next attempt finds it and makes all
// settings again.
func createBucket(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	b := bucket{name: bucketName(r)}
	where, err := bucketRegion(ctx, g, b.name)
	switch {
	case err == nil:
		if err := isMine(ctx, g, r, b.name, where); err != nil {
			return resource.Observed{}, err
		}
	case !api.Absent(err):
		return resource.Observed{}, foreignBucket(b.name, err)
	default:
		if err := makeBucket(ctx, g, r, b.name); err != nil {
			return resource.Observed{}, err
		}
	}
	all := func(string) bool { return true }
	if err := shapeBucket(ctx, g, b.name, r.Desired.Attrs, all); err != nil {
		return resource.Observed{}, err
	}
	var o resource.Observed
	err = repeatedly(ctx, g, func() error {
		o, err = bucketNow(ctx, g, b.name)
		return err
	})
	return o, err
}

// foreignBucket turns a denied read of an existing name into a conflict of names, and returns every
// other error unchanged. Names are shared by all accounts, so the bucket is most likely not one of
// this account, and more permissions would not help.
func foreignBucket(name string, err error) error {
	if provider.CauseOf(err) == provider.Denied {
		return api.InUse("s3.HeadBucket", fmt.Errorf("bucket %s exists and may not be read: %w", name, err),
			"use another name with bucket: it most likely belongs to another account")
	}
	return err
}

// isMine is nil if an existing bucket was created by this request. where is the region in which the
// bucket exists. A bucket of another region cannot be the result of this request. In this region
// the key in the tags decides: without it, the name is taken.
func isMine(ctx context.Context, g *api.Region, r provider.Request, name, where string) error {
	if where != g.Name {
		return api.InUse("s3.HeadBucket", fmt.Errorf("bucket %s exists in %s", name, where),
			"use another name with bucket: names are unique among all regions")
	}
	b := bucket{name: name}
	if err := fillBucket(ctx, g, &b, false); err != nil {
		return foreignBucket(name, err)
	}
	if o := observedBucket(g, b); o.Marks.IsZero() || o.Marks.Key != r.Key {
		return api.Taken(o, r)
	}
	return nil
}

// makeBucket creates a bucket together with its tags, so that the key identifies it after a crash.
// Without a location constraint the bucket is created in us-east-1, which S3 does not accept as one
// (Amazon S3 API Reference, CreateBucket). OperationAborted means that a bucket of the name is
// still being created or deleted. The tags need the permission s3:TagResource
// (CreateBucketConfiguration).
func makeBucket(ctx context.Context, g *api.Region, r provider.Request, name string) error {
	tags := g.BirthTags(r, false)
	in := &s3.CreateBucketInput{
		Bucket:                    aws.String(name),
		CreateBucketConfiguration: &types.CreateBucketConfiguration{Tags: s3Tags(tags)},
	}
	if g.Name != "us-east-1" {
		in.CreateBucketConfiguration.LocationConstraint = types.BucketLocationConstraint(g.Name)
	}
	err := g.Patiently(ctx, g.Wait.Free, func() error {
		_, err := g.S3.CreateBucket(ctx, in)
		return api.Classify("", err)
	}, "OperationAborted")
	// an earlier call whose answer was lost, or another one at this moment
	if api.HasCode(err, "BucketAlreadyOwnedByYou") {
		return isMine(ctx, g, r, name, g.Name)
	}
	if err != nil {
		return err
	}
	// A service that ignores tags at creation gets them again. Other tags of the bucket are kept. Until such a service
	// has the tags, a crash leaves a bucket without a key, which the next attempt reports as taken.
	have, err := bucketTags(ctx, g, name)
	if err != nil {
		return err
	}
	if maps.Equal(have, tags) {
		return nil
	}
	before := maps.Clone(have)
	maps.Copy(have, tags)
	return putTags(ctx, g, name, before, have)
}

// bucketTags reads the tags of a bucket; the map is empty if there are none. A new bucket may not
// be visible yet, so NoSuchBucket is repeated for the wait of propagation.
func bucketTags(ctx context.Context, g *api.Region, name string) (tags map[string]string, err error) {
	err = g.Patiently(ctx, g.Wait.Appear, func() error {
		out, err := g.S3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: aws.String(name)})
		if api.HasCode(err, "NoSuchTagSet") {
			tags = map[string]string{}
			return nil
		}
		if err != nil {
			return api.Classify("", err)
		}
		tags = s3TagMap(out.TagSet)
		return nil
	}, "NoSuchBucket")
	return tags, err
}

// repeatedly makes a call about a bucket that may have been created a moment ago, or have another change
// under way. Amazon S3 API Reference, PutBucketTagging: OperationAborted means "A conflicting
// conditional action is currently in progress against this resource. Please try again." A bucket
// that was deleted meanwhile takes the whole wait before its error is returned.
func repeatedly(ctx context.Context, g *api.Region, try func() error) error {
	return g.Patiently(ctx, g.Wait.Appear, func() error { return api.Classify("", try()) }, "NoSuchBucket",
		"OperationAborted")
}

// bucketNow reads a bucket with all its settings, without a wait. If the bucket does not exist, the
// error is absent.
func bucketNow(ctx context.Context, g *api.Region, name string) (resource.Observed, error) {
	b := bucket{name: name}
	err := fillBucket(ctx, g, &b, true)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedBucket(g, b), nil
}

// tagBucket reads the tags before it writes them: S3 replaces the whole set. A change of tags by
// another hand between the two calls is lost, because PutBucketTagging replaces the whole set. All
// other tags are sent again unchanged, because the call would remove them. If nothing differs,
// nothing is written.
func tagBucket(ctx context.Context, g *api.Region, name string, set map[string]string, drop []string) error {
	tags, err := bucketTags(ctx, g, name)
	if err != nil {
		return err
	}
	before := maps.Clone(tags)
	maps.Copy(tags, set)
	for _, k := range drop {
		delete(tags, k)
	}
	if maps.Equal(before, tags) {
		return nil
	}
	return putTags(ctx, g, name, before, tags)
}

// updateBucket sets the attributes that change, and reads the bucket. The tags of the user are
// already written when it is called.
func updateBucket(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	name := r.Have.ID
	if err := shapeBucket(ctx, g, name, r.Desired.Attrs,
		func(path string) bool { return api.Changed(r, path) }); err != nil {
		return resource.Observed{}, err
	}
	return bucketNow(ctx, g, name)
}

// deleteBucket deletes only the bucket that was observed: another one may have its name since, and
// only its key distinguishes the two. S3 deletes only an empty bucket (Amazon S3 API Reference,
// DeleteBucket), and a bucket that does not exist is success. If no key is known, the tags are not
// read and the name alone decides.
func deleteBucket(ctx context.Context, g *api.Region, r provider.Request) error {
	if r.Have.Marks.Key != "" {
		now, err := g.S3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: aws.String(r.Have.ID)})
		if api.HasCode(err, "NoSuchBucket") {
			return nil
		}
		if err != nil && !api.HasCode(err, "NoSuchTagSet") {
			return err
		}
		// A bucket without tags has lost its key, or it is a new bucket. A new plan decides which.
		if err != nil || s3TagMap(now.TagSet)[api.TagKey] != r.Have.Marks.Key {
			return api.InUse("s3.GetBucketTagging",
				fmt.Errorf("bucket %s no longer has the tag %s that was observed", r.Have.ID, api.TagKey), "run `ovi plan` again")
		}
	}
	_, err := g.S3.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: aws.String(r.Have.ID)})
	if api.Absent(err) {
		return nil
	}
	return err
}
