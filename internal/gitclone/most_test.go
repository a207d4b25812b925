package gitclone_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/gitclone"
)

// endless is set in the process that is a server whose pack never ends.
const endless = "OVI_TEST_ENDLESS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(endless) != "" {
		serveEndless()
		return
	}
	os.Exit(m.Run())
}

// serveEndless offers a branch, and sends a pack with one file of a TiB.
func serveEndless() {
	if slices.Contains(os.Args, "-G") { // git asks whether this is OpenSSH
		os.Exit(1)
	}
	line := strings.Repeat("a", 40) + " refs/heads/main\x00shallow allow-tip-sha1-in-want\n"
	fmt.Printf("%04x%s00000008NAK\n", len(line)+4, line)
	pack := "PACK\x00\x00\x00\x02\x00\x00\x00\x01"
	size := uint64(1) << 40
	pack += string([]byte{0xb0 | byte(size&15)})
	for size >>= 4; size >= 128; size >>= 7 {
		pack += string([]byte{0x80 | byte(size&127)})
	}
	fmt.Print(pack + string([]byte{byte(size)}) + "\x78\x01")
	block := append([]byte{0, 0xff, 0xff, 0, 0}, make([]byte, 0xffff)...)
	for {
		if _, err := os.Stdout.Write(block); err != nil {
			return
		}
	}
}

// TestAnEndlessServer ends a fetch whose answer is larger than a limit, with an error that names it, and keeps nothing.
func TestAnEndlessServer(t *testing.T) {
	t.Parallel()
	dir, self := t.TempDir(), os.Args[0]
	c := gitclone.Clone{
		Dir: filepath.Join(dir, "clone"), Remote: "ssh://git@git.example.com/endless.git", MostFetched: 1 << 20,
		Wait: 20 * time.Second,
		Env: func(name string) (string, bool) {
			if name == "GIT_SSH_COMMAND" {
				return endless + "=1 '" + self + "'", true
			}
			return os.LookupEnv(name)
		},
	}
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := c.Fetch(t.Context(), []string{"refs/heads/main:refs/heads/main"})
	var large *budget.TooLargeError
	if !errors.As(err, &large) || err.Error() != "git fetch: the answer of the server is larger than 1 MiB" {
		t.Fatalf("%v", err)
	}
	if left, _ := os.ReadDir(filepath.Join(c.Dir, "objects", "pack")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
