package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/resource"
)

// shownErrors is the folder of notes in the folder of a node, which has no audit log: its orchestrator gets them.
const shownErrors = "shown"

// ErrorsAlone reports whether a folder keeps errors and has no audit log: it is the folder of a node.
func ErrorsAlone(dir string) bool {
	_, errs := os.Stat(filepath.Join(dir, keptErrors))
	_, wal := os.Stat(filepath.Join(dir, "wal"))
	return errs == nil && errors.Is(wal, fs.ErrNotExist)
}

// FindKeptError finds the error of a resource by its ref, its short name or its name; false if none is kept.
func FindKeptError(dir, spelling string) (e KeptError, is bool, err error) {
	all, err := os.ReadDir(filepath.Join(dir, keptErrors))
	if err != nil {
		return e, false, err
	}
	for _, entry := range all {
		if filepath.Ext(entry.Name()) != ".json" { // it is being written
			continue
		}
		b, err := budget.ReadFile(filepath.Join(dir, keptErrors, entry.Name()), keptFile)
		if err == nil {
			err = json.Unmarshal(b, &e)
		}
		if err != nil {
			return e, false, err
		}
		if spelling == e.Ref.String() || spelling == e.Ref.Short() || spelling == e.Ref.Name {
			return e, true, nil
		}
	}
	return KeptError{}, false, nil
}

// shown is the note that a whole error was shown.
type shown struct {
	Ref resource.Ref `json:"ref"`
	Of  time.Time    `json:"of"`
	At  time.Time    `json:"at"`
	Who string       `json:"who"`
}

// NoteShown notes in the folder of a node that its operator reads an error, before it is shown.
func (c *Call) NoteShown(dir string, e KeptError) error {
	b, err := json.Marshal(shown{Ref: e.Ref, Of: e.At, At: c.Now().UTC(), Who: c.User()})
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, shownErrors)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return WriteFile(filepath.Join(folder, strconv.FormatInt(c.Now().UnixNano(), 10)+".json"), b)
}

// TakeShown passes the notes of a folder on, and removes those that were recorded.
func TakeShown(dir string, record func(at time.Time, text string) error) error {
	folder := filepath.Join(dir, shownErrors)
	all, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range all {
		if filepath.Ext(entry.Name()) != ".json" { // it is being written
			continue
		}
		name := filepath.Join(folder, entry.Name())
		b, err := budget.ReadFile(name, budget.Text)
		var s shown
		if err == nil {
			err = json.Unmarshal(b, &s)
		}
		if err == nil {
			err = record(s.At, fmt.Sprintf("%s read the whole error of %s of %s on the node", s.Who, s.Ref.Name,
				phrase.Minute(s.Of)))
		}
		if err == nil {
			err = os.Remove(name)
		}
		if err != nil {
			return err
		}
	}
	return err
}
