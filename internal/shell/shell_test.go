package shell_test

import (
	"os/exec"
	"testing"

	"github.com/ovi-project/ovi/internal/shell"
)

// TestAShellReadsTheWord: a shell reads back what was written, as one word.
func TestAShellReadsTheWord(t *testing.T) {
	for _, s := range []string{"", "ovi.yaml", "my infra/ovi.yaml", "it's", "$(id)", "`id`", "a\nb", "-rf", "~", "a*", "#x", "ü"} {
		got, err := exec.Command("sh", "-c", "printf %s "+shell.Word(s)).Output()
		if err != nil || string(got) != s {
			t.Errorf("%q is read as %q (%v)", s, got, err)
		}
	}
	if w := shell.Word("out/ovi.yaml"); w != "out/ovi.yaml" {
		t.Errorf("a plain path is quoted: %s", w)
	}
}
