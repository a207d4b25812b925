package core

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ovi-project/ovi/internal/vfs"
)

// Journal keeps the state in one file of JSON lines: a header, then one line a
// request that changed something. A line is written by one write call, so a
// killed process leaves at most a torn last line, which the next one cuts off:
// that request never happened. Every method needs the file lock.
type Journal struct {
	Path string
	Lock *os.File
	f    *os.File
	info fs.FileInfo // of f, to notice that another process has replaced it
	size int64       // how far f was applied
	ops  int         // changes in f

	kinds *Kinds
}

const formatVersion = 1

type header struct {
	Format int    `json:"awsfake"`
	Salt   string `json:"salt"`
}

// Batch is one line of the journal: the changes of a request.
type Batch struct {
	Seq int64 `json:"n"`
	Ops []Op  `json:"ops"`
}

type rawBatch struct {
	Seq int64 `json:"n"`
	Ops []struct {
		Kind   string          `json:"k"`
		Region string          `json:"r"`
		Del    string          `json:"del"`
		Put    json.RawMessage `json:"put"`
	} `json:"ops"`
}

// OpenJournal opens the journal in a file, which need not exist.
func OpenJournal(path string, k *Kinds) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE|vfs.NoFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return &Journal{Path: path, Lock: lock, kinds: k}, nil
}

// Close closes the files.
func (j *Journal) Close() error {
	err := j.Lock.Close()
	if j.f != nil {
		err = errors.Join(err, j.f.Close())
	}
	return err
}

// Refresh applies what other processes have written since the last refresh.
// It gives the state to continue with, a new one when the file was replaced.
func (j *Journal) Refresh(st *State) (*State, error) {
	info, err := os.Stat(j.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := j.Begin(NewSalt()); err != nil {
			return nil, err
		}
		info, err = os.Stat(j.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if st == nil || j.f == nil || !os.SameFile(info, j.info) || info.Size() < j.size {
		return j.reload()
	}
	if info.Size() == j.size {
		return st, nil
	}
	return st, j.catchUp(st)
}

func (j *Journal) reload() (*State, error) {
	j.release()
	f, err := os.OpenFile(j.Path, os.O_RDWR|vfs.NoFollow, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	j.f, j.size, j.ops = f, 0, 0
	if j.info, err = f.Stat(); err != nil {
		j.release()
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	st := NewState("", j.kinds)
	return st, j.catchUp(st)
}

// release closes the file: the next refresh reads it from the beginning.
func (j *Journal) release() {
	if j.f != nil {
		_ = j.f.Close() // every write to it has been answered for
		j.f = nil
	}
}

// catchUp applies the lines after j.size and cuts a torn last one off.
func (j *Journal) catchUp(st *State) (err error) {
	defer func() {
		if err != nil {
			j.release() // what was applied is incomplete
		}
	}()
	r := bufio.NewReaderSize(io.NewSectionReader(j.f, j.size, 1<<62), 1<<16)
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if len(line) > 0 {
				if err := j.f.Truncate(j.size); err != nil {
					return fmt.Errorf("sandbox: truncate the incomplete end of %s: %w", j.Path, err)
				}
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("sandbox: %w", err)
		}
		if err := j.apply(st, line); err != nil {
			return fmt.Errorf("sandbox: %s is damaged at byte %d: %w; run `ovi sandbox reset` to start with an empty account",
				j.Path, j.size, err)
		}
		j.size += int64(len(line))
	}
}

func (j *Journal) apply(st *State, line []byte) error {
	if j.size == 0 {
		var h header
		if err := json.Unmarshal(line, &h); err != nil {
			return err
		}
		if h.Format != formatVersion {
			return fmt.Errorf("format %d, this program reads format %d", h.Format, formatVersion)
		}
		st.Salt = h.Salt
		return nil
	}
	var b rawBatch
	if err := json.Unmarshal(line, &b); err != nil {
		return err
	}
	for _, o := range b.Ops {
		j.ops++
		if o.Del != "" {
			if t := st.Table(o.Kind, o.Region); t != nil {
				t.drop(o.Del)
			}
			continue
		}
		e := j.kinds.blank(o.Kind)
		if e == nil {
			return fmt.Errorf("unknown kind %q", o.Kind)
		}
		if err := json.Unmarshal(o.Put, e); err != nil {
			return err
		}
		st.Put(e)
		if o.Kind == "region" {
			st.Saved[o.Region] = true
		}
	}
	st.Seq = max(st.Seq, b.Seq)
	return nil
}

// Write makes a request's changes durable against the end of this process;
// after an error the file is as it was before.
func (j *Journal) Write(b Batch) error {
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

// NewSalt returns the seed of a new account.
func NewSalt() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
