package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
)

// PlanHead is the first line of a plan file: where the plan was made, so that it is applied
// there. What follows is the engine's. Hash seals both.
type PlanHead struct {
	Type    string   `json:"type"` // "ovi-plan-file"
	Format  int      `json:"format"`
	Dir     string   `json:"dir"`     // the working directory
	Sources []string `json:"sources"` // absolute, or URLs of Git
	DataDir string   `json:"data_dir"`
	// Policies are the files that applied to every stack, absolute: they apply again when the plan
	// is applied.
	Policies []string `json:"policies,omitempty"`
	// Options are those of the providers, by provider and key; secret ones are not among them.
	Options map[string]map[string]string `json:"options,omitempty"`
	Sandbox []string                     `json:"sandbox,omitempty"` // the providers that used their sandboxes
	chartHead
	Hash string `json:"hash"` // SHA-256 of the file with an empty hash
}

// Sealed is a plan file with its hash, which covers all of it.
func Sealed(head PlanHead, plan []byte) (file []byte, seal string, err error) {
	head.Hash = ""
	line, err := json.Marshal(head)
	if err != nil {
		return nil, "", err
	}
	sum := sha256.New()
	sum.Write(append(line, '\n'))
	sum.Write(plan)
	head.Hash = hex.EncodeToString(sum.Sum(nil))
	if line, err = json.Marshal(head); err != nil {
		return nil, "", err
	}
	return append(append(line, '\n'), plan...), head.Hash, nil
}

// SavePlan writes a temporary file and renames it, so that the file is always complete.
func SavePlan(c *command.Call, name string, sources []string, l *Session, p *engine.Planned) error {
	if err := mayReplace(name); err != nil {
		return err
	}
	head := PlanHead{Type: planFileType, Format: engine.PlanFormat, Options: savedOptions(c, l.Intents)}
	if c.Sandboxed() {
		for _, e := range c.Entries() {
			if e.Sandbox {
				head.Sandbox = append(head.Sandbox, e.Name)
			}
		}
	}
	var err error
	if head.Dir, err = filepath.Abs("."); err != nil {
		return err
	}
	if head.DataDir, err = filepath.Abs(l.Dir); err != nil {
		return err
	}
	if head.Sources, err = absolutes(sources); err != nil {
		return err
	}
	if head.Policies, err = absolutes(PoliciesOf(c)); err != nil {
		return err
	}
	if head.chartHead, err = headOfChart(c, sources); err != nil {
		return err
	}
	var plan bytes.Buffer
	if err := p.Save(&plan); err != nil {
		return err
	}
	b, seal, err := Sealed(head, plan.Bytes())
	if err != nil {
		return err
	}
	if _, err := l.Ledger.Record(c, event.PlanSaved{Plan: p.ID, Hash: p.Hash, Seal: seal}); err != nil {
		return err
	}
	if err := command.WriteFile(name, b); err != nil {
		return &cli.Problem{Summary: "cannot save the plan", File: name, Err: cli.Plain(err)}
	}
	return nil
}

// savedOptions are the options that a plan was made with, without secrets.
func savedOptions(c *command.Call, intents []resource.Intent) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, e := range c.Entries() {
		for _, o := range e.Options {
			v := c.Option(e, o.Key, intents)
			if v == "" || o.Secret {
				continue
			}
			if out[e.Name] == nil {
				out[e.Name] = map[string]string{}
			}
			out[e.Name][o.Key] = v
		}
	}
	return out
}

// AsPlanned uses the options that a plan was made with, and refuses another system.
func AsPlanned(c *command.Call, head PlanHead, name string) error {
	if c.Sandboxed() && len(head.Sandbox) == 0 {
		return cli.Usage("omit --sandbox, or plan again", "%s was not made for the sandbox", name)
	}
	values := map[string]string{"data-dir": head.DataDir}
	for _, e := range c.Entries() {
		for _, o := range e.Options {
			value := head.Options[e.Name][o.Key]
			if o.Operator && value != c.Option(e, o.Key, nil) {
				return cli.Usage("give the same value as for the plan, if you trust the program, or plan again",
					"%s was not made with this --%s", name, command.FlagOf(e.Name, o))
			}
			values[command.FlagOf(e.Name, o)] = value
		}
	}
	for flag, value := range values {
		if value == "" {
			continue
		}
		if err := c.Assume(flag, value); err != nil {
			return err
		}
	}
	for _, path := range head.Policies {
		if !c.Takes("policy") || slices.Contains(PoliciesOf(c), path) {
			continue
		}
		if err := c.Cmd.Set("policy", path); err != nil {
			return err
		}
	}
	if err := chartAsPlanned(c, head.chartHead, name); err != nil {
		return err
	}
	if len(head.Sandbox) > 0 {
		return c.Cmd.Set("sandbox", "true")
	}
	return nil
}

