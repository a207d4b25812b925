package bucket

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// bucketName is the form of a bucket name ("General purpose bucket naming
// rules"): 3 to 63 lower-case letters, digits, dots and hyphens.
var (
	bucketName = wire.Late(`^[a-z0-9]([a-z0-9.-]{1,61})[a-z0-9]$`)
	ipLike     = wire.Late(`^\d+\.\d+\.\d+\.\d+$`)
)

func validBucket(name string) bool {
	return bucketName.MatchString(name) && !ipLike.MatchString(name) && !strings.Contains(name, "..") &&
		!strings.HasPrefix(name, "xn--") && !strings.HasPrefix(name, "sthree-") && !strings.HasSuffix(name, "-s3alias") &&
		!strings.HasSuffix(name, "--ol-s3")
}

func empty(status int) wire.Raw { return wire.Raw{Status: status, Header: http.Header{}} }

func noBucket(name string) error {
	return wire.FailAs(404, "NoSuchBucket", "The specified bucket does not exist: %s", name)
}

// bucketOf finds the bucket of the request. A client that signs for another
// region than the bucket's is sent there, as AWS does since it cannot verify
// such a signature ("PermanentRedirect", "AuthorizationHeaderMalformed");
// us-east-1 answers for the names that it can look up.
func bucketOf(x *core.Exchange) (*bucket, error) {
	b, ok := core.Find[*bucket](x.Tx, "", x.Rest.Bucket)
	if !ok {
		return nil, noBucket(x.Rest.Bucket)
	}
	if b.Home != x.Region {
		return b, &wire.Error{
			Status: 301, Code: "PermanentRedirect", Home: b.Home,
			Message: "The bucket you are attempting to access must be addressed using the specified endpoint: it lives in " +
				b.Home + ". Please send all future requests to this endpoint.",
		}
	}
	return b, nil
}

type createConfig struct {
	XMLName  xml.Name `xml:"CreateBucketConfiguration"`
	Location string   `xml:"LocationConstraint"`
	Tags     []s3Tag  `xml:"Tags>Tag"`
}

// createBucket: the region must be named, except us-east-1, which must not be
// (S3 API reference: CreateBucket, IllegalLocationConstraintException).
func createBucket(x *core.Exchange) (any, error) {
	name := x.Rest.Bucket
	if !validBucket(name) {
		return nil, wire.Failf("InvalidBucketName", "The specified bucket is not valid: %s", name)
	}
	var in createConfig
	if len(x.Rest.Body) > 0 {
		if err := xml.Unmarshal(x.Rest.Body, &in); err != nil {
			return nil, malformed()
		}
	}
	switch {
	case in.Location == "us-east-1":
		return nil, wire.Failf("InvalidLocationConstraint", "The specified location-constraint is not valid")
	case in.Location == "" && x.Region != "us-east-1":
		return nil, wire.Failf("IllegalLocationConstraintException",
			"The unspecified location constraint is incompatible for the region specific endpoint this request was sent to.")
	case in.Location != "" && in.Location != x.Region:
		return nil, wire.Failf("IllegalLocationConstraintException",
			"The %s location constraint is incompatible for the region specific endpoint this request was sent to.", in.Location)
	}
	created := wire.Raw{Status: 200, Header: http.Header{"Location": {"/" + name}}}
	if old, there := core.Find[*bucket](x.Tx, "", name); there {
		// In us-east-1 AWS answers 200 to the owner, for the sake of old
		// clients, and resets the bucket's ACLs (S3 API reference: CreateBucket).
		if old.Home == "us-east-1" && x.Region == "us-east-1" {
			return created, nil
		}
		return nil, wire.FailAs(409, "BucketAlreadyOwnedByYou",
			"Your previous request to create the named bucket succeeded and you already own it.")
	}
	tags, err := tagMap(in.Tags)
	if err != nil {
		return nil, err
	}
	b := &bucket{
		Base: x.Tx.Named(name, ""), Home: x.Region, Encryption: encryption{Algorithm: "AES256"},
		Ownership: "BucketOwnerEnforced",
	}
	// New buckets block public access and encrypt ("Default settings for new
	// S3 buckets", April 2023).
	b.Block = &blocking{true, true, true, true}
	b.Tags = tags
	x.Tx.Put(b)
	return created, nil
}

func malformed() error {
	return wire.Failf("MalformedXML",
		"The XML you provided was not well-formed or did not validate against our published schema")
}

// headBucket tells the region even to those who ask in the wrong one (S3 API
// reference: HeadBucket).
func headBucket(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if b == nil {
		return nil, wire.FailAs(404, "NotFound", "Not Found")
	}
	out := wire.Raw{Status: 200, Header: http.Header{"X-Amz-Bucket-Region": {b.Home}}}
	if err != nil {
		out.Status = 301
	}
	return out, nil
}

func bucketLocation(x *core.Exchange) (any, error) {
	b, ok := core.Find[*bucket](x.Tx, "", x.Rest.Bucket)
	if !ok {
		return nil, noBucket(x.Rest.Bucket)
	}
	home := b.Home
	if home == "us-east-1" {
		home = "" // null, for the oldest region (S3 API reference: GetBucketLocation)
	}
	return struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ LocationConstraint"`
		Value   string   `xml:",chardata"`
	}{Value: home}, nil
}

func deleteBucket(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if len(objects(x, b.ID)) > 0 {
		return nil, wire.FailAs(409, "BucketNotEmpty", "The bucket you tried to delete is not empty")
	}
	x.Tx.Drop(b)
	return empty(204), nil
}

type xmlBucket struct {
	Name   string
	Made   time.Time `xml:"CreationDate"`
	Region string    `xml:"BucketRegion"`
	ARN    string    `xml:"BucketArn"`
}

// listBuckets lists the buckets of every region in order of their names (S3
// API reference: ListBuckets).
func listBuckets(x *core.Exchange) (any, error) {
	q := x.Rest.Query
	all := core.List[*bucket](x.Tx, "")
	slices.SortFunc(all, func(a, b *bucket) int { return strings.Compare(a.ID, b.ID) })
	size := 10000
	if s := q.Get("max-buckets"); s != "" {
		if size = wire.Atoi(s); size < 1 || size > 10000 {
			return nil, wire.Failf("InvalidArgument", "Argument max-buckets must be an integer between 1 and 10000")
		}
	}
	after, err := afterName(q.Get("continuation-token"))
	if err != nil {
		return nil, err
	}
	out := struct {
		XMLName xml.Name    `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListAllMyBucketsResult"`
		Owner   string      `xml:"Owner>ID"`
		Buckets []xmlBucket `xml:"Buckets>Bucket"`
		Next    string      `xml:"ContinuationToken,omitempty"`
		Prefix  string      `xml:",omitempty"`
	}{Owner: "practice", Prefix: q.Get("prefix")}
	for _, b := range all {
		if b.ID <= after || !strings.HasPrefix(b.ID, q.Get("prefix")) ||
			q.Get("bucket-region") != "" && q.Get("bucket-region") != b.Home {
			continue
		}
		if len(out.Buckets) == size {
			out.Next = nameToken(wire.PageOf(x.Call)+1, out.Buckets[size-1].Name)
			break
		}
		out.Buckets = append(out.Buckets, xmlBucket{b.ID, b.Made, b.Home, "arn:aws:s3:::" + b.ID})
	}
	return out, nil
}
