package core

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Append makes a request's changes durable against the end of this process;
// after an error the file is as it was before.
func (j *Journal) Append(b Batch) error {
	line, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	line = append(line, '\n')
	if _, err := j.f.WriteAt(line, j.size); err != nil {
		return errors.Join(fmt.Errorf("sandbox: %w", err), j.f.Truncate(j.size))
	}
	j.size += int64(len(line))
	j.ops += len(b.Ops)
	return nil
}

// Begin starts an empty file, whole or not at all.
func (j *Journal) Begin(salt string) error {
	line, err := json.Marshal(header{formatVersion, salt})
	if err != nil {
		return err
	}
	return j.replace(append(line, '\n'))
}

// replace replaces the old file with a new one.
func (j *Journal) replace(content []byte) error {
	tmp := j.Path + ".new"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|vfs.NoFollow, 0o600)
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, j.Path)
	}
	if err != nil {
		return fmt.Errorf("sandbox: write %s: %w", j.Path, err)
	}
	return nil
}

// Compact rewrites the file when most of it is history. What time has ended is
// omitted permanently. An error leaves the old file, or the new one to be read
// afresh: no change is lost either way.
func (j *Journal) Compact(st *State, now time.Time) (*State, error) {
	if j.ops < 4096 {
		return st, nil
	}
	live := 0
	for _, regions := range st.Tables {
		for _, t := range regions {
			live += len(t.pos)
		}
	}
	if j.ops < 4*live {
		return st, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	if err := enc.Encode(header{formatVersion, st.Salt}); err != nil {
		return st, err
	}
	for kind, regions := range st.Tables {
		for region, t := range regions {
			for _, e := range t.Rows() {
				if m, ok := e.(mortal); e == nil || ok && m.Gone(now) {
					continue
				}
				if err := enc.Encode(Batch{st.Seq, []Op{{Kind: kind, Region: region, Put: e}}}); err != nil {
					return st, err
				}
			}
		}
	}
	if err := j.replace(buf.Bytes()); err != nil {
		return st, err
	}
	return j.reload()
}

func NewSalt() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
