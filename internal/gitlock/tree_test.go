package gitlock_test

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitlock"
)

// TestTheFilesOfAFolder: the digest does not depend on the place of the folder, and the names of its files do.
func TestTheFilesOfAFolder(t *testing.T) {
	at := func(folder string) []byte {
		text, err := gitlock.Encode([]gitclone.File{
			{Name: folder + "/init.sh", Text: []byte("a\nfile 1 b\n")},
			{Name: folder + "/component.yaml", Text: nil},
			{Name: folder + "/deep/x", Text: []byte("\x00\xff")},
		}, folder)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := at("network")
	if !bytes.Equal(text, at("a/b/c")) {
		t.Error("the digest depends on the place of the folder")
	}
	files, err := gitlock.InMemory(text, "lib/network")
	if err != nil {
		t.Fatal(err)
	}
	got, err := fs.ReadFile(files, "lib/network/init.sh")
	if diff := cmp.Diff("a\nfile 1 b\n", string(got)); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if info, err := fs.Stat(files, "lib/network/deep"); err != nil || !info.IsDir() {
		t.Errorf("%v", err)
	}
}

// TestNamesThatAreRefused: no name in a folder can mean another file.
func TestNamesThatAreRefused(t *testing.T) {
	for _, name := range []string{
		"x/../y", "x/./y", "x//y", "/y", "x/.git/config", "x/.GIT", "x/.git /a", "x/a\\b", "x/a\nb", "x/a\x1b[31m", "x/c:d",
		"x/" + strings.Repeat("a", 2000), "x/\xff", "y/z", "x", "x/git~1/a",
	} {
		if text, err := gitlock.Encode([]gitclone.File{{Name: name}}, "x"); err == nil {
			t.Errorf("%q is written as %q", name, text)
		}
	}
	if _, err := gitlock.Encode(nil, "x"); err == nil {
		t.Error("a folder without files is accepted")
	}
	if _, err := gitlock.Encode([]gitclone.File{{Name: "x/a"}, {Name: "x/a"}}, "x"); err == nil {
		t.Error("two files with one name are accepted")
	}
}

// FuzzTree: a text that is accepted is the one that its files are written as.
func FuzzTree(f *testing.F) {
	f.Add([]byte("ovi tree v1\nfile 3 component.yaml\nabc\nfile 0 x/y\n\n"))
	f.Add([]byte("ovi tree v1\nfile 99999999999999999999 a\n"))
	f.Add([]byte("ovi tree v1\nfile -1 a\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := gitlock.Decode(text, "lib")
		if err != nil || len(files) == 0 {
			return
		}
		again, err := gitlock.Encode(files, "lib")
		if err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%q is written as %q: %v", text, again, err)
		}
	})
}

// TestAllFoldersHaveALimit: the folders of one configuration cannot fill the memory together.
func TestAllFoldersHaveALimit(t *testing.T) {
	t.Parallel()
	text, err := gitlock.Encode([]gitclone.File{{Name: "x/big", Text: make([]byte, 60<<20)}}, "x")
	if err != nil {
		t.Fatal(err)
	}
	files, err := gitlock.InMemory(text, "x")
	if err != nil {
		t.Fatal(err)
	}
	var total gitlock.Total
	for i := range 5 {
		if err := total.Add(files); (err == nil) != (i < 4) {
			t.Errorf("%d folders of 60 MiB: %v", i+1, err)
		}
	}
}
