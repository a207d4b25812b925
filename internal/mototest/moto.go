// Package mototest starts moto, an emulator of AWS that other people wrote, for tests. It is the
// one tool whose absence skips a test.
package mototest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Start starts the emulator on a free port of loopback and ends it with the test. It returns the
// URL of its endpoint.
func Start(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("moto_server")
	if err != nil {
		t.Skip("moto_server is not on PATH; to run this: pip install 'moto[server]==5.2.1'")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "-H", "127.0.0.1", "-p", fmt.Sprint(port))
	cmd.Env = append(os.Environ(), "MOTO_IAM_LOAD_MANAGED_POLICIES=true") // of AWS, which roles attach
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	soon, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	for soon.Err() == nil {
		if answers(soon, url) {
			return url
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("moto_server does not answer")
	return ""
}

func answers(ctx context.Context, url string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/moto-api/", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return true
}
