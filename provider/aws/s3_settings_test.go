package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func TestWhoOwnsTheObjectsOfABucket(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "s3", "acme-assets", values{"ownership": text("BucketOwnerPreferred")})
	w.make(d)
	w.settled(d, nil)
	must[*s3.DeleteBucketOwnershipControlsOutput](t)(w.s3().DeleteBucketOwnershipControls(t.Context(), &s3.DeleteBucketOwnershipControlsInput{Bucket: &d.Ref.Name}))
	seen, _ := w.find(d.Ref)
	if attr(seen, "ownership") != text("ObjectWriter") {
		t.Errorf("without controls it is %v", attr(seen, "ownership"))
	}
	w.mustUpdate(d, seen, nil)
	seen = w.settled(d, nil)
	d = desired(t, "s3", "acme-assets", values{"versioning": resource.Bool(true)})
	w.mustUpdate(d, seen, nil)
	if seen = w.settled(d, nil); attr(seen, "ownership") != text("BucketOwnerPreferred") {
		t.Errorf("what is not configured did not stay: %v", attr(seen, "ownership"))
	}
}

const publicPolicy = `{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject"], "Resource": "arn:aws:s3:::acme-assets/*"}}`

func TestThePolicyOfABucket(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	private := strings.Replace(publicPolicy, `"*"`, `{"AWS": "123456789012"}`, 1)
	d := desired(t, "s3", "acme-assets", values{"policy": text(private)})
	w.make(d)
	seen := w.settled(d, nil)
	same := `{"Statement":[{"Resource":["arn:aws:s3:::acme-assets/*"],"Principal":{"AWS":["arn:aws:iam::123456789012:root"]},"Action":"s3:GetObject","Effect":"Allow"}],"Version":"2012-10-17"}`
	must[*s3.PutBucketPolicyOutput](t)(w.s3().PutBucketPolicy(t.Context(), &s3.PutBucketPolicyInput{Bucket: &seen.ID, Policy: &same}))
	seen = w.settled(d, nil)

	open := values{"policy": text(publicPolicy), "block_public_access": resource.Bool(false)}
	d = desired(t, "s3", "acme-assets", open)
	w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "s3", Action: "PutBucketPolicy", Times: 2, Status: 400, Code: "MalformedPolicy", Message: "Invalid principal in policy"})
	w.mustUpdate(d, seen, nil)
	seen = w.settled(d, nil)
	d = desired(t, "s3", "acme-assets", values{"block_public_access": resource.Bool(false)})
	if all := changes(t, d, seen, nil); len(all) > 0 {
		t.Errorf("a policy that is not configured: %v", all)
	}
	d = desired(t, "s3", "acme-assets", values{"policy": text(""), "block_public_access": resource.Bool(false)})
	w.mustUpdate(d, seen, nil)
	w.settled(d, nil)
	blocked := desired(t, "s3", "acme-blocked", values{"policy": text(strings.ReplaceAll(publicPolicy, "acme-assets", "acme-blocked"))})
	if _, err := w.p.Create(t.Context(), w.request(blocked)); !isCause(err, provider.Denied) || !strings.Contains(err.Error(), "BlockPublicPolicy") {
		t.Errorf("a public policy while those are blocked: %v", err)
	}
}

func TestAPolicyOfABucketSaysWhoAndWhat(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"{", strings.Replace(publicPolicy, `"Principal": "*", `, "", 1), strings.Replace(publicPolicy, `"Resource": "arn:aws:s3:::acme-assets/*"`, `"Sid": "a"`, 1)} {
		if _, problems := resource.Check(kindOf(t, "s3"), resource.AttrsOf(values{"policy": text(bad)})); len(problems) != 1 {
			t.Errorf("%s: %v", bad, problems)
		}
	}
}

// A7: what may not be read of one bucket costs that bucket alone, and others take no call for it.
func TestA7ADeniedSettingOfABucketCostsThatBucketAlone(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.makeBucketByHand("theirs")
	w.make(desired(t, "s3", "acme-one", values{}))
	w.make(desired(t, "s3", "acme-two", values{}))
	for _, action := range bucketReads {
		before := w.count("s3." + action)
		w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: "s3", Action: action, Times: 1})
		unread, read := 0, 0
		for _, o := range w.observed().Resources {
			switch {
			case o.Ref.Kind != "s3":
			case strings.Contains(o.Message, "AccessDenied"):
				unread++
			case attr(o, "versioning") != nil:
				read++
			}
		}
		if unread != 1 || read != 1 {
			t.Errorf("%s: %d not read, %d read", action, unread, read)
		}
		if n := w.count("s3."+action) - before; n != 2 {
			t.Errorf("%s: %d calls for two buckets of ours", action, n)
		}
		w.cloud.ClearFaults()
	}
}

// bucketReads are the calls that read the settings of a bucket.
var bucketReads = []string{
	"GetBucketVersioning", "GetBucketPublicAccessBlock", "GetBucketEncryption", "GetBucketOwnershipControls", "GetBucketPolicy",
	"GetBucketLifecycleConfiguration", "GetBucketCors",
}
