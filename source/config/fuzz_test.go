package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// FuzzLoad reads any bytes: an intent or problems comes of them, never a panic, and the same
// whether the document is cut into blocks or read whole.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(everyKey), false)
	f.Add([]byte("version: v1\nprovider: aws\nregion: r\nresources:\n"+indented(strings.Join(blocks[:fine], ""), 2)),
		false)
	f.Add([]byte(`{"version": "v1", "provider": "aws", "region": "r", "resources": [{"type": "s3", "name": "abc"}]}`),
		true)
	// What a fuzzer once found: pieces that are read otherwise than the whole.
	for _, text := range []string{
		"resources:\n- \"000", " 0:\nresources:\n  - ", "provider: aws\nresources:#0\n  - 0",
		"!\nresources:\n  - ", "resources:\n- \n\t#0",
	} {
		f.Add([]byte(text), false)
	}
	names, err := filepath.Glob("testdata/bad/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && filepath.Ext(name) != ".golden" {
			f.Add(b, filepath.Ext(name) == ".json")
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, asJSON bool) {
		name := "ovi.yaml"
		if asJSON {
			name = "ovi.json"
		}
		s := config.Pieces(config.New([]string{name}, options(fstest.MapFS{name: {Data: b}})), 1)
		in, err := loadFrom(s)
		var problems source.Problems
		if err != nil && (!errors.As(err, &problems) || len(problems) == 0 || in.Resources != nil) {
			t.Fatalf("neither an intent nor problems: %v, %v", in, err)
		}
		for _, p := range problems {
			if p.Summary == "" || strings.Contains(p.String(), fakeSecret) {
				t.Fatalf("a bad problem: %+v", p)
			}
		}
		for i := range in.Resources {
			if i > 0 && in.Resources[i-1].Ref.Compare(in.Resources[i].Ref) >= 0 {
				t.Fatalf("%v stands before %v", in.Resources[i-1].Ref, in.Resources[i].Ref)
			}
		}
		whole, wholeErr := loadFrom(config.Whole(s))
		if diff := cmp.Diff(whole, in, compare()...) + cmp.Diff(fmt.Sprint(wholeErr), fmt.Sprint(err)); diff != "" {
			t.Fatalf("whole (-) and cut (+) differ: %s", diff)
		}
	})
}
