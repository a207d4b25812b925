package vfs

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"time"
)

// inode is a file apart from its names.
type inode struct {
	data     []byte   // what programs see
	durable  []byte   // what certainly survives
	unsynced []change // what was done since the last sync, in order
	holder   *memFile // of the lock
}

// change is a write at an offset, or, without data, a new length.
type change struct {
	at   int64
	data []byte
}

func (n *inode) write(b []byte, at int64) {
	n.data = put(n.data, b, at)
	n.unsynced = append(n.unsynced, change{at, slices.Clone(b)})
}

func (n *inode) truncate(size int64) {
	n.data = resize(n.data, size)
	n.unsynced = append(n.unsynced, change{at: size})
}

// put writes b into data at an offset; a hole reads as zero.
func put(data, b []byte, at int64) []byte {
	if end := at + int64(len(b)); end > int64(len(data)) {
		data = resize(data, end)
	}
	copy(data[at:], b)
	return data
}

func resize(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		clear(data[size:])
		return data[:size]
	}
	old := len(data)
	data = slices.Grow(data, int(size)-old)[:size]
	clear(data[old:])
	return data
}

// memFile is an open file of a Mem.
type memFile struct {
	m        *Mem
	name     string
	node     *inode
	writable bool
	closed   bool
}

// use locks the file system if the file can be used.
func (f *memFile) use() (unlock func(), err error) {
	f.m.mu.Lock()
	if f.m.stopped {
		err = ErrStopped
	} else if f.closed {
		err = &fs.PathError{Op: "use", Path: f.name, Err: fs.ErrClosed}
	}
	return f.m.mu.Unlock, err
}

func (f *memFile) ReadAt(b []byte, at int64) (int, error) {
	unlock, err := f.use()
	defer unlock()
	if err != nil {
		return 0, err
	}
	if at >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.node.data[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(b []byte, at int64) (int, error) {
	unlock, err := f.use()
	defer unlock()
	if err != nil {
		return 0, err
	}
	if !f.writable {
		return 0, &fs.PathError{Op: "write", Path: f.name, Err: fs.ErrPermission}
	}
	if err := f.m.ask("write", f.name); err != nil {
		n := []int{0, len(b) / 2, len(b)}[f.m.ops%3]
		f.node.write(b[:n], at)
		return n, err
	}
	grow := at + int64(len(b)) - int64(len(f.node.data))
	if room := f.m.room(); grow > room {
		n := max(0, len(b)-int(grow-room))
		f.node.write(b[:n], at)
		return n, &fs.PathError{Op: "write", Path: f.name, Err: errFull}
	}
	f.node.write(b, at)
	return len(b), nil
}

func (f *memFile) Sync() error {
	unlock, err := f.use()
	defer unlock()
	if err != nil {
		return err
	}
	err = f.m.ask("sync", f.name)
	switch {
	case f.m.stopped:
		return err
	case err != nil:
		f.node.durable = survive(f.node, f.m.chance)
	default:
		for _, c := range f.node.unsynced {
			f.node.durable = c.apply(f.node.durable)
		}
	}
	f.node.unsynced = nil
	return err
}

func (c change) apply(data []byte) []byte {
	if c.data == nil {
		return resize(data, c.at)
	}
	return put(data, c.data, c.at)
}

func (f *memFile) Truncate(size int64) error {
	unlock, err := f.use()
	defer unlock()
	if err != nil {
		return err
	}
	if err := f.m.ask("truncate", f.name); err != nil {
		return err
	}
	f.node.truncate(size)
	return nil
}

func (f *memFile) Size() (int64, error) {
	unlock, err := f.use()
	defer unlock()
	return int64(len(f.node.data)), err
}

func (f *memFile) TryLock() (bool, error) {
	unlock, err := f.use()
	defer unlock()
	if err != nil {
		return false, err
	}
	if f.node.holder != nil && f.node.holder != f {
		return false, nil
	}
	f.node.holder = f
	return true, nil
}

func (f *memFile) Unlock() error {
	unlock, err := f.use()
	defer unlock()
	if f.node.holder == f {
		f.node.holder = nil
	}
	return err
}

func (f *memFile) Close() error {
	unlock, err := f.use()
	defer unlock()
	if f.node.holder == f {
		f.node.holder = nil
	}
	f.closed = true
	return err
}

// Stat implements FS.
func (m *Mem) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	node := m.files[path.Clean(name)]
	if node == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return memInfo{path.Base(name), int64(len(node.data))}, nil
}

type memInfo struct {
	name string
	size int64
}

func (i memInfo) Name() string     { return i.name }
func (memInfo) Mode() fs.FileMode  { return 0o600 }
func (memInfo) ModTime() time.Time { return time.Time{} }
func (memInfo) IsDir() bool        { return false }
func (memInfo) Sys() any           { return nil }
func (i memInfo) Size() int64      { return i.size }
