package main

import (
	"bufio"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestServedSandbox serves the sandbox, and another ovi uses it as AWS, over
// a real connection and with the SDK's own configuration.
func TestServedSandbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeConfig(t, dir, strings.Replace(fifty, "count: 50", "count: 2", 1))
	server := ovi(t, dir, "sandbox", "serve", "--listen", "127.0.0.1:0", "--data-dir", "served")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { // Ctrl-C ends it well
		if err := server.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := server.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("no address in %q: %v", line, err)
	}
	apply := ovi(t, dir, "apply", "--auto-approve")
	apply.Env = append(apply.Env, "AWS_ENDPOINT_URL="+address, "AWS_ACCESS_KEY_ID=EXAMPLE", "AWS_SECRET_ACCESS_KEY=not-a-secret",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull, "NO_PROXY=*")
	said, err := apply.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "Apply complete: 2 created.") {
		t.Errorf("apply over the connection: %v\n%s", err, said)
	}
	if strings.Contains(string(said), "sandbox, no real resources") {
		t.Error("it says sandbox, where it cannot know")
	}
}
