package event_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/sshsig/sshsigtest"
	"github.com/ovi-project/ovi/ledger/event"
)

// TestStatementsAreAsDocumented: the text of docs/audit.md, whose signature ssh-keygen verifies too. No
// value makes a line of its own.
func TestStatementsAreAsDocumented(t *testing.T) {
	until := time.Date(2026, 1, 3, 15, 4, 5, 0, time.UTC)
	e := event.Approved{Plan: "01K", Hash: "4f", Digest: "9a", Until: until, Who: "ann", Reason: "with \"Bo\"\nwho: \"eve\""}
	want := `ovi statement 1
act: "approve"
log: "01J"
plan: "01K"
hash: "4f"
digest: "9a"
until: "2026-01-03T15:04:05Z"
who: "ann"
reason: "with \"Bo\"\nwho: \"eve\""
`
	text := e.Statement("01J")
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("statement (-want +got):\n%s", diff)
	}
	pair, dir := sshsigtest.New(t, "ed25519"), t.TempDir()
	signers, signature := filepath.Join(dir, "signers"), filepath.Join(dir, "signature")
	for file, content := range map[string]string{signers: "ann " + string(pair.Key) + "\n", signature: pair.Sign(t, text, event.Namespace)} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	verify := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-f", signers, "-I", "ann", "-n", "ovi", "-s", signature)
	verify.Stdin = bytes.NewReader(text)
	if out, err := verify.CombinedOutput(); err != nil {
		t.Errorf("ssh-keygen -Y verify: %v: %s", err, out)
	}
	// Each act has another text, also with the same fields.
	seen := map[string]bool{}
	signer := event.Signer{Name: "ann", Key: pair.Key}
	for _, text := range [][]byte{
		text, e.Statement("01L"), event.Blessed{Ref: ref("a"), Who: "ann"}.Statement("01J"), event.Blessed{Ref: ref("a"), On: true, Who: "ann"}.Statement("01J"),
		event.Adopted{Ref: ref("a"), Who: "ann"}.Statement("01J"), event.RosterChanged{Signer: signer, Who: "ann"}.Statement("01J"),
		event.RosterChanged{Signer: signer, On: true, Who: "ann"}.Statement("01J"),
		event.RosterChanged{Signer: signer, On: true, Before: []event.Signer{signer}, Who: "ann"}.Statement("01J"),
	} {
		if seen[string(text)] {
			t.Errorf("two acts have the same text:\n%s", text)
		}
		seen[string(text)] = true
	}
}
