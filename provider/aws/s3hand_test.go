package aws_test

import (
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func (w *liveState) makeBucketByHand(name string) {
	w.t.Helper()
	must[*s3.CreateBucketOutput](w.t)(w.s3().CreateBucket(w.t.Context(), &s3.CreateBucketInput{Bucket: sdk.String(name)}))
}

func TestABucketThatExistsIsAConflict(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.makeBucketByHand("acme-assets")
	_, err := w.p.Create(t.Context(), w.request(desired(t, "s3", "acme-assets", values{})))
	if !isCause(err, provider.InUse) || !strings.Contains(err.Error(), "adopt") {
		t.Errorf("%v", err)
	}
	if n := w.count("s3.CreateBucket"); n != 1 {
		t.Errorf("%d calls of CreateBucket: to try is to reset access lists", n)
	}
}

func TestABucketThatMayNotBeReadIsAConflict(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	w.fault(sandbox.Fault{Kind: sandbox.Denied, Service: "s3", Action: "HeadBucket"})
	_, err := w.p.Create(t.Context(), w.request(desired(t, "s3", "acme-assets", values{})))
	if !isCause(err, provider.InUse) || w.count("s3.CreateBucket") > 0 {
		t.Errorf("%v", err)
	}
}

func TestABucketWithObjectsIsNotDeleted(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(desired(t, "s3", "acme-assets", values{}))
	must[*s3.PutObjectOutput](t)(w.s3().PutObject(t.Context(), &s3.PutObjectInput{Bucket: sdk.String("acme-assets"), Key: sdk.String("a"), Body: strings.NewReader("x")}))
	err := w.remove(o)
	if !isCause(err, provider.InUse) || !strings.Contains(err.Error(), "empty the bucket") {
		t.Errorf("%v", err)
	}
}

func TestOtherTagsOfABucketAreKept(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(desired(t, "s3", "acme-assets", values{}, "team", "web"))
	tags := must[*s3.GetBucketTaggingOutput](t)(w.s3().GetBucketTagging(t.Context(), &s3.GetBucketTaggingInput{Bucket: &o.ID})).TagSet
	tags = append(tags, s3types.Tag{Key: sdk.String("audited"), Value: sdk.String("yes")})
	must[*s3.PutBucketTaggingOutput](t)(w.s3().PutBucketTagging(t.Context(), &s3.PutBucketTaggingInput{Bucket: &o.ID, Tagging: &s3types.Tagging{TagSet: tags}}))
	d := desired(t, "s3", "acme-assets", values{}, "team", "core")
	w.mustUpdate(d, o, nil)
	seen := w.settled(d, nil)
	if v, _ := seen.Tags.Get("audited"); v != "yes" {
		t.Errorf("tags %v", seen.Tags)
	}
}

func TestABucketOfAnotherRegionIsNotListed(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "s3", "acme-eu", values{})
	d.Ref.Location = strings.Replace(location, "us-east-1", "eu-west-1", 1)
	w.make(d)
	if _, ok := w.find(ref("s3", "acme-eu")); ok {
		t.Error("seen in us-east-1")
	}
	s, err := w.p.Observe(t.Context(), provider.ObserveRequest{Scope: d.Ref.Scope()})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, o := range s.Resources {
		found = found || o.Marks.Ref == d.Ref
	}
	if !found {
		t.Error("not observed in eu-west-1")
	}
	_, err = w.p.Create(t.Context(), w.request(desired(t, "s3", "acme-eu", values{})))
	if !isCause(err, provider.InUse) || !strings.Contains(err.Error(), "eu-west-1") {
		t.Errorf("made again in another region: %v", err)
	}
}

// A12b: the tags of such a bucket are written by S3 Control, one by one.
func TestA12bABucketWithAccessByAttributesIsTagged(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	o := w.make(desired(t, "s3", "acme-assets", values{}, "team", "web", "old", "x"))
	must[*s3.PutBucketAbacOutput](t)(w.s3().PutBucketAbac(t.Context(), &s3.PutBucketAbacInput{
		Bucket: &o.ID, AbacStatus: &s3types.AbacStatus{Status: s3types.BucketAbacStatusEnabled},
	}))
	if _, err := w.s3().DeleteBucketTagging(t.Context(), &s3.DeleteBucketTaggingInput{Bucket: &o.ID}); err == nil {
		t.Error("the sandbox takes the other calls too")
	}
	d := desired(t, "s3", "acme-assets", values{}, "team", "ops")
	r := w.request(d)
	r.Have = o
	r.Changes = []resource.Change{{On: resource.OnTag, Path: "tags.team", From: text("web"), To: text("ops")}, {On: resource.OnTag, Path: "tags.old", From: text("x")}}
	changed, err := w.p.Update(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if team, _ := changed.Tags.Get("team"); team != "ops" || len(changed.Tags) != 1 || changed.Marks != o.Marks {
		t.Errorf("%+v %+v", changed.Tags, changed.Marks)
	}
	if w.count("s3.TagResource") != 1 || w.count("s3.UntagResource") != 1 {
		t.Errorf("%v", w.cloud.Counts())
	}
}
