package aws_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/ovi-project/ovi/resource"
)

func (w *liveState) putCORS(rules ...types.CORSRule) {
	w.t.Helper()
	must[*s3.PutBucketCorsOutput](w.t)(w.s3().PutBucketCors(w.t.Context(), &s3.PutBucketCorsInput{Bucket: aws.String("acme-assets"), CORSConfiguration: &types.CORSConfiguration{CORSRules: rules}}))
}

func (w *liveState) cors() []types.CORSRule {
	w.t.Helper()
	return must[*s3.GetBucketCorsOutput](w.t)(w.s3().GetBucketCors(w.t.Context(), &s3.GetBucketCorsInput{Bucket: aws.String("acme-assets")})).CORSRules
}

func TestWhatPagesOfOtherSitesMayDo(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	www := object("origins", list("https://b.example.com", "https://*.example.org"), "methods", list("PUT", "GET"), "max_age", 3600)
	all := object("id", "all", "origins", list("*"), "methods", list("GET"), "headers", list("*"), "expose", list("ETag"))
	d := bucketOf(t, values{"cors": resource.List{www, all}})
	w.make(d)
	w.settled(d, nil)
	if r := w.cors(); len(r) != 2 || r[0].ID != nil || *r[0].MaxAgeSeconds != 3600 || *r[1].ID != "all" || r[1].MaxAgeSeconds != nil {
		t.Errorf("rules %+v", r)
	}
	rules := w.cors()
	rules[0].AllowedMethods = []string{"PUT", "GET"} // in another order
	w.putCORS(rules...)
	seen := w.settled(d, nil)
	d = bucketOf(t, values{"cors": resource.List{all, www}})
	w.mustUpdate(d, seen, nil) // the first rule that fits counts
	w.settled(d, nil)
	for what, more := range map[string]func(*types.CORSRule){
		"id":      func(r *types.CORSRule) { r.ID = aws.String("one") },
		"headers": func(r *types.CORSRule) { r.AllowedHeaders = []string{"X-One"} },
		"expose":  func(r *types.CORSRule) { r.ExposeHeaders = []string{"X-One"} },
		"max_age": func(r *types.CORSRule) { r.MaxAgeSeconds = aws.Int32(5) },
	} {
		rules := w.cors()
		more(&rules[1])
		w.putCORS(rules...)
		seen, _ = w.find(d.Ref)
		if c := changes(t, bucketOf(t, values{}), seen, nil); len(c) > 0 {
			t.Errorf("rules that are not configured: %+v", c)
		}
		if c := changes(t, d, seen, nil); len(c) != 1 || c[0].Path != "cors" {
			t.Errorf("%s: %+v", what, c)
			continue
		}
		w.mustUpdate(d, seen, nil)
		seen = w.settled(d, nil)
	}
	puts := w.count("s3.PutBucketCors")
	w.mustUpdate(bucketOf(t, values{"versioning": resource.Bool(true)}), seen, nil)
	seen, _ = w.find(d.Ref)
	if n := w.count("s3.PutBucketCors"); n != puts || len(w.cors()) != 2 {
		t.Error("rules that are not configured were set")
	}
	d = bucketOf(t, values{"cors": resource.List{}})
	w.mustUpdate(d, seen, nil)
	w.settled(d, nil)
}

func TestCORSRulesThatS3Refuses(t *testing.T) {
	t.Parallel()
	for want, rule := range map[string]resource.Value{
		"S3 allows 1":            object("origins", list("https://*.*.com"), "methods", list("GET")),
		"S3 allows 0":            object("origins", list("*"), "methods", list("GET"), "expose", list("x-*")),
		"origins is required":    object("methods", list("GET")),
		"methods is required":    object("origins", list("*")),
		"OPTIONS":                object("origins", list("*"), "methods", list("OPTIONS")),
		"origins has 0 elements": object("origins", resource.List{}, "methods", list("GET")),
	} {
		if _, problems := resource.Check(kindOf(t, "s3"), resource.AttrsOf(values{"cors": resource.List{rule}})); len(problems) != 1 || !strings.Contains(problems[0].Summary, want) {
			t.Errorf("%s: %+v", want, problems)
		}
	}
}
