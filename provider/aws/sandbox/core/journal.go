package core

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
			return fmt.Errorf("sandbox: %s is damaged at byte %d: %w; run `ovi sandbox reset` to start with an empty account", j.Path, j.size, err)
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
