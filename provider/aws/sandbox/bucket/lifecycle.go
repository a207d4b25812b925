package bucket

import (
	"encoding/xml"
	"net/http"
	"slices"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// smallObjects is the header for how small an object is that no rule moves to another class.
const smallObjects = "X-Amz-Transition-Default-Minimum-Object-Size"

// lifecycle is what a bucket does with its objects as they age. It is replaced as a whole.
type lifecycle struct {
	XMLName xml.Name        `json:"-" xml:"LifecycleConfiguration"`
	Rules   []lifecycleRule `json:"rules" xml:"Rule"`
	Small   string          `json:"small,omitempty" xml:"-"`
}

type lifecycleRule struct {
	ID           string             `json:"id"`
	Status       string             `json:"status"`
	Old          *string            `json:"old_prefix,omitempty" xml:"Prefix"` // of rules before there were filters
	Filter       *lifecycleFilter   `json:"filter,omitempty"`
	Expiration   *lifecycleExpiry   `json:"expiration,omitempty"`
	Noncurrent   *noncurrentExpiry  `json:"noncurrent,omitempty" xml:"NoncurrentVersionExpiration"`
	Abort        *lifecycleAbort    `json:"abort,omitempty" xml:"AbortIncompleteMultipartUpload"`
	Transitions  []transition       `json:"transitions,omitempty" xml:"Transition"`
	OldVersionTo []noncurrentChange `json:"noncurrent_transitions,omitempty" xml:"NoncurrentVersionTransition"`
}

type lifecycleFilter struct {
	filterParts
	Tag *s3Tag       `json:"tag,omitempty"`
	And *filterUnion `json:"and,omitempty"`
}

type filterUnion struct {
	filterParts
	Tags []s3Tag `json:"tags,omitempty" xml:"Tag"`
}

type filterParts struct {
	Prefix  *string `json:"prefix,omitempty"`
	Larger  *int64  `json:"larger,omitempty" xml:"ObjectSizeGreaterThan"`
	Smaller *int64  `json:"smaller,omitempty" xml:"ObjectSizeLessThan"`
}

type lifecycleExpiry struct {
	Date    string `json:"date,omitempty" xml:",omitempty"`
	Days    *int   `json:"days,omitempty"`
	Markers *bool  `json:"markers,omitempty" xml:"ExpiredObjectDeleteMarker"`
}

type noncurrentExpiry struct {
	Days int  `json:"days" xml:"NoncurrentDays"`
	Keep *int `json:"keep,omitempty" xml:"NewerNoncurrentVersions"`
}

type lifecycleAbort struct {
	Days int `json:"days" xml:"DaysAfterInitiation"`
}

type transition struct {
	Date  string `json:"date,omitempty" xml:",omitempty"`
	Days  *int   `json:"days,omitempty"`
	Class string `json:"class" xml:"StorageClass"`
}

type noncurrentChange struct {
	Days  int    `json:"days" xml:"NoncurrentDays"`
	Keep  *int   `json:"keep,omitempty" xml:"NewerNoncurrentVersions"`
	Class string `json:"class" xml:"StorageClass"`
}

func getLifecycle(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if b.Lifecycle == nil {
		return nil, wire.FailAs(404, "NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist")
	}
	h := http.Header{"Content-Type": {"application/xml"}, smallObjects: {b.Lifecycle.Small}}
	return wire.Raw{Status: 200, Header: h, Body: append([]byte(xml.Header), wire.MarshalXML(b.Lifecycle)...)}, nil
}

// putLifecycle replaces all rules (S3 API reference: PutBucketLifecycleConfiguration), and what the header says.
func putLifecycle(x *core.Exchange) (any, error) {
	var in lifecycle
	if xml.Unmarshal(x.Rest.Body, &in) != nil || len(in.Rules) == 0 || len(in.Rules) > 1000 {
		return nil, malformed()
	}
	in.Small = x.Rest.Header.Get(smallObjects)
	if in.Small == "" {
		in.Small = "all_storage_classes_128K"
	}
	ids := map[string]bool{}
	for i := range in.Rules {
		r := &in.Rules[i]
		if r.ID == "" {
			r.ID = x.Tx.Fresh("rule-", "").ID
		}
		if ids[r.ID] {
			return nil, wire.Failf("InvalidArgument", "Rule ID must be unique. Found same ID for more than one rule")
		}
		ids[r.ID] = true
		if err := r.check(); err != nil {
			return nil, err
		}
	}
	return changeBucket(x, func(b *bucket) error { b.Lifecycle = &in; return nil }, 200)
}

func deleteLifecycle(x *core.Exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error { b.Lifecycle = nil; return nil }, 204)
}

