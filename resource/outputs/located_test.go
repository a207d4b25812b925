package outputs_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

func TestAReferenceFindsItsLocation(t *testing.T) {
	t.Parallel()
	known := map[resource.Ref]bool{}
	for _, r := range [][3]string{
		{"here", "ec2", "web"},
		{"far", "ec2", "web"},
		{"far", "ec2", "job"},
		{"far", "ec2", "a.b"},
		{"far", "rds", "db"},
		{"away", "rds", "db"},
	} {
		known[resource.Ref{Provider: "p", Location: r[0], Kind: r[1], Name: r[2]}] = true
	}
	for text, want := range map[string]string{
		"ec2/web.address":  "ec2/web.address",
		"ec2/job":          "p/far/ec2/job",
		"ec2/job.address?": "p/far/ec2/job.address?",
		"ec2/a.b.address":  "p/far/ec2/a.b.address",
		"rds/db.endpoint":  "rds/db.endpoint",
		"ec2/none":         "ec2/none",
		"stack/net.vpc":    "stack/net.vpc",
		"p/far/ec2/web":    "p/far/ec2/web",
		"ec2/use/site":     "ec2/use/site",
		"word":             "word",
	} {
		if got := outputs.Located(text, known, resource.Scope{Provider: "p", Location: "here"}); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
