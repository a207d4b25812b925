package render_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// A table fits the terminal: first its text is wrapped, then the refs get lines of their own.
// Nothing is truncated.
func TestATableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	table := term.Table{
		Head: []string{"RESOURCE", "ID", "STACK", "HEALTH", "OBSERVED"}, Flexible: 3,
		Rows: [][]string{{"aws/us-east-1/security_group/web", "sg-0c55eb183a9bd256e", "web", "healthy, blessed", "0s ago"}},
	}
	for width, want := range map[int]string{
		0: "RESOURCE                          ID                    STACK  HEALTH            OBSERVED\n" +
			"aws/us-east-1/security_group/web  sg-0c55eb183a9bd256e  web    healthy, blessed  0s ago\n",
		85: "RESOURCE                          ID                    STACK  HEALTH        OBSERVED\n" +
			"aws/us-east-1/security_group/web  sg-0c55eb183a9bd256e  web    healthy,      0s ago\n" +
			"                                                               blessed\n",
		60: "RESOURCE\n    ID                    STACK  HEALTH            OBSERVED\n" +
			"aws/us-east-1/security_group/web\n    sg-0c55eb183a9bd256e  web    healthy, blessed  0s ago\n",
	} {
		var b strings.Builder
		if err := table.Write(&b, term.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", width, diff)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
				t.Errorf("%d columns: a line of %d: %s", width, n, line)
			}
		}
	}
}

// A command is not broken between lines, so that it can be copied.
func TestACommandIsNotBroken(t *testing.T) {
	t.Parallel()
	text := "run `ovi adopt rds/db --id db` if it is yours, or `ovi forget rds/db --id db` if it is not"
	want := []string{"run `ovi adopt rds/db --id db`", "if it is yours, or", "`ovi forget rds/db --id db` if", "it is not"}
	if diff := cmp.Diff(want, term.Wrap(text, 30)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"run `ovi adopt", "rds/db --id db`", "now"}, term.Wrap("run `ovi adopt rds/db --id db` now", 16)); diff != "" {
		t.Errorf("one that is longer than a line (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"an open ` and", "more words"}, term.Wrap("an open ` and more words", 14)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A text with secret parts shows the digits of each, and what it refers to.
func TestATextWithSecretParts(t *testing.T) {
	t.Parallel()
	endpoint := resource.Reference{Ref: ref("rds", "orders"), Path: "endpoint"}
	secret := func(d resource.Digest) resource.Value { return resource.NewSecret("not-shown", d) }
	for want, text := range map[string]resource.Text{
		"(secret) 3f9a1c ${rds/orders.endpoint} c01d77": {secret("hmac-sha256:P5ocAAAA"), endpoint, secret("hmac-sha256:wB13AAAA")},
		`"db=${rds/orders.endpoint}"`:                   {resource.String("db="), endpoint},
	} {
		if got := render.Value(text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
