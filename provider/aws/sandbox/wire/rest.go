package wire

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// virtualHost matches the hosts that name a bucket ("Virtual hosting of
// buckets"), on AWS's names and, for a sandbox that is served, on localhost.
var virtualHost = Late(`^(.+)\.(?:s3[.-][a-z0-9.-]*amazonaws\.com|s3\.localhost|localhost)$`)

func (c *Call) parseREST(r *http.Request, body []byte) error {
	path := strings.TrimPrefix(r.URL.Path, "/")
	rest := &RestCall{Query: r.URL.Query(), Header: r.Header, Body: body}
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	host, _, _ = strings.Cut(host, ":")
	if arn, ok := strings.CutPrefix(r.URL.Path, "/v20180820/tags/"); ok { // S3 Control
		_, rest.Bucket, _ = strings.Cut(arn, ":s3:::")
		c.Rest, c.Action = rest, map[string]string{
			http.MethodPost:   "TagResource",
			http.MethodDelete: "UntagResource",
		}[r.Method]
		return nil
	}
	if m := virtualHost.FindStringSubmatch(host); m != nil {
		rest.Bucket, rest.Key = m[1], path
	} else {
		rest.Bucket, rest.Key, _ = strings.Cut(path, "/")
	}
	c.Rest = rest
	c.Action = s3Action(r.Method, rest)
	if c.Action == "" {
		return FailAs(405, "MethodNotAllowed", "The specified method is not allowed against this resource.")
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
func s3Action(method string, r *RestCall) string {
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
	for sub, name := range map[string]string{ // the query names that choose another action on a bucket
		"tagging": "BucketTagging", "versioning": "BucketVersioning", "publicAccessBlock": "BucketPublicAccessBlock",
		"encryption": "BucketEncryption", "location": "BucketLocation", "ownershipControls": "BucketOwnershipControls",
		"policy": "BucketPolicy", "acl": "BucketAcl", "cors": "BucketCors", "lifecycle": "BucketLifecycleConfiguration",
		"logging": "BucketLogging",
		"website": "BucketWebsite", "replication": "BucketReplication", "notification": "BucketNotification",
		"object-lock": "ObjectLock",
		"accelerate":  "BucketAccelerate", "requestPayment": "BucketRequestPayment", "policyStatus": "BucketPolicyStatus",
		"uploads": "MultipartUploads", "inventory": "BucketInventory", "metrics": "BucketMetrics",
		"analytics":           "BucketAnalytics",
		"intelligent-tiering": "BucketIntelligentTiering", "abac": "BucketAbac",
	} {
		if r.Query.Has(sub) {
			return strings.Replace(verb+name, "DeleteBucketLifecycleConfiguration", "DeleteBucketLifecycle", 1)
		}
	}
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

// parseDNS names the action that a method and a path stand for (Route 53 API reference).
func (c *Call) parseDNS(r *http.Request, body []byte) error {
	parts := strings.Split(strings.Trim(strings.TrimPrefix(r.URL.Path, "/2013-04-01"), "/"), "/")
	c.Rest = &RestCall{Query: r.URL.Query(), Header: r.Header, Body: body}
	if len(parts) > 1 {
		c.Rest.Bucket = parts[1]
	}
	shape := r.Method + " " + parts[0] + strings.Repeat("/*", min(len(parts)-1, 1))
	if len(parts) > 2 {
		shape += "/" + parts[2]
	}
	if parts[0] == "tags" && len(parts) > 2 {
		shape, c.Rest.Bucket = "POST tags/*/*", parts[2]
	}
	c.Action = map[string]string{
		"POST hostedzone": "CreateHostedZone", "GET hostedzone": "ListHostedZones",
		"GET hostedzonesbyname": "ListHostedZonesByName",
		"GET hostedzone/*":      "GetHostedZone", "POST hostedzone/*": "UpdateHostedZoneComment",
		"DELETE hostedzone/*":     "DeleteHostedZone",
		"POST hostedzone/*/rrset": "ChangeResourceRecordSets", "GET hostedzone/*/rrset": "ListResourceRecordSets",
		"GET change/*": "GetChange", "POST tags/*": "ListTagsForResources", "POST tags/*/*": "ChangeTagsForResource",
	}[shape]
	if c.Action == "" {
		return FailAs(405, "MethodNotAllowed", "The specified method is not allowed against this resource.")
	}
	return nil
}

// unchunk takes the aws-chunked framing off a body ("Signature calculations:
// transferring payload in multiple chunks").
func unchunk(body []byte) ([]byte, error) {
	bad := Failf("IncompleteBody", "The request body is not in the aws-chunked form that its header announces.")
	var out []byte
	for {
		line, rest, ok := bytes.Cut(body, []byte("\r\n"))
		if !ok {
			return nil, bad
		}
		size, _, _ := strings.Cut(string(line), ";")
		n, err := strconv.ParseUint(size, 16, 31)
		if err != nil {
			return nil, bad
		}
		if n == 0 {
			return out, nil // trailers, checksums, may follow
		}
		if uint64(len(rest)) < n+2 {
			return nil, bad
		}
		out = append(out, rest[:n]...)
		body = rest[n+2:]
	}
}
