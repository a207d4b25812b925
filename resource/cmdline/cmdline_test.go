package cmdline_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource/cmdline"
)

// TestLines: a plan names each value of the command line, and each one that the last apply set otherwise, and never a
// secret.
func TestLines(t *testing.T) {
	t.Parallel()
	value := func(name, text string) cmdline.Value {
		return cmdline.Value{Name: name, By: "--set", Value: json.RawMessage(text)}
	}
	secret := cmdline.Value{Name: "vars.p", By: "--values v.yaml", Digest: "hmac-sha256:P5ocAAAA"}
	now := []cmdline.Value{secret, value("vars.a", "1"), value("vars.b", "2")}
	was := []cmdline.Value{value("vars.a", "1"), value("vars.b", "3"), value("vars.c", `"x"`)}
	all := cmdline.Changes("web", now, was)
	want := []string{
		`set by the command line: vars.a = 1 (--set), vars.b = 2 (--set), vars.p = (secret) 3f9a1c (--values v.yaml)`,
		`set otherwise in the last apply: vars.b = 3 (--set), vars.c = "x" (--set; not set now)`,
	}
	if diff := cmp.Diff(want, cmdline.Lines(all)); diff != "" {
		t.Error(diff)
	}
	if lines := cmdline.Lines(cmdline.Changes("web", nil, nil)); len(lines) > 0 {
		t.Errorf("nothing is set, but %s", lines)
	}
	other := secret
	other.Digest = "hmac-sha256:wB13AAAA"
	all = append(cmdline.Changes("db", []cmdline.Value{other}, []cmdline.Value{secret}), cmdline.Changes("web", nil, was[:1])...)
	want = []string{
		`set by the command line: db: vars.p = (secret) c01d77 (--values v.yaml)`,
		`set otherwise in the last apply: db: vars.p = (secret) 3f9a1c (--values v.yaml), web: vars.a = 1 (--set; not set now)`,
	}
	if diff := cmp.Diff(want, cmdline.Lines(all)); diff != "" {
		t.Error(diff)
	}
}