// check: what S3 refuses in a rule ("Lifecycle configuration elements", "Constraints and considerations for
// transitions").
func (r *lifecycleRule) check() error {
	days := func(n int, of string) error {
		if n < 1 {
			return wire.Failf("InvalidArgument", "'%s' for action must be a positive integer", of)
		}
		return nil
	}
	switch {
	case len(r.ID) > 255:
		return wire.Failf("InvalidArgument", "ID length should not exceed allowed limit of 255")
	case r.Status != "Enabled" && r.Status != "Disabled", (r.Old == nil) == (r.Filter == nil):
		return malformed()
	case r.Expiration == nil && r.Noncurrent == nil && r.Abort == nil && len(r.Transitions) == 0 &&
		len(r.OldVersionTo) == 0:
		return wire.Failf("InvalidRequest", "At least one action needs to be specified in a rule")
	}
	if err := r.checkFilter(); err != nil {
		return err
	}
	if e := r.Expiration; e != nil && e.Days != nil {
		if err := days(*e.Days, "Days"); err != nil {
			return err
		}
	}
	if r.Noncurrent != nil {
		if err := days(r.Noncurrent.Days, "NoncurrentDays"); err != nil {
			return err
		}
	}
	if r.Abort != nil {
		if err := days(r.Abort.Days, "DaysAfterInitiation"); err != nil {
			return err
		}
	}
	classes := []string{"STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"}
	seen := map[string]bool{}
	for _, t := range r.Transitions {
		if !slices.Contains(classes, t.Class) || (t.Days == nil) == (t.Date == "") {
			return malformed()
		}
		if seen[t.Class] {
			return wire.Failf("InvalidRequest", "Found duplicate storage class '%s' in Transition action", t.Class)
		}
		seen[t.Class] = true
		if t.Days == nil {
			continue
		}
		if *t.Days < 0 {
			return wire.Failf("InvalidArgument", "'Days' in Transition action must be nonnegative")
		}
		if (t.Class == "STANDARD_IA" || t.Class == "ONEZONE_IA") && *t.Days < 30 {
			return wire.Failf("InvalidArgument",
				"'Days' in Transition action must be greater than or equal to 30 for storageClass '%s'", t.Class)
		}
		if e := r.Expiration; e != nil && e.Days != nil && *e.Days <= *t.Days {
			return wire.Failf("InvalidArgument",
				"'Days' in the Expiration action must be greater than 'Days' in the Transition action")
		}
	}
	return nil
}

// checkFilter: one condition stands by itself, several are in And; uploads in parts are chosen by prefix alone.
func (r *lifecycleRule) checkFilter() error {
	f := r.Filter
	if f == nil {
		return nil
	}
	count := func(p filterParts, tags int) int {
		for _, has := range []bool{p.Prefix != nil, p.Larger != nil, p.Smaller != nil} {
			if has {
				tags++
			}
		}
		return tags
	}
	parts, tags := f.filterParts, 0
	if f.Tag != nil {
		tags = 1
	}
	alone := count(parts, tags)
	if f.And != nil {
		parts, tags = f.And.filterParts, len(f.And.Tags)
		if alone > 0 || count(parts, tags) < 2 {
			return malformed()
		}
	} else if alone > 1 {
		return malformed()
	}
	switch {
	case parts.Larger != nil && parts.Smaller != nil && *parts.Larger >= *parts.Smaller:
		return wire.Failf("InvalidRequest", "'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'.")
	case r.Abort != nil && (tags > 0 || parts.Larger != nil || parts.Smaller != nil):
		return wire.Failf("InvalidRequest", "AbortIncompleteMultipartUpload cannot be specified with Tags or Object Size.")
	case r.Noncurrent != nil && r.Noncurrent.Keep != nil && (*r.Noncurrent.Keep < 1 || *r.Noncurrent.Keep > 100):
		return wire.Failf("InvalidArgument", "'NewerNoncurrentVersions' must be between 1 and 100")
	}
	return nil
}
