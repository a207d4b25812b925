package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/cli"
	"github.com/ovi-project/ovi/engine"
)

// planHead is the first line of a plan file: where the plan was made, so that it is applied
// there. What follows is the engine's.
type planHead struct {
	Type    string   `json:"type"` // "ovi-plan-file"
	Format  int      `json:"format"`
	Sources []string `json:"sources"` // absolute
	DataDir string   `json:"data_dir"`
	// Policies are the files that applied to every stack, absolute: they apply again when the plan
	// is applied.
	Policies []string `json:"policies,omitempty"`
	Sandbox  bool     `json:"sandbox"`
	Profile  string   `json:"profile,omitempty"`
	Region   string   `json:"region,omitempty"`
}

const (
	planFileType   = "ovi-plan-file"
	planFileFormat = 1
)

// savePlan writes a temporary file and renames it, so that the file is always complete.
func (c *call) savePlan(name string, sources []string, dir string, p *engine.Planned) error {
	head := planHead{
		Type: planFileType, Format: planFileFormat, Sandbox: c.cmd.Bool("sandbox"),
		Profile: c.cmd.String("profile"), Region: c.region(),
	}
	var err error
	if head.DataDir, err = filepath.Abs(dir); err != nil {
		return err
	}
	for _, s := range sources {
		abs, err := filepath.Abs(s)
		if err != nil {
			return err
		}
		head.Sources = append(head.Sources, abs)
	}
	if head.Policies, err = absolutes(c.policyPaths()); err != nil {
		return err
	}
	line, err := json.Marshal(head)
	if err != nil {
		return err
	}
	b := bytes.NewBuffer(append(line, '\n'))
	if err := p.Save(b); err != nil {
		return err
	}
	if err := writeFile(name, b.Bytes()); err != nil {
		return &cli.Problem{Summary: "cannot save the plan", File: name, Err: cli.Plain(err)}
	}
	return nil
}

func writeFile(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".ovi-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// isPlan reads the start of a file, whatever it is called.
func isPlan(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 64)
	n, _ := io.ReadFull(f, begin)
	return bytes.HasPrefix(begin[:n], []byte(`{"type":"`+planFileType+`"`))
}

// loadPlan reads a plan file.
func loadPlan(name string) (planHead, *engine.Planned, error) {
	var head planHead
	f, err := os.Open(name)
	if err != nil {
		return head, nil, &cli.Problem{Summary: "cannot read the plan", File: name, Err: cli.Plain(err)}
	}
	defer f.Close()
	broken := func(err error) error {
		return &cli.Problem{Summary: "the plan file is damaged", File: name, Err: err, Suggestion: "create it again: ovi plan --out " + name}
	}
	r := bufio.NewReader(f)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return head, nil, broken(err)
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return head, nil, broken(err)
	}
	if head.Format > planFileFormat {
		return head, nil, &cli.Problem{Summary: "the plan file was written by a newer ovi", File: name, Suggestion: "apply it with that version"}
	}
	p, err := engine.Load(r)
	if err != nil {
		return head, nil, broken(err)
	}
	return head, p, nil
}
