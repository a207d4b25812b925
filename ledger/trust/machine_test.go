package trust

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAnIdentityThatCannotBeReadIsNoIdentity of another machine: it is an error, and a missing one is none.
func TestAnIdentityThatCannotBeReadIsNoIdentity(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "machine-id")
	if id, err := machineIn(file); id != "" || err != nil {
		t.Errorf("a missing file: %q, %v", id, err)
	}
	if id, err := machineIn(dir); err == nil {
		t.Errorf("an unreadable one: %q", id)
	}
	seen := map[string]bool{}
	for _, text := range []string{"", "4a1b\n", "4a1c\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		id, err := machineIn(file)
		if err != nil || (id == "") != (text == "") || seen[id] {
			t.Errorf("%q: %q, %v", text, id, err)
		}
		seen[id] = true
	}
}
