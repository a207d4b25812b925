package term_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/render/term"
)

// A long identifier has a line of its own, so that the other columns stay side by side.
func TestALongCellIsBelowItsRow(t *testing.T) {
	table := term.Table{
		Head: []string{"RESOURCE", "ID", "HEALTH", "NOTE"}, Flexible: 3, Below: 1,
		Rows: [][]string{
			{"vpc/main", "vpc-0a1b2c", "healthy", ""},
			{"load_balancer/web", "arn:aws:elasticloadbalancing:eu-west-1:000000000000:app/web", "healthy", "drifted"},
		},
	}
	for width, want := range map[int]string{
		60: `RESOURCE           ID          HEALTH   NOTE
vpc/main           vpc-0a1b2c  healthy
load_balancer/web              healthy  drifted
    arn:aws:elasticloadbalancing:eu-west-1:000000000000:app/web
`,
		120: `RESOURCE           ID                                                           HEALTH   NOTE
vpc/main           vpc-0a1b2c                                                   healthy
load_balancer/web  arn:aws:elasticloadbalancing:eu-west-1:000000000000:app/web  healthy  drifted
`,
	} {
		var b strings.Builder
		if err := table.Write(&b, term.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", width, diff)
		}
	}
}
