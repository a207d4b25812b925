package source_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ovi-project/ovi/source"
)

// TestOutside reads values, and says why there is none.
func TestOutside(t *testing.T) {
	o := source.Outside{
		Env: func(name string) (string, bool) { return "blue", name == "COLOR" },
		Files: fstest.MapFS{
			"app/motd":   {Data: []byte("hello\n\n")},
			"app/image":  {Data: []byte{0xff, 0xd8}},
			"app/large":  {Data: []byte(strings.Repeat("x", 1<<20+1))},
			"app/just":   {Data: []byte(strings.Repeat("x", 1<<20))},
			"motd":       {Data: []byte("outside of the folder")},
			"app/dos":    {Data: []byte("hello\r\n")},
			"app/nested": {Data: []byte("${env:COLOR}")},
		},
		Dir: "app",
	}
	for _, c := range []struct{ from, name, value, summary, suggestion string }{
		{"env", "COLOR", "blue", "", ""},
		{"env", "SHAPE", "", "the environment variable SHAPE is not set", "export SHAPE="},
		{"file", "motd", "hello\n", "", ""},
		{"file", "dos", "hello", "", ""},
		{"file", "nested", "${env:COLOR}", "", ""},
		{"file", "none", "", "no such file or folder", "relative to app"},
		{"file", "image", "", "is not UTF-8 text", "base64"},
		{"file", "large", "", "is larger than 1 MiB", "smaller"},
		{"file", "just", strings.Repeat("x", 1<<20), "", ""},
		{"evn", "COLOR", "", "unknown variable", "${env:COLOR}"},
		{"env", "", "", "unknown variable", "${env:NAME}"},
	} {
		value, summary, suggestion := o.Value(c.from, c.name)
		if value != c.value || !strings.Contains(summary,
			c.summary) || (summary == "") != (c.summary == "") || !strings.Contains(suggestion, c.suggestion) {
			t.Errorf("${%s:%s} = %.20q, %q, %q; want %.20q, %q, %q", c.from, c.name, value, summary, suggestion, c.value,
				c.summary, c.suggestion)
		}
	}
}

// TestWhatNeverEndsIsNotRead: a device, a pipe that has no other end, and a folder.
func TestWhatNeverEndsIsNotRead(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v\n%s", err, out)
	}
	for _, name := range []string{"/dev/zero", "pipe", filepath.Join(dir, "pipe"), "."} {
		if _, summary, _ := (source.Outside{Dir: dir}).Value("file", name); !strings.Contains(summary,
			"it is not a regular file") {
			t.Errorf("%s: %q", name, summary)
		}
	}
}
