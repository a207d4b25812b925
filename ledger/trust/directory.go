package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/wal"
)

// Note describes a data directory in the state home. Who writes the directory cannot change it there.
type Note struct {
	Log     string  `json:"log"` // the identity
	Dir     string  `json:"dir"`
	Machine string  `json:"machine,omitempty"`
	Seq     wal.Seq `json:"seq"` // the newest record
	Chain   string  `json:"chain"`
}

// NoteOf is the note of a log in a place.
func NoteOf(l *wal.Log, place, machine string) Note {
	end := l.Frontier()
	return Note{Log: LogName(l.ID()), Dir: place, Machine: machine, Seq: end.Seq, Chain: end.Chain.String()}
}

// Opened is a data directory whose log ends with a signature of an accepted key.
type Opened struct {
	Dir     string // absolute, without links
	Machine string
	Log     string
	End     wal.Frontier
	Has     func(wal.Frontier) (bool, error)
}

// DirectoryError is returned for a data directory that is not provably the user's own. Nothing was changed.
type DirectoryError struct {
	Dir string
	Why string
	Key string // that signed the end of the log, if it is not the own one
}

func (e *DirectoryError) Error() string {
	return "the data directory " + e.Dir + " is not known as your own: " + e.Why
}

// Judge is the table of the directories that ovi opens. The caller has verified the signature. The first row that
// matches decides:
//
//	the own key, or OVI_LOG_KEY of a job that only verifies   accepted if place and newest record fit the note,
//	                                                          or if there is no note
//	an empty or new directory                                 accepted, and noted
//	anything else                                             refused, until an operator accepts it
func Judge(o Opened, n *Note) error {
	if n == nil {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return &DirectoryError{Dir: o.Dir, Why: fmt.Sprintf(format, args...)}
	}
	switch {
	case n.Machine != o.Machine:
		return refuse("it is a copy: its audit log was last used on another machine, in %s", n.Dir)
	case n.Dir != o.Dir:
		return refuse("it is a copy, or was moved: its audit log was last used in %s", n.Dir)
	case o.End.Seq < n.Seq:
		return refuse("it was put back to an earlier state: its audit log ends at record %d, and record %d was written",
			o.End.Seq, n.Seq)
	}
	// two copies continue with the same numbers: only the chain value tells their records apart
	chain, err := wal.ParseChain(n.Chain)
	if err != nil {
		return err
	}
	if has, err := o.Has(wal.Frontier{Seq: n.Seq, Chain: chain}); err != nil || has {
		return err
	}
	return refuse("it is a copy that was used on its own: its record %d is not the one that was written", n.Seq)
}

// Foreign is the DirectoryError for a log of another key.
func Foreign(dir string, e *wal.ForeignError) *DirectoryError {
	key := wal.FormatPublicKey(e.Key)
	what := fmt.Sprintf("its audit log, up to record %d,", e.Seq)
	if e.Notice {
		what = "the trim of its audit log"
	}
	own := "there is no own key yet"
	if e.Own != nil {
		own = "the own key is " + wal.FormatPublicKey(e.Own)
	}
	return &DirectoryError{dir, fmt.Sprintf("%s is signed by key %s, and %s", what, key, own), key}
}

// Home is the part of a user's state home with the signing key and the notes. The zero Home keeps nothing.
type Home string

// KeyFile is the file of the signing key.
func (h Home) KeyFile() string { return filepath.Join(string(h), "log.key") }

func (h Home) noteOf(log string) string { return filepath.Join(string(h), "logs", log+".json") }

// Note is the note of a log; nil if there is none.
func (h Home) Note(log string) (*Note, error) {
	if h == "" {
		return nil, nil
	}
	b, err := budget.ReadFile(h.noteOf(log), budget.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var n Note
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: read the note of the data directory, %s: %w", h.noteOf(log), err)
	}
	return &n, nil
}

// Keep writes a note, unless a newer note of the same place exists. The caller keeps a note only for a directory
// that Judge or an operator has accepted, because Keep also replaces the note of another place.
func (h Home) Keep(n Note) error {
	if h == "" {
		return nil
	}
	if was, err := h.Note(n.Log); err == nil && was != nil && was.Dir == n.Dir && was.Machine == n.Machine &&
		was.Seq >= n.Seq {
		return nil
	}
	return h.Replace(n)
}

// Replace writes a note over any other: an operator has accepted the directory.
func (h Home) Replace(n Note) error {
	if h == "" {
		return nil
	}
	name := h.noteOf(n.Log)
	b, err := json.Marshal(n)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = writeNote(name, append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("ledger: note the data directory: %w", err)
	}
	return nil
}

// writeNote replaces a file so that a crash leaves the old or the new one. The folder is not synced. If a crash
// undoes the rename, the older note still fits the log, which only grows.
func writeNote(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".note-*") // 0600
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

// Place is the absolute path of a directory without links.
func Place(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// Machine tells machines apart that share a state home; "" means that the system has no identity, or hides it from the
// user. An identity that cannot be read now is an error: without it, the next command would take the directory for a
// copy from another machine.
func Machine() (string, error) { return machineIn("/etc/machine-id") }

func machineIn(file string) (string, error) {
	id, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("ledger: read the identity of the machine: %w", err)
	}
	text := strings.TrimSpace(string(id))
	if text == "" {
		return "", nil
	}
	sum := sha256.Sum256([]byte("ovi " + text))
	return hex.EncodeToString(sum[:8]), nil
}

// LogName is the identity of a log in notes.
func LogName(id [16]byte) string { return hex.EncodeToString(id[:]) }

// PublicKeyIn is the public key in a file of a signing key; nil if there is no such file.
func PublicKeyIn(file string) (ed25519.PublicKey, error) {
	text, err := budget.ReadFile(file, budget.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: read the signing key: %w", err)
	}
	key, err := wal.ParseSigningKey(text)
	if err != nil {
		return nil, fmt.Errorf("ledger: %s: %w", file, err)
	}
	return key.Public().(ed25519.PublicKey), nil
}
