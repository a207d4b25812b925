package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/podmantest"
	"github.com/ovi-project/ovi/ledger/trust"
)

var update = flag.Bool("update", false, "rewrite the golden files and the generated pages")

// TestMain lets this test binary be ovi: scripts, and the tests that kill it, run it as a
// process of its own without building it again. Those tests wait for processes, for leases and
// for the disk more than they work: more of them at a time than there are processors, unless
// -parallel says otherwise.
func TestMain(m *testing.M) {
	podmantest.Apart()
	if filepath.Base(os.Args[0]) == "ovi" {
		oviOfTests()
		os.Exit(0)
	}
	if err := flag.Set("test.parallel", strconv.Itoa(max(4, runtime.GOMAXPROCS(0)))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	dir, err := oviOnPath()
	if err != nil {
		fmt.Fprintln(os.Stderr, "put this program on the path as ovi:", err)
		os.Exit(1)
	}
	if err := ownState(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // the system removes what is left
	os.Exit(code)
}

// logHome is where ovi keeps its signing key and its notes below a state home.
func logHome(state string) trust.Home {
	home := filepath.Join(state, "ovi", "trust")
	if err := os.MkdirAll(home, 0o700); err != nil {
		panic(err)
	}
	return trust.Home(home)
}

// ownState gives the tests that are no scripts a state home and a signing key. They copy data directories,
// which another state home does not know: see ovi.
func ownState(dir string) error {
	file := filepath.Join(dir, "log.key")
	return errors.Join(keyIn(file, ownKey()), os.Setenv("OVI_LOG_KEY_FILE", file),
		os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state")))
}

// ownKey is the key that signs the logs of those tests.
func ownKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte("own key of tests"), 2))
}

// keyIn writes a signing key as ovi reads it.
func keyIn(file string, key ed25519.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
}

// oviOnPath makes this program ovi for those that look for it on the path.
func oviOnPath() (dir string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "ovi-of-tests"); err != nil {
		return "", err
	}
	if err = os.Link(self, filepath.Join(dir, "ovi")); err != nil { // another file system
		if err = copyProgram(filepath.Join(dir, "ovi"), self); err != nil {
			return "", err
		}
	}
	return dir, os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func copyProgram(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// raceOptions are for each ovi that a test starts. A process with the race detector in it
// sleeps for a second when it ends, in case one more race shows; the hundreds that end here
// would sleep for most of the whole test.
func raceOptions() string { return strings.TrimSpace(os.Getenv("GORACE") + " atexit_sleep_ms=10") }

// golden compares a file with what it should hold, or rewrites it.
func golden(t *testing.T, file string, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: make it with `make golden`", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is stale, `make golden` rewrites it (-want +got):\n%s", file, diff)
	}
}
