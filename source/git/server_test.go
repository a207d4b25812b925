package git_test

import (
	"encoding/pem"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/internal/gitclone/gittest"
	"github.com/ovi-project/ovi/source/git"
)

// TestHTTPS reads a repository from a server of git's own that asks for a password: the token is sent to it,
// and is in no error.
func TestHTTPS(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a/x": "one\n", "b/x": "elsewhere\n"})
	repo.Git("-C", repo.Bare, "config", "http.uploadpack", "true")
	core, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	const token = "example-token-5d2f"
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"), Dir: repo.Bare,
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(repo.Bare), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null"},
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != token {
			w.Header().Set("WWW-Authenticate", `Basic realm="fleet"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if p := r.Header.Get("Git-Protocol"); p != "" {
			c := *backend
			c.Env = append([]string{"GIT_PROTOCOL=" + p}, c.Env...)
			c.ServeHTTP(w, r)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	env := func(token string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			switch name {
			case "GIT_SSL_CAINFO":
				return ca, true
			case "OVI_GIT_TOKEN":
				return token, token != ""
			}
			return os.LookupEnv(name)
		}
	}
	url := "git+" + server.URL + "/fleet.git//a?ref=main"
	dir := t.TempDir()
	if tree := read(t, open(t, url, git.Options{Dir: dir, Env: env(token)})); text(t, tree, "a/x") != "one\n" {
		t.Error("the file is not read")
	}
	if n := objects(t, dir); n != 1 {
		t.Errorf("%d files were fetched for a folder of one", n)
	}
	for _, wrong := range []string{"", "example-token-wrong"} {
		_, err := open(t, url, git.Options{Env: env(wrong)}).Read(t.Context())
		if err == nil || wrong != "" && strings.Contains(err.Error(), wrong) {
			t.Errorf("with the token %q: %v", wrong, err)
		}
	}
}

// TestSSH runs git's own ssh transport, with a program in place of ssh that runs the command on this host.
func TestSSH(t *testing.T) {
	t.Parallel()
	repo := gittest.New(t)
	repo.Commit(map[string]string{"a/x": "one\n"})
	ssh := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nexec sh -c \"$1\"\n"),
		0o700); err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) {
		if name == "GIT_SSH_COMMAND" {
			return ssh, true
		}
		return os.LookupEnv(name)
	}
	tree := read(t, open(t, "git+ssh://git@git.example.com"+repo.Bare+"//a?ref=main", git.Options{Env: env}))
	if text(t, tree, "a/x") != "one\n" {
		t.Error("the file is not read")
	}
}
