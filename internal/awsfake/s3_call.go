package awsfake

import (
	"net/http"
	"strings"
)

func bucketActions() map[string]map[string]handler {
	return map[string]map[string]handler{"s3": {
		"ListBuckets": listBuckets, "CreateBucket": createBucket, "HeadBucket": headBucket, "DeleteBucket": deleteBucket,
		"GetBucketLocation": bucketLocation,
		"GetBucketTagging":  getBucketTags, "PutBucketTagging": putBucketTags, "DeleteBucketTagging": deleteBucketTags,
		"GetBucketVersioning": getVersioning, "PutBucketVersioning": putVersioning,
		"GetBucketPublicAccessBlock": getBlock, "PutBucketPublicAccessBlock": putBlock, "DeleteBucketPublicAccessBlock": deleteBlock,
		"GetBucketEncryption": getEncryption, "PutBucketEncryption": putEncryption, "DeleteBucketEncryption": deleteEncryption,
		"GetBucketOwnershipControls": getOwnership, "PutBucketOwnershipControls": putOwnership, "DeleteBucketOwnershipControls": deleteOwnership,
		"GetBucketPolicy": getPolicy, "PutBucketPolicy": putPolicy, "DeleteBucketPolicy": deletePolicy,
		"GetBucketLifecycleConfiguration": getLifecycle, "PutBucketLifecycleConfiguration": putLifecycle, "DeleteBucketLifecycle": deleteLifecycle,
		"GetBucketCors": getCORS, "PutBucketCors": putCORS, "DeleteBucketCors": deleteCORS,
		"GetBucketAbac": getAbac, "PutBucketAbac": putAbac, "TagResource": tagBucketByControl, "UntagResource": untagBucketByControl,
		"ListObjectsV2": listObjects, "ListObjectVersions": listVersions,
		"PutObject": putObject, "GetObject": getObject, "HeadObject": headObject, "DeleteObject": deleteObject, "DeleteObjects": deleteObjects,
	}}
}

// subresources are the query names that choose another action on a bucket.
func subresources() map[string]string {
	return map[string]string{
		"tagging": "BucketTagging", "versioning": "BucketVersioning", "publicAccessBlock": "BucketPublicAccessBlock",
		"encryption": "BucketEncryption", "location": "BucketLocation", "ownershipControls": "BucketOwnershipControls",
		"policy": "BucketPolicy", "acl": "BucketAcl", "cors": "BucketCors", "lifecycle": "BucketLifecycleConfiguration", "logging": "BucketLogging",
		"website": "BucketWebsite", "replication": "BucketReplication", "notification": "BucketNotification", "object-lock": "ObjectLock",
		"accelerate": "BucketAccelerate", "requestPayment": "BucketRequestPayment", "policyStatus": "BucketPolicyStatus",
		"uploads": "MultipartUploads", "inventory": "BucketInventory", "metrics": "BucketMetrics", "analytics": "BucketAnalytics",
		"intelligent-tiering": "BucketIntelligentTiering", "abac": "BucketAbac",
	}
}

// virtualHost matches the hosts that name a bucket ("Virtual hosting of
// buckets"), on AWS's names and, for a sandbox that is served, on localhost.
var virtualHost = late(`^(.+)\.(?:s3[.-][a-z0-9.-]*amazonaws\.com|s3\.localhost|localhost)$`)

func (c *call) parseREST(r *http.Request, body []byte) error {
	path := strings.TrimPrefix(r.URL.Path, "/")
	rest := &restCall{Query: r.URL.Query(), Header: r.Header, Body: body}
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	host, _, _ = strings.Cut(host, ":")
	if arn, ok := strings.CutPrefix(r.URL.Path, "/v20180820/tags/"); ok { // S3 Control
		_, rest.Bucket, _ = strings.Cut(arn, ":s3:::")
		c.rest, c.Action = rest, map[string]string{http.MethodPost: "TagResource", http.MethodDelete: "UntagResource"}[r.Method]
		return nil
	}
	if m := virtualHost.FindStringSubmatch(host); m != nil {
		rest.Bucket, rest.Key = m[1], path
	} else {
		rest.Bucket, rest.Key, _ = strings.Cut(path, "/")
	}
	c.rest = rest
	c.Action = s3Action(r.Method, rest)
	if c.Action == "" {
		return failAs(405, "MethodNotAllowed", "The specified method is not allowed against this resource.")
	}
	if strings.Contains(r.Header.Get("Content-Encoding"), "aws-chunked") {
		plain, err := unchunk(body)
		if err != nil {
			return err
		}
		rest.Body = plain
	}
	return nil
}

// s3Action names the action that a method, a path and a query stand for.
func s3Action(method string, r *restCall) string {
	verb := map[string]string{"GET": "Get", "PUT": "Put", "DELETE": "Delete", "HEAD": "Head", "POST": "Post"}[method]
	switch {
	case r.Bucket == "":
		if method == "GET" {
			return "ListBuckets"
		}
		return ""
	case r.Key != "":
		for _, sub := range []string{"tagging", "acl", "uploads", "uploadId", "retention", "legal-hold", "attributes"} {
			if r.Query.Has(sub) {
				return verb + "Object-" + sub
			}
		}
		if method == "POST" {
			return ""
		}
		return verb + "Object"
	}
	for sub, name := range subresources() {
		if r.Query.Has(sub) {
			return strings.Replace(verb+name, "DeleteBucketLifecycleConfiguration", "DeleteBucketLifecycle", 1)
		}
	}
	return bucketAction(method, r)
}

func bucketAction(method string, r *restCall) string {
	switch method {
	case "PUT":
		return "CreateBucket"
	case "HEAD":
		return "HeadBucket"
	case "DELETE":
		return "DeleteBucket"
	case "POST":
		if r.Query.Has("delete") {
			return "DeleteObjects"
		}
	case "GET":
		if r.Query.Has("versions") {
			return "ListObjectVersions"
		}
		return "ListObjectsV2"
	}
	return ""
}
