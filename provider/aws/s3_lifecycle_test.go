package aws_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
	"github.com/ovi-project/ovi/resource"
)

func aging(id string, more ...any) resource.Value {
	return object(append([]any{"id", id}, more...)...)
}

func bucketOf(t *testing.T, a values) resource.Desired { return desired(t, "s3", "acme-assets", a) }

func (w *liveState) putLifecycle(small types.TransitionDefaultMinimumObjectSize, rules ...types.LifecycleRule) {
	w.t.Helper()
	must[*s3.PutBucketLifecycleConfigurationOutput](w.t)(w.s3().PutBucketLifecycleConfiguration(w.t.Context(), &s3.PutBucketLifecycleConfigurationInput{
		Bucket: aws.String("acme-assets"), LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules}, TransitionDefaultMinimumObjectSize: small,
	}))
}

func (w *liveState) lifecycle() *s3.GetBucketLifecycleConfigurationOutput {
	w.t.Helper()
	return must[*s3.GetBucketLifecycleConfigurationOutput](w.t)(w.s3().GetBucketLifecycleConfiguration(w.t.Context(), &s3.GetBucketLifecycleConfigurationInput{Bucket: aws.String("acme-assets")}))
}

func TestTheLifecycleOfTheObjectsOfABucket(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	logs := aging("logs", "prefix", "logs/", "expire_days", 400, "transitions", resource.List{object("days", 90, "class", "GLACIER"), object("days", 30, "class", "STANDARD_IA")})
	d := bucketOf(t, values{"lifecycle": resource.List{logs, aging("all", "noncurrent_expire_days", 30, "abort_multipart_days", 7)}})
	w.make(d)
	seen := w.settled(d, nil)
	for _, r := range w.lifecycle().Rules {
		if *r.ID == "all" && (r.Expiration != nil || *r.Filter.Prefix != "" || *r.NoncurrentVersionExpiration.NoncurrentDays != 30) {
			t.Errorf("rule %+v", r)
		}
	}
	w.putLifecycle("varies_by_storage_class", w.lifecycle().Rules...)
	d = bucketOf(t, values{"lifecycle": resource.List{aging("all", "enabled", false, "noncurrent_expire_days", 30)}})
	w.mustUpdate(d, seen, nil)
	seen = w.settled(d, nil)
	if got := w.lifecycle(); len(got.Rules) != 1 || got.Rules[0].Status != "Disabled" || got.TransitionDefaultMinimumObjectSize != "varies_by_storage_class" {
		t.Errorf("lifecycle %+v", got)
	}
	d = bucketOf(t, values{"lifecycle": resource.List{}})
	w.mustUpdate(d, seen, nil)
	w.settled(d, nil)
}

// What a rule does besides what is configured is a difference, whether ovi can set it or not, and stays where
// no rules are configured.
func TestARuleThatDoesMoreIsADifference(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := bucketOf(t, values{"lifecycle": resource.List{aging("logs", "prefix", "logs/", "expire_days", 90)}})
	w.make(d)
	plain := w.lifecycle().Rules[0]
	for what, more := range map[string]func(*types.LifecycleRule){
		"an upload that ends": func(r *types.LifecycleRule) {
			r.AbortIncompleteMultipartUpload = &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: aws.Int32(3)}
		},
		"a tag": func(r *types.LifecycleRule) {
			r.Filter = &types.LifecycleRuleFilter{And: &types.LifecycleRuleAndOperator{Prefix: aws.String("logs/"), Tags: []types.Tag{{Key: aws.String("a"), Value: aws.String("b")}}}}
		},
		"a size": func(r *types.LifecycleRule) {
			r.Filter = &types.LifecycleRuleFilter{ObjectSizeGreaterThan: aws.Int64(1)}
		},
		"ObjectSizeLessThan": func(r *types.LifecycleRule) {
			r.Filter = &types.LifecycleRuleFilter{And: &types.LifecycleRuleAndOperator{Prefix: aws.String("logs/"), ObjectSizeLessThan: aws.Int64(1)}}
		},
		"Date": func(r *types.LifecycleRule) {
			r.Expiration = nil
			r.Transitions = []types.Transition{{Date: aws.Time(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)), StorageClass: "GLACIER"}}
		},
		"ExpiredObjectDeleteMarker": func(r *types.LifecycleRule) {
			r.Expiration = &types.LifecycleExpiration{ExpiredObjectDeleteMarker: aws.Bool(true)}
		},
		"versions that stay": func(r *types.LifecycleRule) {
			r.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{NoncurrentDays: aws.Int32(1), NewerNoncurrentVersions: aws.Int32(2)}
		},
		"NoncurrentVersionTransition": func(r *types.LifecycleRule) {
			r.NoncurrentVersionTransitions = []types.NoncurrentVersionTransition{{NoncurrentDays: aws.Int32(30), StorageClass: "GLACIER"}}
		},
	} {
		rule := plain
		more(&rule)
		w.putLifecycle("", rule)
		seen, _ := w.find(d.Ref)
		all := changes(t, d, seen, nil)
		if len(all) != 1 || all[0].Path != "lifecycle" || what[0] < 'a' && !strings.Contains(string(resource.AppendJSON(nil, all[0].From)), `"unsupported":"`+what+`"`) {
			t.Errorf("%s: %+v", what, all)
			continue
		}
		unset := bucketOf(t, values{"versioning": resource.Bool(attr(seen, "versioning") == resource.Bool(false))})
		puts := w.count("s3.PutBucketLifecycleConfiguration")
		w.mustUpdate(unset, seen, nil)
		if n := w.count("s3.PutBucketLifecycleConfiguration"); n != puts {
			t.Errorf("%s: rules that are not configured were set", what)
		}
		seen, _ = w.find(d.Ref)
		w.mustUpdate(d, seen, nil)
		w.settled(d, nil)
	}
}

