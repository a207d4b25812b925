package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoSinkHasTheCredentialsOfTheProcess: a service quotes the session token and the signed header of each request in
// its error, plain and in a URL. Neither is on the screen, in the log of debugging, in the audit log or in the store.
func TestNoSinkHasTheCredentialsOfTheProcess(t *testing.T) {
	t.Parallel()
	const token = "CanarySession/5t6u7v+w8="
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, "<ErrorResponse><Error><Code>AuthFailure</Code><Message>token %s is not allowed; got %s and %s</Message></Error></ErrorResponse>",
			r.Header.Get("X-Amz-Security-Token"), r.Header.Get("Authorization"), strings.ReplaceAll(token, "/", "%2F"))
	}))
	defer server.Close()
	dir := t.TempDir()
	writeConfig(t, dir, fleet(1))
	for _, args := range [][]string{{"plan"}, {"plan", "--log-level", "trace"}, {"apply", "--auto-approve"}, {"plan", "--json"}, {"status"}, {"audit", "log"}} {
		cmd := ovi(t, dir, args...)
		cmd.Env = append(cmd.Env, "AWS_ENDPOINT_URL="+server.URL, "AWS_ACCESS_KEY_ID=AKIACANARY", "AWS_SECRET_ACCESS_KEY=CanarySecretKey9x8y7z",
			"AWS_SESSION_TOKEN="+token, "AWS_REGION=us-east-1", "AWS_MAX_ATTEMPTS=1")
		out, _ := cmd.CombinedOutput()
		quoted(t, strings.Join(args, " "), out)
		if args[0] == "plan" && !strings.Contains(string(out), "AuthFailure") {
			t.Errorf("the code of the error is not shown:\n%s", out)
		}
	}
	err := filepath.WalkDir(filepath.Join(dir, ".ovi"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		quoted(t, path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func quoted(t *testing.T, where string, text []byte) {
	t.Helper()
	for _, part := range []string{"CanarySession", "5t6u7v", "CanarySecretKey", "Signature=", "AWS4-HMAC"} {
		if strings.Contains(string(text), part) {
			t.Errorf("%s has %s", where, part)
		}
	}
}
