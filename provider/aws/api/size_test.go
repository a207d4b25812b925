package api_test

import (
	"testing"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// TestAMisspelledSize: a typing mistake in a size is found before AWS is asked; what only may exist passes.
func TestAMisspelledSize(t *testing.T) {
	t.Parallel()
	for size, want := range map[string]string{
		"t3.mirco": "use t3.micro", "db.t3.mirco": "use db.t3.micro", "m7g.larg": "use m7g.large",
		"c5.2xlrge": "use c5.2xlarge", "r6i.metl": "use r6i.metal",
		"t3.micro": "", "u-6tb1.metal": "", "m7i.metal-24xl": "", "p5.48xlarge": "", "x9z.112xlarge": "",
		"db.r5.large": "", "new1.colossal": "",
	} {
		got := ""
		if wrong := api.ValidSize(resource.String(size)); len(wrong) > 0 {
			got = wrong[0].Suggestion
		}
		if got != want {
			t.Errorf("%s: %q, want %q", size, got, want)
		}
	}
}
