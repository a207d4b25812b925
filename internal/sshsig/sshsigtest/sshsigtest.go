// Package sshsigtest makes SSH keys and signatures with the ssh-keygen of the system.
package sshsigtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/internal/sshsig"
)

// Pair is a key pair in files.
type Pair struct {
	File string // the private key; the public one is beside it, with .pub
	Key  sshsig.Key
}

// New makes a key pair of a type of ssh-keygen.
func New(t testing.TB, kind string) Pair {
	t.Helper()
	p := Pair{File: filepath.Join(t.TempDir(), "key")}
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f",
		p.File).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v: %s", err, out)
	}
	public, err := os.ReadFile(p.File + ".pub")
	if err == nil {
		p.Key, err = sshsig.ParseKey(string(public))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Sign signs a text for a namespace.
func (p Pair) Sign(t testing.TB, text []byte, namespace string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "sign", "-f", p.File, "-n", namespace)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ssh-keygen -Y sign: %v", err)
	}
	return string(out)
}
