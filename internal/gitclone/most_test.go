package gitclone_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	if os.Getenv(endless) == "refs" {
		serveEndlessRefs()
		return
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

// serveEndlessRefs names branches without end.
func serveEndlessRefs() {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	capabilities := "\x00shallow allow-tip-sha1-in-want"
	for n := 0; ; n++ {
		line := fmt.Sprintf("%040x refs/heads/%08d-%s%s\n", n+1, n, strings.Repeat("x", 4000), capabilities)
		if _, err := fmt.Fprintf(out, "%04x%s", len(line)+4, line); err != nil {
			return
		}
		capabilities = ""
	}
}

// TestAServerOfEndlessBranches ends each command at the limit of the memory of git, with an error that names it.
func TestAServerOfEndlessBranches(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a program is limited on Linux alone")
	}
	dir, self := t.TempDir(), os.Args[0]
	c := gitclone.Clone{
		Dir: filepath.Join(dir, "clone"), Remote: "ssh://git@git.example.com/endless.git", MostMemory: 192 << 20, Wait: time.Minute,
		Env: func(name string) (string, bool) {
			if name == "GIT_SSH_COMMAND" {
				return endless + "=refs '" + self + "'", true
			}
			return os.LookupEnv(name)
		},
	}
	if err := c.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _, asked := c.Head(t.Context(), "")
	for op, err := range map[string]error{
		"ls-remote": asked,
		"fetch":     c.Fetch(t.Context(), []string{"refs/heads/main:refs/heads/main"}),
	} {
		var large *budget.TooLargeError
		if want := "git " + op + ": the memory that git needs for the answer is larger than 192 MiB"; !errors.As(err, &large) || err.Error() != want {
			t.Errorf("%s: %v", op, err)
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
