package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ovi-project/ovi/internal/canary"
)

// quoting is a fault of the sandbox: calls are refused with a message that quotes the secret in every encoding.
func quoting(t *testing.T, actions ...string) string {
	t.Helper()
	var message []string
	for _, e := range canary.Mangled() {
		message = append(message, e.Encode(canary.Secret))
	}
	type fault struct {
		Kind    string `json:"kind"`
		Action  string `json:"action"`
		Code    string `json:"code"`
		Status  int    `json:"status"`
		Message string `json:"message"`
		After   int    `json:"after,omitempty"`
	}
	var faults []fault
	for _, a := range actions {
		f := fault{"refused", a, "InvalidParameterValue", 400, "refused: " + strings.Join(message, " | "), 0}
		if strings.HasPrefix(a, "Describe") {
			f.After = 1 // the observation succeeds, and what waits for the creation fails
		}
		faults = append(faults, f)
	}
	text, err := json.Marshal(faults)
	if err != nil {
		t.Fatal(err)
	}
	return "OVI_SANDBOX_FAULTS=" + string(text)
}

var searchMangled = sync.OnceValue(func() func(string) []string { return canary.Search(canary.Secret) })

// formsIn names the forms of the canary of which a text has a part.
func formsIn(text string) []string {
	return append(canary.In(text, canary.Secret), searchMangled()(text)...)
}

const canaryConfig = `version: v1
stack: one
provider: aws
region: us-east-1
rules: {attempts: 1}
resources:
  - {type: rds, name: db, size: db.t3.micro, username: adm, password: '${env:CANARY}'}
  - {type: ec2, name: web, size: t3.micro, user_data: '${file:boot}'}
`

// TestLaw9_SecretsStayOut_OfEverySink: of what AWS quotes in more than 57 encodings and cuts, no byte reaches the
// screen in any form, a log of any level, the audit log, the store, a plan file, a proof, the metrics or a webhook.
func TestLaw9_SecretsStayOut_OfEverySink(t *testing.T) {
	t.Parallel()
	for name, actions := range map[string][]string{
		"calls with secrets":    {"CreateDBInstance", "RunInstances"},
		"calls that follow one": {"DescribeDBInstances", "DescribeInstances"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secretsStayOut(t, quoting(t, actions...), actions[0] == "CreateDBInstance")
		})
	}
}

func secretsStayOut(t *testing.T, faults string, loops bool) {
	dir := t.TempDir()
	writeConfig(t, dir, canaryConfig)
	if err := os.WriteFile(filepath.Join(dir, "boot"), []byte(canary.Secret), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"CANARY=" + canary.Secret}
	said := func(sink string, args ...string) string {
		cmd := ovi(t, dir, args...)
		cmd.Env = append(cmd.Env, env...)
		out, _ := cmd.CombinedOutput() // some end with 3, for what is refused
		if found := formsIn(string(out)); len(found) > 0 {
			t.Errorf("%s (ovi %s) has %q:\n%s", sink, strings.Join(args, " "), found, out)
		}
		return string(out)
	}
	said("a plan file's screen", "plan", "--sandbox", "--out", "saved.plan")
	env = append(env, faults)
	for _, form := range []string{"table", "json", "yaml"} {
		out := said(form, "apply", "--sandbox", "--auto-approve", "--output", form, "--data-dir", form, "--log-level", "trace", "--log-format", "json")
		if !strings.Contains(out, "InvalidParameterValue") {
			t.Fatalf("nothing was refused:\n%s", out)
		}
		said("drift", "drift", "--sandbox", "--data-dir", form)
		for _, command := range []string{"status", "inventory", "why rds/db", "why --all ec2/web", "history rds/db", "diff 1h", "audit log", "audit export"} {
			for _, output := range []string{"table", "json", "yaml"} {
				said(command, append(strings.Fields(command), "--output", output, "--data-dir", form)...)
			}
		}
		said("a proof", "prove", "rds/db", "--data-dir", form)
	}
	if loops { // what cannot be read makes no alert for minutes
		loopIsSilent(t, dir, env)
	}
	noCanaryIn(t, dir)
}

// loopIsSilent runs the loop until the webhook has an alert.
func loopIsSilent(t *testing.T, dir string, env []string) {
	t.Helper()
	var mu sync.Mutex
	var heard strings.Builder
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		heard.Write(body)
	}))
	defer hook.Close()
	sent := func() string { mu.Lock(); defer mu.Unlock(); return heard.String() }
	key := filepath.Join(dir, "hook.key")
	if err := os.WriteFile(key, []byte("not-a-real-key-0123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	i := &instance{name: "loop"}
	i.cmd = ovi(t, dir, "run", "--sandbox", "--auto-approve", "--interval", "1s", "--data-dir", "loop", "--webhook", hook.URL, "--webhook-key-file", key, "--listen", "127.0.0.1:0", "--log-level", "trace")
	i.cmd.Env = append(i.cmd.Env, env...)
	i.cmd.Stdout, i.cmd.Stderr = i, i
	if err := i.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = i.cmd.Process.Kill(), i.cmd.Wait() }()
	at := i.address(t)
	eventually(t, "an alert is sent", func() bool { return sent() != "" })
	r, err := http.Get("http://" + at + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	metrics, err := io.ReadAll(r.Body)
	if err != nil || !strings.Contains(string(metrics), "ovi_") {
		t.Errorf("%v: %s", err, metrics)
	}
	for sink, text := range map[string]string{"the webhook": sent(), "the metrics": string(metrics), "the loop's screen": i.said()} {
		if found := formsIn(text); len(found) > 0 {
			t.Errorf("%s has %q:\n%s", sink, found, text)
		}
	}
}

// noCanaryIn searches every file but the one that has the secret, and the sandbox's own, which stands for AWS.
// kept reports whether a file has the whole text of an error, for the user of the host alone.
func kept(path string) bool { return filepath.Base(filepath.Dir(path)) == "errors" }

func noCanaryIn(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "boot" || strings.Contains(path, "sandbox") || kept(path) {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if found := formsIn(string(b)); len(found) > 0 {
			t.Errorf("%s has %q", path, found)
		}
		return err
	})
	if err != nil || files < 8 {
		t.Errorf("%d files were read: %v", files, err)
	}
}
