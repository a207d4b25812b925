package bucket

import (
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const lifecycleAttr = "lifecycle"

// What a rule does, and when.
const (
	expireDays     = "expire_days"
	noncurrentDays = "noncurrent_expire_days"
	abortDays      = "abort_multipart_days"
	keepVersions   = "keep_versions"
	ageTags        = "tags"
	minSize        = "min_size"
	maxSize        = "max_size"
	// beyondAttr is what a rule has that this schema has no attribute for. A rule that was found with it has no
	// other attribute than its id, so that no configured rule equals it.
	beyondAttr = "unsupported"
)

// lifecycleSchema: each attribute of a rule has a default, because rules are replaced as a whole: what is not
// configured in one is compared too. The limits of rules, IDs and kept versions are in the Amazon
// S3 API Reference (PutBucketLifecycleConfiguration, LifecycleRule, NoncurrentVersionExpiration).
// The attribute beyondAttr is read-only, so a configuration cannot keep a rule that it cannot
// describe.
func lifecycleSchema() resource.Attribute {
	days := func(name, doc string) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TInt, Min: api.Bound(0), Max: api.Bound(1<<31 - 1), Default: resource.Int(0),
			Unit: "days", Example: "90", Doc: doc + " 0 is never.",
		}
	}
	size := func(name, doc string) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TInt, Min: api.Bound(0), Max: api.Bound(50 << 40), Default: resource.Int(0),
			Unit: "bytes", Example: "131072", Doc: doc,
		}
	}
	return resource.Attribute{
		Name: lifecycleAttr, Type: resource.TSet, Max: api.Bound(1000), Valid: ruleIDsOnce,
		Example: "[{id: logs, prefix: logs/, expire_days: 90}]",
		Doc: "Lifecycle rules, which expire or move objects as they age. The list is complete: unlisted rules are " +
			"removed, and an empty list removes all rules. If omitted, existing rules are kept.",
		Elem: &resource.Attribute{Type: resource.TObject, Valid: validAge, Fields: []resource.Attribute{
			{
				Name: "id", Type: resource.TString, Required: true, Min: api.Bound(1), Max: api.Bound(255), Example: "logs",
				Doc: "The rule's name, unique in the bucket.",
			},
			{Name: "enabled", Type: resource.TBool, Default: resource.Bool(true), Example: "true", Doc: "Whether it applies."},
			{
				Name: "prefix", Type: resource.TString, Default: resource.String(""), Max: api.Bound(1024), Example: "logs/",
				Doc: "How the keys of its objects begin. If omitted, all objects.",
			},
			{
				Name: ageTags, Type: resource.TMap, Default: resource.Attrs{}, Example: "{keep: \"no\"}",
				Doc: "The tags that its objects have, all of them. If omitted, any.",
			},
			size(minSize, "The size that its objects have at least. 0 is any."),
			size(maxSize, "The size that its objects have at most. 0 is any."),
			days(expireDays, "The age at which objects are deleted; in a bucket with versions, at which they become old "+
				"versions."),
			days(noncurrentDays, "The time after which old versions are deleted."),
			{
				Name: keepVersions, Type: resource.TInt, Min: api.Bound(0), Max: api.Bound(100), Default: resource.Int(0),
				Example: "3", Doc: "How many old versions of an object are kept however old they are, the newest ones. With " +
					noncurrentDays + ".",
			},
			days(abortDays, "The time after which an upload in parts that has not ended is deleted."),
			{
				Name: "transitions", Type: resource.TSet, Default: resource.List{}, Example: "[{days: 30, class: STANDARD_IA}]",
				Doc: "When objects move to cheaper storage.",
				Elem: &resource.Attribute{Type: resource.TObject, Fields: []resource.Attribute{
					{
						Name: "days", Type: resource.TInt, Required: true, Min: api.Bound(0), Max: api.Bound(1<<31 - 1), Unit: "days",
						Example: "30", Doc: "Their age.",
					},
					{
						Name: "class", Type: resource.TString, Required: true, Example: "GLACIER", Doc: "Where they move.",
						Enum: []string{"STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER_IR", "GLACIER", "DEEP_ARCHIVE"},
					},
				}},
			},
			{
				Name: beyondAttr, Type: resource.TString, Computed: true,
				Doc: "The settings of an existing rule that ovi cannot set: such a rule is replaced or removed.",
			},
		}},
	}
}

// validAge: a rule that does nothing is refused by S3, and so are moves after the end or too early ("Constraints and
// considerations for transitions").
func validAge(v resource.Value) []resource.Problem {
	rule, _ := v.(resource.Attrs)
	expire, known := api.Number(rule, expireDays)
	moves := rule.List("transitions")
	if known && expire == 0 && len(moves) == 0 && isZero(rule, noncurrentDays) && isZero(rule, abortDays) {
		return api.WrongValue("set "+expireDays+", "+noncurrentDays+", "+abortDays+" or transitions", "the rule does nothing")
	}
	out := validAged(rule)
	seen := map[string]bool{}
	for _, m := range moves {
		move, _ := m.(resource.Attrs)
		class, hasClass := api.Text(move, "class")
		days, hasDays := api.Number(move, "days") // a reference is known after apply
		wrong := func(suggestion, format string, args ...any) {
			for _, p := range api.WrongValue(suggestion, format, args...) {
				p.Path = "transitions"
				out = append(out, p)
			}
		}
		switch {
		case hasClass && seen[class]:
			wrong("keep one", "two transitions to %s", class)
		case hasDays && days < 30 && (class == "STANDARD_IA" || class == "ONEZONE_IA"):
			wrong("set days to 30 or more", "objects may move to %s after 30 days, and not after %d", class, days)
		case hasDays && expire > 0 && expire <= days:
			wrong("set expire_days to more than that", "objects move to %s after %d days, and are deleted after %d", class, days,
				expire)
		}
		seen[class] = true
	}
	return out
}

// validAged: what S3 refuses in the choice of a rule's objects and versions.
func validAged(rule resource.Attrs) []resource.Problem {
	smallest, _ := api.Number(rule, minSize)
	largest, _ := api.Number(rule, maxSize)
	tags, _ := rule.Get(ageTags)
	m, _ := tags.(resource.Attrs)
	kept, _ := api.Number(rule, keepVersions)
	switch {
	case largest > 0 && smallest > largest:
		return api.WrongValue("set "+maxSize+" to more than that", "objects have at least %d bytes, and at most %d", smallest,
			largest)
	case kept > 0 && isZero(rule, noncurrentDays):
		return api.WrongValue("set "+noncurrentDays+" too", "%s keeps versions of a rule that deletes none", keepVersions)
	case (len(m) > 0 || smallest > 0 || largest > 0) && !isZero(rule, abortDays):
		return api.WrongValue("give "+abortDays+" a rule of its own", "uploads in parts have neither tags nor a size yet")
	}
	return nil
}

// isZero reports whether a number is known and 0. A reference is not 0, since its value is known
// only after apply.
func isZero(a resource.Attrs, name string) bool {
	n, ok := api.Number(a, name)
	return ok && n == 0
}

// ruleIDsOnce rejects two rules with one ID, which is the unique identifier of a rule (Amazon S3
// API Reference, LifecycleRule).
func ruleIDsOnce(v resource.Value) []resource.Problem {
	list, _ := v.(resource.List)
	seen := map[string]bool{}
	for _, item := range list {
		rule, _ := item.(resource.Attrs)
		id, ok := api.Text(rule, "id")
		if ok && seen[id] {
			return api.WrongValue("give each rule an id of its own", "two rules have the id %s", id)
		}
		seen[id] = true
	}
	return nil
}
