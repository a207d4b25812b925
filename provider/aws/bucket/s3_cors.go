package bucket

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// The attribute of a bucket, and a field of its rules.
	corsAttr = "cors"
	maxAge   = "max_age"
)

// corsSchema: each attribute of a rule has a default or is required, because rules are replaced as a whole. Their
// order matters: the first that fits a request counts. Amazon S3 API Reference, PutBucketCors: S3
// "uses the first CORSRule rule that matches the incoming browser request". The limits of rules and
// of IDs are in CORSConfiguration and CORSRule.
func corsSchema() resource.Attribute {
	texts := func(name string, wildcards int, doc, example string) resource.Attribute {
		return resource.Attribute{
			Name: name, Type: resource.TSet,
			HarmlessDefault: true, Default: resource.List{}, Doc: doc, Example: example,
			Elem: &resource.Attribute{Type: resource.TString, Min: api.Bound(1), Valid: wildcard(wildcards)},
		}
	}
	origins := texts("origins", 1, "The sites whose pages may, each with one * at most.", "[https://www.example.com]")
	// AllowedOrigins is required, unlike the two lists of headers (CORSRule).
	origins.Required, origins.Default, origins.Min = true, nil, api.Bound(1)
	return resource.Attribute{
		Name: corsAttr, Type: resource.TList, Max: api.Bound(100),
		Example: "[{origins: [https://www.example.com], methods: [GET]}]",
		Doc: "CORS rules: which requests from other sites' pages the bucket allows. The list is complete and " +
			"ordered: the first matching rule applies, and unlisted rules are removed. An empty list removes " +
			"all rules; if omitted, existing rules are kept.",
		Elem: &resource.Attribute{Type: resource.TObject, Fields: []resource.Attribute{
			{
				Name: "id", Type: resource.TString,
				HarmlessDefault: true, Default: resource.String(""), Max: api.Bound(255), Example: "www",
				Doc: "A name for the rule.",
			},
			origins,
			{
				Name: "methods", Type: resource.TSet, Required: true, Min: api.Bound(1), Example: "[GET]",
				Doc:  "The methods they may use.",
				Elem: &resource.Attribute{Type: resource.TString, Enum: []string{"GET", "PUT", "HEAD", "POST", "DELETE"}},
			},
			texts("headers", 1, "The headers they may send, each with one * at most.", `["*"]`),
			texts("expose", 0, "The headers of answers that they may read.", "[ETag]"),
			{
				Name: maxAge, Type: resource.TInt, Min: api.Bound(0), Max: api.Bound(1<<31 - 1), Default: resource.Int(0),
				Unit: "s", Example: "3600",
				Doc: "How long a browser may keep the answer, in seconds. 0 is as long as it chooses.",
			},
		}},
	}
}

// wildcard: S3 allows so many of them in one text.
func wildcard(most int) func(resource.Value) []resource.Problem {
	return func(v resource.Value) []resource.Problem {
		s, _ := v.(resource.String)
		if n := strings.Count(string(s), "*"); n > most {
			return api.WrongValue("write it out, or use several", "%s has %d of *, and S3 allows %d", s, n, most)
		}
		return nil
	}
}

// fillCORS reads the CORS rules. A bucket without a configuration has no rules.
func fillCORS(ctx context.Context, g *api.Region, b *bucket) error {
	out, err := g.S3.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: aws.String(b.name)})
	if api.HasCode(err, "NoSuchCORSConfiguration") {
		return nil
	}
	if err == nil {
		b.origins = out.CORSRules
	}
	return err
}

// corsOf reads the rules in their canonical form. Their order is kept, because it decides. A field
// that S3 omits has the default of the schema, so that the rule equals its configuration.
func corsOf(rules []types.CORSRule) resource.List {
	out := make(resource.List, 0, len(rules))
	for _, r := range rules {
		out = append(out, resource.AttrsOf(map[string]resource.Value{
			"id": resource.String(aws.ToString(r.ID)), "origins": textSet(r.AllowedOrigins),
			"methods": textSet(r.AllowedMethods),
			"headers": textSet(r.AllowedHeaders), "expose": textSet(r.ExposeHeaders),
			maxAge: resource.Int(aws.ToInt32(r.MaxAgeSeconds)),
		}))
	}
	return out
}

// textSet returns texts as a canonical set, in which the order of S3's answer does not matter.
func textSet(texts []string) resource.List {
	out := make(resource.List, 0, len(texts))
	for _, s := range texts {
		out = append(out, resource.String(s))
	}
	return resource.SortSet(out)
}

// share replaces the rules for pages of other sites. PutBucketCors replaces the whole
// configuration, so a repeated call has the same result.
func (s shape) share(ctx context.Context) error {
	v, ok := s.attrs.Get(corsAttr)
	if !ok || !s.changed(corsAttr) {
		return nil
	}
	list, _ := v.(resource.List)
	// PutBucketCors requires rules (CORSConfiguration), so an empty list deletes the configuration.
	if len(list) == 0 {
		return repeatedly(ctx, s.Region, func() error {
			_, err := s.S3.DeleteBucketCors(ctx, &s3.DeleteBucketCorsInput{Bucket: s.bucket})
			return err
		})
	}
	in := &s3.PutBucketCorsInput{Bucket: s.bucket, CORSConfiguration: &types.CORSConfiguration{}}
	for _, item := range list {
		a, _ := item.(resource.Attrs)
		rule := types.CORSRule{
			AllowedOrigins: a.Texts("origins"), AllowedMethods: a.Texts("methods"),
			AllowedHeaders: a.Texts("headers"), ExposeHeaders: a.Texts("expose"),
		}
		if id, _ := api.Text(a, "id"); id != "" {
			rule.ID = aws.String(id)
		}
		// 0 is not sent: the browser chooses then.
		if n, _ := api.Number(a, maxAge); n > 0 {
			rule.MaxAgeSeconds = aws.Int32(int32(n))
		}
		in.CORSConfiguration.CORSRules = append(in.CORSConfiguration.CORSRules, rule)
	}
	return repeatedly(ctx, s.Region, func() error {
		_, err := s.S3.PutBucketCors(ctx, in)
		return err
	})
}
