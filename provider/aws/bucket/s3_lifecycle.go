package bucket

import (
	"cmp"
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// fillLifecycle reads the lifecycle rules. A bucket without a configuration has no rules.
func fillLifecycle(ctx context.Context, g *api.Region, b *bucket) error {
	out, err := g.S3.GetBucketLifecycleConfiguration(ctx,
		&s3.GetBucketLifecycleConfigurationInput{Bucket: aws.String(b.name)})
	if api.HasCode(err, "NoSuchLifecycleConfiguration") {
		return nil
	}
	if err == nil {
		b.ages = out.Rules
	}
	return err
}

// agesOf reads the rules as the canonical set. A rule with settings that the schema lacks is shown
// by its ID and their names alone: it never equals a configured rule. A rule of an older version of
// the API has its prefix outside of the filter, with the same meaning. A number that S3 omits is 0,
// the default of the schema.
func agesOf(rules []types.LifecycleRule) resource.List {
	out := make(resource.List, 0, len(rules))
	for _, r := range rules {
		id := resource.Attr{Name: "id", Value: resource.String(aws.ToString(r.ID))}
		if more := beyond(r); len(more) > 0 {
			out = append(out, resource.NewAttrs(id,
				resource.Attr{Name: beyondAttr, Value: resource.String(strings.Join(more, ", "))}))
			continue
		}
		moves := make(resource.List, 0, len(r.Transitions))
		for _, t := range r.Transitions {
			moves = append(moves, resource.AttrsOf(map[string]resource.Value{
				"days": resource.Int(aws.ToInt32(t.Days)), "class": resource.String(t.StorageClass),
			}))
		}
		var expire, noncurrent, kept, abort *int32
		if r.Expiration != nil {
			expire = r.Expiration.Days
		}
		if r.NoncurrentVersionExpiration != nil {
			noncurrent, kept = r.NoncurrentVersionExpiration.NoncurrentDays,
				r.NoncurrentVersionExpiration.NewerNoncurrentVersions
		}
		if r.AbortIncompleteMultipartUpload != nil {
			abort = r.AbortIncompleteMultipartUpload.DaysAfterInitiation
		}
		aged := agedBy(r.Filter)
		prefix := cmp.Or(aws.ToString(r.Prefix), aws.ToString(aged.Prefix)) //nolint:staticcheck // old rules
		out = append(out, resource.NewAttrs(
			id, resource.Attr{Name: "enabled", Value: resource.Bool(r.Status == types.ExpirationStatusEnabled)},
			resource.Attr{Name: "prefix", Value: resource.String(prefix)},
			resource.Attr{Name: ageTags, Value: s3TagAttrs(aged.Tags)},
			resource.Attr{Name: minSize, Value: inclusive(aged.ObjectSizeGreaterThan, 1)},
			resource.Attr{Name: maxSize, Value: inclusive(aged.ObjectSizeLessThan, -1)},
			resource.Attr{Name: keepVersions, Value: resource.Int(aws.ToInt32(kept))},
			resource.Attr{Name: expireDays, Value: resource.Int(aws.ToInt32(expire))},
			resource.Attr{Name: noncurrentDays, Value: resource.Int(aws.ToInt32(noncurrent))},
			resource.Attr{Name: abortDays, Value: resource.Int(aws.ToInt32(abort))},
			resource.Attr{Name: "transitions", Value: resource.SortSet(moves)},
		))
	}
	return resource.SortSet(out)
}

// agedBy returns all conditions of a filter in one form: S3 has a single condition as an element of
// the filter, and several in And. Amazon S3 API Reference, LifecycleRule: a filter must have
// exactly one of its elements, so the cases exclude each other. An empty filter applies to all
// objects (LifecycleRuleFilter).
func agedBy(f *types.LifecycleRuleFilter) types.LifecycleRuleAndOperator {
	switch {
	case f == nil:
		return types.LifecycleRuleAndOperator{}
	case f.And != nil:
		return *f.And
	}
	out := types.LifecycleRuleAndOperator{
		Prefix: f.Prefix, ObjectSizeGreaterThan: f.ObjectSizeGreaterThan,
		ObjectSizeLessThan: f.ObjectSizeLessThan,
	}
	if f.Tag != nil {
		out.Tags = []types.Tag{*f.Tag}
	}
	return out
}

// ageFilter is the other way round. A rule without a condition gets an empty prefix, which every
// key has: a filter must have one element.
func ageFilter(a resource.Attrs) *types.LifecycleRuleFilter {
	var and types.LifecycleRuleAndOperator
	prefix, _ := api.Text(a, "prefix")
	v, _ := a.Get(ageTags)
	tags, _ := v.(resource.Attrs)
	parts := len(tags)
	if prefix != "" {
		and.Prefix = aws.String(prefix)
		parts++
	}
	for _, t := range tags {
		and.Tags = append(and.Tags, types.Tag{Key: aws.String(t.Name), Value: aws.String(api.Plain(t.Value))})
	}
	if n, _ := api.Number(a, minSize); n > 0 {
		and.ObjectSizeGreaterThan = aws.Int64(n - 1)
		parts++
	}
	if n, _ := api.Number(a, maxSize); n > 0 {
		and.ObjectSizeLessThan = aws.Int64(n + 1)
		parts++
	}
	switch {
	case parts == 0:
		return &types.LifecycleRuleFilter{Prefix: aws.String("")}
	case parts > 1:
		return &types.LifecycleRuleFilter{And: &and}
	}
	out := &types.LifecycleRuleFilter{
		Prefix: and.Prefix, ObjectSizeGreaterThan: and.ObjectSizeGreaterThan,
		ObjectSizeLessThan: and.ObjectSizeLessThan,
	}
	if len(and.Tags) > 0 {
		out.Tag = &and.Tags[0]
	}
	return out
}

// inclusive is a bound of sizes, which S3 has as the next size beyond it. S3 compares with greater
// than and less than, the configuration with at least and at most. step is 1 for the lower bound
// and -1 for the upper bound. A bound that is not set is 0.
func inclusive(n *int64, step int64) resource.Value {
	if n == nil {
		return resource.Int(0)
	}
	return resource.Int(*n + step)
}

// s3TagAttrs returns tags as a map attribute, in which their order does not matter.
func s3TagAttrs(tags []types.Tag) resource.Attrs {
	out := api.Attrs{}
	for _, t := range tags {
		out[aws.ToString(t.Key)] = resource.String(aws.ToString(t.Value))
	}
	return out.Build()
}

// beyond names what a rule has that the schema cannot hold, as S3 names it. It must name every
// setting that agesOf does not read: a rule that is shown without a setting would be written back
// without it.
func beyond(r types.LifecycleRule) (out []string) {
	note := func(has bool, name string) {
		if has {
			out = append(out, name)
		}
	}
	largest := agedBy(r.Filter).ObjectSizeLessThan
	note(largest != nil && *largest < 2, "ObjectSizeLessThan") // of empty objects alone
	dated := r.Expiration != nil && r.Expiration.Date != nil
	for _, t := range r.Transitions {
		dated = dated || t.Date != nil
	}
	note(dated, "Date")
	note(r.Expiration != nil && aws.ToBool(r.Expiration.ExpiredObjectDeleteMarker), "ExpiredObjectDeleteMarker")
	note(len(r.NoncurrentVersionTransitions) > 0, "NoncurrentVersionTransition")
	return out
}

// age replaces the rules. What else the configuration of a lifecycle has stays: a call without it
// would reset it. Amazon S3 API Reference, PutBucketLifecycleConfiguration: the call "will
// overwrite an existing lifecycle configuration".
func (s shape) age(ctx context.Context) error {
	v, ok := s.attrs.Get(lifecycleAttr)
	if !ok || !s.changed(lifecycleAttr) {
		return nil
	}
	list, _ := v.(resource.List)
	// PutBucketLifecycleConfiguration requires rules (BucketLifecycleConfiguration), so an empty
	// list deletes the configuration.
	if len(list) == 0 {
		return repeatedly(ctx, s.Region, func() error {
			_, err := s.S3.DeleteBucketLifecycle(ctx, &s3.DeleteBucketLifecycleInput{Bucket: s.bucket})
			return err
		})
	}
	in := &s3.PutBucketLifecycleConfigurationInput{
		Bucket:                 s.bucket,
		LifecycleConfiguration: &types.BucketLifecycleConfiguration{},
	}
	for _, item := range list {
		rule, _ := item.(resource.Attrs)
		in.LifecycleConfiguration.Rules = append(in.LifecycleConfiguration.Rules, ageRule(rule))
	}
	return repeatedly(ctx, s.Region, func() error {
		// Each attempt reads the setting again, because it may have changed between two attempts.
		now, err := s.S3.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: s.bucket})
		if err != nil && !api.HasCode(err, "NoSuchLifecycleConfiguration") {
			return err
		}
		if err == nil {
			in.TransitionDefaultMinimumObjectSize = now.TransitionDefaultMinimumObjectSize
		}
		_, err = s.S3.PutBucketLifecycleConfiguration(ctx, in)
		return err
	})
}