// AsRecorded refuses a plan file that is not the one which the audit log says was saved: its hash
// alone can be computed again by whoever edits it.
func AsRecorded(c *command.Call, l *ledger.Ledger, name string, head PlanHead, p *engine.Planned) error {
	saved, err := l.SavedPlan(c, p.ID)
	again := "plan again with this data directory and store: ovi plan --out " + name
	switch {
	case errors.Is(err, ledger.ErrUnproven):
		return &cli.Problem{Summary: "the audit log does not have this plan", File: name, Err: err, Suggestion: again}
	case err != nil:
		return err
	case saved.Seal != head.Hash || saved.Hash != p.Hash:
		return &cli.Problem{
			Summary: "the plan file was changed after it was saved: the audit log has another hash",
			File:    name, Suggestion: again,
		}
	}
	return nil
}

// SavedPlan refuses a file that is no saved plan.
func SavedPlan(name string) error {
	if _, err := os.Stat(name); err != nil {
		return &cli.Problem{
			Summary: "cannot read the plan", File: name, Err: cli.Plain(err),
			Suggestion: "check the name, or create one: ovi plan --out FILE",
		}
	}
	if !IsPlan(name) {
		of := ""
		if filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml" {
			of = " " + name // a configuration
		}
		return cli.Usage("save a plan first: ovi plan"+of+" --out FILE", "%s is not a saved plan", name)
	}
	return nil
}

// LoadPlan reads a plan file and verifies its hash.
func LoadPlan(name string) (PlanHead, *engine.Planned, error) {
	var head PlanHead
	b, err := budget.ReadFile(name, budget.Plan)
	if err != nil {
		return head, nil, &cli.Problem{
			Summary: "cannot read the plan", File: name, Err: cli.Plain(err), Suggestion: "create it again: ovi plan --out FILE",
		}
	}
	again := "create it again: ovi plan --out " + name
	line, plan, _ := bytes.Cut(b, []byte("\n"))
	if err := json.Unmarshal(line, &head); err != nil {
		return head, nil, &cli.Problem{Summary: "the plan file is damaged", File: name, Err: err, Suggestion: again}
	}
	if head.Format != engine.PlanFormat {
		return head, nil, &cli.Problem{Summary: fmt.Sprintf("the plan file has format %d, and this version of ovi reads %d",
			head.Format, engine.PlanFormat), File: name, Suggestion: again}
	}
	if whole, _, err := Sealed(head, plan); err != nil || !bytes.Equal(whole, b) {
		return head, nil, &cli.Problem{
			Summary: "the plan file was changed or is damaged: its hash does not match",
			File:    name, Err: err, Suggestion: again,
		}
	}
	p, err := engine.Load(bytes.NewReader(plan))
	if err != nil {
		return head, nil, &cli.Problem{Summary: "the plan file is damaged", File: name, Err: err, Suggestion: again}
	}
	return head, p, head.relocate()
}

// relocate replaces the paths of a plan that was saved in another checkout. A path below the working directory of
// the plan that no longer exists means the same path below this working directory, because each job of a pipeline has
// a folder of its own. The hashes in the plan and in the audit log identify the files.
func (h *PlanHead) relocate() error {
	here, err := filepath.Abs(".")
	if err != nil || here == h.Dir || h.Dir == "" {
		return err
	}
	moved := func(path string) string {
		if _, err := os.Lstat(path); !filepath.IsAbs(path) || !errors.Is(err, fs.ErrNotExist) {
			return path
		}
		rel, err := filepath.Rel(h.Dir, path)
		if err != nil || !filepath.IsLocal(rel) {
			return path
		}
		return filepath.Join(here, rel)
	}
	h.DataDir = moved(h.DataDir)
	for _, all := range [][]string{h.Sources, h.Policies, h.Values} {
		for i := range all {
			all[i] = moved(all[i])
		}
	}
	return nil
}
