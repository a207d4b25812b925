package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ovi-project/ovi/internal/built"
	"github.com/ovi-project/ovi/internal/drawn"
)

// TestProofs checks proofs with the program that is not ovi, which the scripts call $VERIFY.
func TestProofs(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("../../tools/verify/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources of tools/verify: %v", err)
	}
	files := []string{"go.mod"}
	for _, s := range sources {
		files = append(files, filepath.Base(s))
	}
	verify := built.Tool(t, built.Program{Name: "verify", Folder: "tools/verify", Package: ".", Sources: files})
	p := params(t, "testdata/prove")
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("VERIFY", verify)
		return setup(e)
	}
	p.Cmds["changed"] = func(ts *testscript.TestScript, _ bool, args []string) { changedByte(ts, drawn.Rand(t), verify, args) }
	testscript.Run(t, p)
}

// changedByte changes bytes of a proof, one at a time, each of which the verifier must refuse: changed FILE. Every
// byte of a small proof is changed in tools/verify.
func changedByte(ts *testscript.TestScript, draws *rand.Rand, verify string, args []string) {
	text := []byte(ts.ReadFile(args[0]))
	if out, err := exec.Command(verify, ts.MkAbs(args[0])).CombinedOutput(); err != nil {
		ts.Fatalf("%v: %s", err, out)
	}
	file := ts.MkAbs("changed.proof")
	for range 60 {
		i := draws.IntN(len(text))
		other := slices.Clone(text)
		other[i] ^= byte(1) << draws.IntN(8)
		ts.Check(os.WriteFile(file, other, 0o600))
		if out, err := exec.Command(verify, file).CombinedOutput(); err == nil || !bytes.Contains(out, []byte("Error: ")) {
			ts.Fatalf("byte %d of %s is %q instead of %q: %v: %s", i, args[0], other[i], text[i], err, out)
		}
	}
}