// ageRule is a configured rule as S3 takes it. An action with 0 is omitted: S3 requires a positive
// number of days (Amazon S3 API Reference, LifecycleExpiration and NoncurrentVersionExpiration).
// Only a transition may be after 0 days.
func ageRule(a resource.Attrs) types.LifecycleRule {
	days := func(name string) *int32 { // or a number of versions
		n, _ := api.Number(a, name)
		if n == 0 {
			return nil
		}
		return aws.Int32(int32(n))
	}
	id, _ := api.Text(a, "id")
	out := types.LifecycleRule{ID: aws.String(id), Status: types.ExpirationStatusDisabled, Filter: ageFilter(a)}
	if a.Bool("enabled") {
		out.Status = types.ExpirationStatusEnabled
	}
	if n := days(expireDays); n != nil {
		out.Expiration = &types.LifecycleExpiration{Days: n}
	}
	if n := days(noncurrentDays); n != nil {
		out.NoncurrentVersionExpiration = &types.NoncurrentVersionExpiration{
			NoncurrentDays:          n,
			NewerNoncurrentVersions: days(keepVersions),
		}
	}
	if n := days(abortDays); n != nil {
		out.AbortIncompleteMultipartUpload = &types.AbortIncompleteMultipartUpload{DaysAfterInitiation: n}
	}
	for _, item := range a.List("transitions") {
		move, _ := item.(resource.Attrs)
		n, _ := api.Number(move, "days")
		class, _ := api.Text(move, "class")
		out.Transitions = append(out.Transitions, types.Transition{
			Days: aws.Int32(int32(n)), StorageClass: types.TransitionStorageClass(class),
		})
	}
	return out
}