// TestARuleChoosesItsObjects by prefix, tags and size, one or several, and keeps versions of them.
func TestARuleChoosesItsObjects(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	tags := func(kv ...any) resource.Value { return object(kv...) }
	d := bucketOf(t, values{"lifecycle": resource.List{
		aging("all", "expire_days", 9), aging("tag", "expire_days", 9, "tags", tags("keep", "no")), aging("tags", "expire_days", 9, "tags", tags("keep", "no", "team", "")),
		aging("small", "expire_days", 9, "max_size", 100), aging("large", "expire_days", 9, "min_size", 1),
		aging("several", "expire_days", 9, "prefix", "logs/", "tags", tags("keep", "no"), "min_size", 100, "max_size", 100),
		aging("versions", "noncurrent_expire_days", 30, "keep_versions", 3),
	}})
	w.make(d)
	seen := w.settled(d, nil)
	for _, r := range w.lifecycle().Rules {
		f := r.Filter
		ok := map[string]func() bool{
			"all":   func() bool { return aws.ToString(f.Prefix) == "" && f.And == nil },
			"tag":   func() bool { return *f.Tag.Key == "keep" && f.And == nil },
			"tags":  func() bool { return len(f.And.Tags) == 2 && f.And.Prefix == nil },
			"small": func() bool { return *f.ObjectSizeLessThan == 101 && f.ObjectSizeGreaterThan == nil },
			"large": func() bool { return *f.ObjectSizeGreaterThan == 0 },
			"several": func() bool {
				return *f.And.Prefix == "logs/" && *f.And.ObjectSizeGreaterThan == 99 && *f.And.ObjectSizeLessThan == 101
			},
			"versions": func() bool { return *r.NoncurrentVersionExpiration.NewerNoncurrentVersions == 3 },
		}[*r.ID]
		if !ok() {
			t.Errorf("rule %s: %+v", *r.ID, f)
		}
	}
	d = bucketOf(t, values{"lifecycle": resource.List{aging("tag", "expire_days", 9, "tags", tags("keep", "yes"))}})
	w.mustUpdate(d, seen, nil)
	w.settled(d, nil)
}

// A rule of before there were filters is the same rule.
func TestAnOldRuleOfALifecycleIsNoDifference(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := bucketOf(t, values{"lifecycle": resource.List{aging("logs", "prefix", "logs/", "expire_days", 90)}})
	w.make(d)
	rule := w.lifecycle().Rules[0]
	rule.Prefix, rule.Filter = aws.String("logs/"), nil //nolint:staticcheck // old rules have it
	w.putLifecycle("", rule)
	w.settled(d, nil)
}

func TestRulesOfALifecycleThatS3Refuses(t *testing.T) {
	t.Parallel()
	move := func(days int, class string) resource.Value { return object("days", days, "class", class) }
	for want, rules := range map[string]resource.List{
		"does nothing":             {aging("a", "prefix", "x")},
		"two rules have the id":    {aging("a", "expire_days", 1), aging("a", "expire_days", 2)},
		"id is required":           {object("expire_days", 1)},
		"after 30 days":            {aging("a", "transitions", resource.List{move(29, "ONEZONE_IA")})},
		"two transitions to":       {aging("a", "transitions", resource.List{move(30, "GLACIER"), move(60, "GLACIER")})},
		"are deleted after 60":     {aging("a", "expire_days", 60, "transitions", resource.List{move(60, "GLACIER")})},
		"and at most 9":            {aging("a", "expire_days", 1, "min_size", 10, "max_size", 9)},
		"deletes none":             {aging("a", "expire_days", 1, "keep_versions", 2)},
		"neither tags nor a size":  {aging("a", "expire_days", 1, "min_size", 10, "abort_multipart_days", 9)},
		"unsupported is read-only": {aging("a", "expire_days", 60, "unsupported", "Tag")},
	} {
		if _, problems := resource.Check(kindOf(t, "s3"), resource.AttrsOf(values{"lifecycle": rules})); len(problems) != 1 || !strings.Contains(problems[0].Summary, want) {
			t.Errorf("%s: %+v", want, problems)
		}
	}
}

// What a reference names is known after apply, and nothing is refused before.
func TestReferencesInTransitionsOfALifecycle(t *testing.T) {
	t.Parallel()
	later := resource.Reference{Ref: resource.Ref{Kind: "param", Name: "age"}, Path: "value"}
	move := func(name string) resource.Value {
		m := resource.AttrsOf(values{"days": resource.Int(30), "class": text("STANDARD_IA")})
		return m.With(name, later)
	}
	rule := aging("a", "expire_days", 400, "transitions", resource.List{move("days"), move("class")})
	if _, problems := resource.Check(kindOf(t, "s3"), resource.AttrsOf(values{"lifecycle": resource.List{rule}})); len(problems) > 0 {
		t.Errorf("%+v", problems)
	}
}

// Right after it was created a bucket may not be found by the call that sets its rules.
func TestTheLifecycleOfABucketThatWasJustCreated(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := bucketOf(t, values{"lifecycle": resource.List{aging("logs", "expire_days", 90)}})
	for _, action := range []string{"GetBucketLifecycleConfiguration", "PutBucketLifecycleConfiguration"} {
		w.fault(sandbox.Fault{Kind: sandbox.Refused, Service: "s3", Action: action, Times: 1, Status: 404, Code: "NoSuchBucket"})
	}
	w.make(d)
	w.settled(d, nil)
}
