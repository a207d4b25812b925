package api

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ovi-project/ovi/resource"
)

// The limits of tags: "Tag your Amazon EC2 resources" (tag restrictions), the same for RDS
// and for buckets. Lengths are in characters.
const (
	maxTags     = 50
	maxTagKey   = 128
	MaxTagValue = 256
)

// rdsTag is the pattern that RDS accepts in keys and values; EC2 accepts every character (the types Tag of
// the two services). Neither may start with aws: or rds: there.
var rdsTag = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`)

// s3Tag is the pattern that S3 accepts in keys and values ("Using cost allocation S3 bucket tags"), and IAM
// (the type Tag).
var s3Tag = regexp.MustCompile(`^[\p{L}\p{Z}\p{N}+\-=._:/@]*$`)

// TagTraits describes the rules for the tags of a kind.
type TagTraits struct {
	NameTag bool // AWS has no name for the kind: the Name tag is it
	RDS     bool // RDS accepts fewer characters, and reserves rds:
	S3      bool // S3 accepts fewer characters
	IAM     bool // IAM accepts fewer characters
}

// tags checks tags. Neighbors mostly share one set, which is checked once if it is valid.
func (c *Checking) tags(traits TagTraits) {
	var right resource.Tags
	for _, d := range c.Configured {
		n := 5 // the tags that ovi itself writes, see birthTags: managed, owner, stack, ref, key
		if d.Blessed {
			n++
		}
		if _, configured := d.Tags.Get(TagHuman); traits.NameTag && !configured {
			n += 2 // Name, and ovi:named
		}
		if len(d.Tags)+n > maxTags {
			c.Alone(d, "tags", "remove "+strconv.Itoa(len(d.Tags)+n-maxTags),
				"%d tags, including %d that ovi writes: AWS allows %d", len(d.Tags)+n, n, maxTags)
		}
		// The value of the tag ovi:ref has the limits of any other. Only a long name can exceed them, so most
		// refs need no text here.
		if utf8.RuneCountInString(d.Ref.Name) > MaxTagValue/2 {
			short := d.Ref
			_, short.Location = AccountAndRegion(short.Location)
			if n := utf8.RuneCountInString(short.String()); n > MaxTagValue {
				c.Alone(d, "name", "use a shorter name",
					"the name is too long: the tag %s would have %d characters, and AWS allows %d", TagRef, n, MaxTagValue)
			}
		}
		if len(d.Tags) == 0 || len(d.Tags) == len(right) && &d.Tags[0] == &right[0] {
			continue
		}
		before := len(c.Found)
		for _, t := range d.Tags {
			if summary, suggestion := judgeTag(traits, t.Key, t.Value); summary != "" {
				c.Alone(d, "tags."+t.Key, suggestion, "%s", summary)
			}
		}
		if right = nil; before == len(c.Found) {
			right = d.Tags
		}
	}
}

// judgeTag returns the first rule that a tag breaks, and a suggestion; "" if it breaks none. A long
// key is cut in the message.
func judgeTag(traits TagTraits, key, value string) (summary, suggestion string) {
	shown := key
	if len(key) > 40 {
		shown = strings.ToValidUTF8(key[:40], "") + "…"
	}
	// AWS reserves aws:, and only RDS reserves rds: too.
	reserved := func(s string) bool {
		lower := s
		if len(s) >= 4 {
			lower = strings.ToLower(s[:4])
		}
		return lower == "aws:" || traits.RDS && lower == "rds:"
	}
	switch n, m := length(key, maxTagKey), length(value, MaxTagValue); {
	case n > maxTagKey:
		return "the key of the tag " + shown + " has " + strconv.Itoa(n) + " characters, and AWS allows " +
			strconv.Itoa(maxTagKey), "use a shorter key"
	case m > MaxTagValue:
		return "the value of the tag " + shown + " has " + strconv.Itoa(m) + " characters, and AWS allows " +
			strconv.Itoa(MaxTagValue), "use a shorter value"
	case reserved(key):
		return "the tag " + shown + " starts with a prefix that AWS reserves", "use a key that does not start with aws:"
	case traits.RDS && reserved(value):
		return "the value of the tag " + shown + " starts with a prefix that RDS reserves",
			"use a value that starts with neither aws: nor rds:"
	case traits.RDS && !(rdsTag.MatchString(key) && rdsTag.MatchString(value)):
		return "the tag " + shown + " has characters that RDS does not accept",
			"use letters, digits, white space and _ . : / = + - @"
	case traits.IAM && !(s3Tag.MatchString(key) && s3Tag.MatchString(value)):
		return "the tag " + shown + " has characters that IAM does not accept",
			"use letters, digits, white space and _ . : / = + - @"
	case traits.S3 && !(s3Tag.MatchString(key) && s3Tag.MatchString(value)):
		return "the tag " + shown + " has characters that S3 does not accept",
			"use letters, digits, white space and _ . : / = + - @"
	}
	return "", ""
}

// length counts characters, where there may be more than the limit.
func length(s string, limit int) int {
	if len(s) <= limit {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}
