package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/aws/sandbox"
)

// TestAnEnvironmentIsNotPlannedWithOtherCredentials asserts that a plan, an apply and a destroy of dev stop with the
// credentials of prod, although the record of both is new and complete. Then it adds environments to a live stack,
// renames one and removes one: nothing is destroyed, and nothing is created twice.
func TestAnEnvironmentIsNotPlannedWithOtherCredentials(t *testing.T) {
	t.Parallel()
	cloud, err := sandbox.Open("", sandbox.WithSettle(0))
	if err != nil {
		t.Fatal(err)
	}
	defer cloud.Close()
	server := httptest.NewServer(cloud)
	defer server.Close()
	dir := t.TempDir()
	write := func(environments string) {
		t.Helper()
		text := "version: v1\nstack: shop\nprovider: aws\nregion: us-east-1\n" + environments +
			"resources:\n  - {type: vpc, name: main, cidr: 10.0.0.0/16}\n  - {type: ec2, name: web, size: t3.micro}\n"
		if err := os.WriteFile(filepath.Join(dir, "ovi.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const dev, prod = "000000222222", "000000333333"
	run := func(account, want string, args ...string) string {
		t.Helper()
		c := ovi(t, dir, args...)
		c.Env = append(c.Env, "AWS_ENDPOINT_URL="+server.URL, "AWS_ACCESS_KEY_ID=ASIASANDBOX"+account,
			"AWS_SECRET_ACCESS_KEY=not-a-secret", "AWS_SESSION_TOKEN=not-a-secret", "AWS_CONFIG_FILE="+os.DevNull,
			"AWS_SHARED_CREDENTIALS_FILE="+os.DevNull)
		return exits(t, c, want)
	}
	// The stack is live before it has environments.
	write("")
	run(prod, "0", "apply", "--auto-approve")
	both := `environments: {dev: {account: "` + dev + `"}, prod: {account: "` + prod + `", stack: shop}}` + "\n"
	write(strings.Replace(both, ", stack: shop", "", 1))
	out := run(prod, "1", "plan", "--env", "prod")
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "ovi destroy --stack shop") {
		t.Errorf("environments without the former name of the stack:\n%s", out)
	}
	write(both)
	run(prod, "0", "plan", "--env", "prod", "--detailed-exitcode")
	run(dev, "0", "apply", "--env", "dev", "--auto-approve")

	for _, args := range [][]string{
		{"plan"},
		{"plan", "--max-age", "1h"},
		{"plan", "--max-age", "1h", "--out", "dev.plan"},
		{"apply", "--auto-approve"},
		{"apply", "--auto-approve", "--max-age", "1h"},
		{"destroy", "--auto-approve"},
		{"destroy", "--auto-approve", "--max-age", "1h"},
	} {
		for _, x := range [][2]string{{"dev", prod}, {"prod", dev}} {
			out := run(x[1], "4", append(args, "--env", x[0])...)
			if !strings.Contains(out, dev) || !strings.Contains(out, prod) || strings.Contains(out, " to create") ||
				strings.Contains(out, " to delete") {
				t.Errorf("%s of %s with the credentials of %s:\n%s", args, x[0], x[1], out)
			}
		}
	}
	run(dev, "0", "plan", "--env", "dev", "--detailed-exitcode")
	run(prod, "0", "plan", "--env", "prod", "--detailed-exitcode")

	// An environment is renamed, and another one removed.
	write(strings.Replace(both, "{dev:", "{test:", 1))
	run(dev, "1", "apply", "--env", "test", "--auto-approve")
	run(prod, "1", "apply", "--env", "prod", "--auto-approve")
	run(dev, "1", "destroy", "--env", "test", "--auto-approve")
	write(strings.Replace(both, "{dev: {", "{test: {stack: shop-dev, ", 1))
	run(dev, "0", "plan", "--env", "test", "--detailed-exitcode")
	write(`environments: {prod: {account: "` + prod + `", stack: shop}}` + "\n")
	run(prod, "1", "apply", "--env", "prod", "--auto-approve")

	// The removed one is destroyed with its own credentials alone.
	if out := run(prod, "4", "destroy", "--stack", "shop-dev", "--auto-approve"); strings.Contains(out, " deleted") {
		t.Errorf("destroyed with the credentials of prod:\n%s", out)
	}
	run(dev, "0", "destroy", "--stack", "shop-dev", "--auto-approve")
	run(prod, "0", "plan", "--env", "prod", "--detailed-exitcode")
}
