package bucket

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func getPolicy(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if b.Policy == "" {
		return nil, wire.FailAs(404, "NoSuchBucketPolicy", "The bucket policy does not exist")
	}
	return wire.Raw{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(b.Policy)}, nil
}

// bucketPolicy is what of a policy S3 checks.
type bucketPolicy struct{ Statement bucketStatements }

type bucketStatement struct {
	Effect    string
	Principal any
	Other     any `json:"NotPrincipal"`
	Action    any
	Resource  any
	Condition map[string]any
}

// bucketStatements are a list, or one statement.
type bucketStatements []bucketStatement

func (b *bucketStatements) UnmarshalJSON(text []byte) error {
	var one bucketStatement
	if json.Unmarshal(text, &one) == nil {
		*b = bucketStatements{one}
		return nil
	}
	return json.Unmarshal(text, (*[]bucketStatement)(b))
}

func putPolicy(x *core.Exchange) (any, error) {
	text := x.Rest.Body
	return changeBucket(x, func(b *bucket) error {
		if err := b.checkPolicy(text); err != nil {
			return err
		}
		b.Policy = string(text)
		return nil
	}, 204)
}

// checkPolicy: a policy is about its bucket, and a public one is refused while those are blocked ("Blocking public
// access to your Amazon S3 storage"; public is here who has no condition, which is narrower than AWS's meaning).
func (b *bucket) checkPolicy(text []byte) error {
	var p bucketPolicy
	if json.Unmarshal(text, &p) != nil || len(p.Statement) == 0 {
		return wire.Failf("MalformedPolicy", "Policies must be valid JSON and the first byte must be '{'")
	}
	own := "arn:aws:s3:::" + b.ID
	for _, st := range p.Statement {
		switch {
		case st.Effect != "Allow" && st.Effect != "Deny":
			return wire.Failf("MalformedPolicy", "Invalid effect: %s", st.Effect)
		case st.Principal == nil && st.Other == nil:
			return wire.Failf("MalformedPolicy", "Missing required field Principal")
		case slices.ContainsFunc(texts(st.Action), func(s string) bool {
			return s != "*" && !strings.HasPrefix(strings.ToLower(s), "s3:")
		}):
			return wire.Failf("MalformedPolicy", "Policy has invalid action")
		case slices.ContainsFunc(texts(st.Resource), func(s string) bool {
			return s != own && !strings.HasPrefix(s, own+"/")
		}):
			return wire.Failf("MalformedPolicy", "Policy has invalid resource")
		}
		anyone := st.Principal == "*"
		if m, ok := st.Principal.(map[string]any); ok {
			anyone = slices.Contains(texts(m["AWS"]), "*")
		}
		if anyone && st.Effect == "Allow" && st.Condition == nil && b.Block != nil && b.Block.Policy {
			return wire.FailAs(403, "AccessDenied",
				"User is not authorized to perform: s3:PutBucketPolicy on resource: %q because public policies are prevented by "+
					"the BlockPublicPolicy setting in S3 Block Public Access.", own)
		}
	}
	return nil
}

// texts is one text, or a list of them.
func texts(v any) (out []string) {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	list, _ := v.([]any)
	for _, x := range list {
		s, _ := x.(string)
		out = append(out, s)
	}
	return out
}

func deletePolicy(x *core.Exchange) (any, error) {
	return changeBucket(x, func(b *bucket) error { b.Policy = ""; return nil }, 204)
}
