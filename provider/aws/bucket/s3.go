package bucket

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"golang.org/x/sync/errgroup"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/network"
	"github.com/ovi-project/ovi/resource"
)

// bucketsAtOnce bounds the parallel calls about single buckets: the list of S3 holds only names.
// The calls about one bucket follow each other, so a list has at most that many open requests.
const bucketsAtOnce = 8

// bucket is a bucket with what was read about it. If denied is set, only name and listed are set
// with it. If details is not set, the fields after it were not read, and their zero values say
// nothing about the bucket. An empty policy means that the bucket has no policy.
type bucket struct {
	name    string
	listed  types.Bucket
	denied  error // it exists, and may not be read
	tags    map[string]string
	details bool // the rest was read
	version bool
	blocked bool
	cipher  string
	key     string
	owner   string
	policy  string
	ages    []types.LifecycleRule
	origins []types.CORSRule
}

// buckets reads the account's buckets of this region with their tags, and those with ovi's tags in
// full. One that may not be read is listed as denied and affects no other. A list that misses a
// bucket would let a plan create it again, so every other error makes the list fail. Amazon S3 API
// Reference, ListBuckets: the region of the filter must be the region of the endpoint. If an
// endpoint ignores the filter, readBucket omits the buckets of other regions.
func buckets(ctx context.Context, g *api.Region) ([]bucket, error) {
	listed, err := api.Pages(ctx, "s3.ListBuckets",
		func(ctx context.Context, token *string) ([]types.Bucket, *string, error) {
			out, err := g.S3.ListBuckets(ctx, &s3.ListBucketsInput{
				MaxBuckets:   aws.Int32(api.S3Page),
				BucketRegion: aws.String(g.Name), ContinuationToken: token,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Buckets, out.ContinuationToken, nil
		})
	if err != nil {
		return nil, err
	}
	// Each goroutine writes only its own element, and the result keeps the order of the list.
	read := make([]*bucket, len(listed))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(bucketsAtOnce)
	for i, b := range listed {
		work.Go(func() (err error) {
			read[i], err = readBucket(ctx, g, b)
			if provider.CauseOf(err) == provider.Denied {
				read[i], err = &bucket{name: aws.ToString(b.Name), listed: b, denied: err}, nil
			}
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	var out []bucket
	for _, b := range read {
		// A nil element is a bucket of another region, or a bucket that was deleted after the list
		// was read.
		if b != nil {
			out = append(out, *b)
		}
	}
	return out, nil
}

// readBucket reads one bucket; nil if it is in another region or deleted since. An endpoint that
// reports no region in its list costs a HeadBucket for each bucket. A denied call is an error with
// its cause, and the caller decides about it.
func readBucket(ctx context.Context, g *api.Region, listed types.Bucket) (*bucket, error) {
	name := aws.ToString(listed.Name)
	where := aws.ToString(listed.BucketRegion)
	if where == "" {
		var err error
		if where, err = bucketRegion(ctx, g, name); api.Absent(err) {
			return nil, nil
		} else if err != nil {
			return nil, about(name, err)
		}
	}
	if where != g.Name {
		return nil, nil
	}
	b := &bucket{name: name, listed: listed}
	err := fillBucket(ctx, g, b, false)
	// Amazon S3 User Guide, "Amazon S3 data consistency model": after a deletion, the bucket might
	// still appear in the list.
	if api.HasCode(err, "NoSuchBucket") {
		return nil, nil
	}
	return b, about(name, err)
}

// about returns an error with the name of its bucket, or nil. An error about one bucket can end the
// list of all buckets, so it must name the bucket. The error is wrapped and keeps its cause.
func about(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("bucket %s: %w", name, err)
}

// bucketRegion finds the region of a bucket; NotFound if it does not exist. HeadBucket answers
// without a body, so the status alone decides: 301 names another region, 403 means that access is
// denied (Amazon S3 API Reference, HeadBucket). A 301 that names no region is returned as an error.
// A bucket whose answer names no region counts as a bucket of this region.
func bucketRegion(ctx context.Context, g *api.Region, name string) (string, error) {
	out, err := g.S3.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String(name)})
	if err != nil {
		if r := movedTo(err); r != "" {
			return r, nil
		}
		return "", api.Classify("", err)
	}
	if r := aws.ToString(out.BucketRegion); r != "" {
		return r, nil
	}
	return g.Name, nil
}

// fillBucket reads the tags, and the rest if the bucket has ovi's tags or whole is set. An
// unmanaged bucket is only reported, which needs no settings and no permission to read them. whole
// is set if the caller knows the bucket by a request or by the audit log: a managed bucket that has
// lost its tags is still read in full.
func fillBucket(ctx context.Context, g *api.Region, b *bucket, whole bool) error {
	out, err := g.S3.GetBucketTagging(ctx, &s3.GetBucketTaggingInput{Bucket: aws.String(b.name)})
	switch {
	// The bucket exists and has no tags (Amazon S3 API Reference, GetBucketTagging). The table of
	// causes takes this code for an absent resource, so otherwise the bucket would pass for
	// deleted.
	case api.HasCode(err, "NoSuchTagSet"):
		b.tags = map[string]string{}
	case err != nil:
		return api.Classify("", err)
	default:
		b.tags = s3TagMap(out.TagSet)
	}
	if !whole && b.tags[api.TagManaged] != "true" {
		return nil
	}
	b.details = true
	return fillDetails(ctx, g, b)
}

func s3TagMap(tags []types.Tag) map[string]string {
	out := make(map[string]string, len(tags))
	for _, t := range tags {
		out[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return out
}

// s3Tags returns tags sorted by their keys, so that equal tags make equal requests.
func s3Tags(tags map[string]string) []types.Tag {
	out := make([]types.Tag, 0, len(tags))
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return out
}

// observedBucket converts a bucket to a resource. A bucket that may not be read is unreadable,
// never missing. A setting that was not read is omitted. This differs from an empty policy and from
// an empty list of rules, which are observed values. Since comes from the list alone: a read by
// name does not have it.
func observedBucket(g *api.Region, b bucket) resource.Observed {
	o := resource.Observed{ID: b.name, Health: resource.Healthy, Since: aws.ToTime(b.listed.CreationDate)}
	if b.denied != nil {
		o.SetUnreadable(b.denied.Error())
		g.Identify(&o, api.KindS3, b.name, nil)
		return o
	}
	a := api.Attrs{"bucket": resource.String(b.name)}
	if b.details {
		a["versioning"] = resource.Bool(b.version)
		a["block_public_access"] = resource.Bool(b.blocked)
		a.Text("encryption", &b.cipher)
		a.Text("kms_key", &b.key)
		a.Text(ownershipAttr, &b.owner)
		a[network.PolicyAttr] = resource.String(api.CanonicalDocument(b.policy))
		a[lifecycleAttr] = agesOf(b.ages)
		a[corsAttr] = corsOf(b.origins)
	}
	o.Attrs = a.Build()
	g.Identify(&o, api.KindS3, b.name, b.tags)
	return o
}

// readBucketByName returns one bucket with all its settings. A bucket of the name in another region
// is absent: S3 does not move a bucket, so it is not the bucket that the caller means. A denied
// read is an error and never an absence.
func readBucketByName(ctx context.Context, g *api.Region, name string) (resource.Observed, error) {
	where, err := bucketRegion(ctx, g, name)
	if err == nil && where != g.Name {
		err = &provider.Error{
			Cause: provider.Configuration, Absent: true, Op: "s3.HeadBucket",
			Err: fmt.Errorf("bucket %s is in %s, not in %s", name, where, g.Name),
		}
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return bucketNow(ctx, g, name)
}

// bucketName returns the name of a bucket in AWS: the attribute bucket or, if it is not set, the
// name of the resource.
func bucketName(r provider.Request) string {
	if s, ok := api.Text(r.Desired.Attrs, "bucket"); ok && s != "" {
		return s
	}
	return r.Desired.Ref.Name
}

// checkBucket asks whether the name is free among all accounts. A bucket that has the name already
// is not checked, and a name that another resource determines is checked at the creation.
func checkBucket(ctx context.Context, g *api.Region, r provider.Request) error {
	name := bucketName(r)
	if name == r.Have.ID || api.Unresolved(r.Desired.Attrs, "bucket") {
		return nil
	}
	where, err := bucketRegion(ctx, g, name)
	switch {
	case api.Absent(err):
		return nil
	case err != nil:
		return foreignBucket(name, err)
	}
	return isMine(ctx, g, r, name, where)
}

// loseBucket: AWS deletes only empty buckets, and ovi empties none.
func loseBucket(resource.Observed, resource.Attrs) string {
	return "bucket. AWS refuses to delete it while it holds objects."
}

// listBuckets returns all buckets of a region, whatever the filter of the sweep: only a call per
// bucket tells which buckets have ovi's tags.
func listBuckets(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := buckets(ctx, s.Region)
	return api.ObservedAs(s, all, err, observedBucket)
}

// replaceBucket: a bucket is replaced when its name changes, and then both can exist. If the name
// stays, the old bucket must be deleted first, and the replacement fails while it holds objects.
func replaceBucket(d resource.Desired, have resource.Observed) []resource.Strategy {
	if name, _ := bucketOf(&d); name != have.ID {
		return api.CreateFirst()
	}
	return api.DestroyFirst()
}
