package session

import (
	"bytes"
	"io"
	"os"

	"github.com/ovi-project/ovi/cmd/cli"
)

const planFileType = "ovi-plan-file"

// IsPlan reads the start of a file, whatever it is called.
func IsPlan(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 64)
	n, _ := io.ReadFull(f, begin)
	return bytes.HasPrefix(begin[:n], []byte(`{"type":"`+planFileType+`"`))
}

// mayReplace reports a file that a plan must not overwrite: one that exists and is not a saved plan.
func mayReplace(name string) error {
	if info, err := os.Lstat(name); err == nil && (!info.Mode().IsRegular() || info.Size() > 0 && !IsPlan(name)) {
		return &cli.Problem{
			Summary: "cannot save the plan: the file exists and is not a saved plan", File: name,
			Suggestion: "choose another file with --out",
		}
	}
	return nil
}
