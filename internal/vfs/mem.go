package vfs

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// ErrStopped is the error of every operation of a Mem after Stop.
var ErrStopped = errors.New("vfs: the power is off")

// Op is a changing operation, as a hook gets it.
type Op struct {
	N    int    // counted from 1 on
	Kind string // create, write, truncate, sync, rename, remove, syncdir
	Name string
}

// Mem is a file system in memory that can fail at any operation and show what
// a power cut would leave. The zero value is not usable; see NewMem.
type Mem struct {
	mu      sync.Mutex
	dirs    map[string]bool
	files   map[string]*inode // what programs see
	durable map[string]*inode // what certainly survives
	pending []dirChange       // of directories, since their last SyncDir
	ops     int
	hook    func(Op) error
	limit   int64
	stopped bool
	chance  *rand.Rand
}

// dirChange is one change of a directory; it survives completely or not at all.
type dirChange struct {
	set   string // the new name of node; empty if none
	node  *inode
	unset string // the removed name; empty if none
}

// NewMem returns an empty file system. The seed decides what a failed write or
// sync leaves behind.
func NewMem(seed uint64) *Mem {
	return &Mem{
		dirs: map[string]bool{".": true, "/": true}, files: map[string]*inode{}, durable: map[string]*inode{},
		limit: 1 << 60, chance: rand.New(rand.NewPCG(seed, 1)),
	}
}

// OnOp sets a function that is called before every change; its error makes the
// operation fail. A write that fails may have written a part, and a sync that
// fails leaves some bytes behind that no later sync makes durable. ErrStopped
// is a power cut in the middle of the operation.
func (m *Mem) OnOp(hook func(Op) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hook = hook
}

// Ops returns how many changes were requested so far.
func (m *Mem) Ops() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ops
}

// Limit sets how many bytes all files together can have; a write that needs
// more fails with ENOSPC.
func (m *Mem) Limit(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit = bytes
}

// Stop makes every later operation fail, as if the machine had lost its power;
// Crash then shows what is left.
func (m *Mem) Stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
}

// ask counts a change and calls the hook, which may fail it.
func (m *Mem) ask(kind, name string) error {
	if m.stopped {
		return ErrStopped
	}
	m.ops++
	if m.hook == nil {
		return nil
	}
	if err := m.hook(Op{N: m.ops, Kind: kind, Name: name}); err != nil {
		m.stopped = errors.Is(err, ErrStopped)
		return &fs.PathError{Op: kind, Path: name, Err: err}
	}
	return nil
}

// OpenFile implements FS.
func (m *Mem) OpenFile(name string, flag int, _ fs.FileMode) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = filepath.ToSlash(filepath.Clean(name))
	if m.stopped {
		return nil, ErrStopped
	}
	node := m.files[name]
	if node == nil {
		if flag&os.O_CREATE == 0 || !m.dirs[path.Dir(name)] {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		if err := m.ask("create", name); err != nil {
			return nil, err
		}
		node = &inode{}
		m.files[name] = node
		m.pending = append(m.pending, dirChange{set: name, node: node})
	} else if flag&os.O_EXCL != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	} else if flag&os.O_TRUNC != 0 {
		if err := m.ask("truncate", name); err != nil {
			return nil, err
		}
		node.truncate(0)
	}
	return &memFile{m: m, name: name, node: node, writable: flag&(os.O_RDWR|os.O_WRONLY) != 0}, nil
}

// MkdirAll implements FS. Directories are durable at once.
func (m *Mem) MkdirAll(dir string, _ fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for dir = filepath.ToSlash(filepath.Clean(dir)); !m.dirs[dir]; dir = path.Dir(dir) {
		m.dirs[dir] = true
	}
	return nil
}

// ReadDir implements FS.
func (m *Mem) ReadDir(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir = filepath.ToSlash(filepath.Clean(dir))
	if m.stopped {
		return nil, ErrStopped
	}
	if !m.dirs[dir] {
		return nil, &fs.PathError{Op: "readdir", Path: dir, Err: fs.ErrNotExist}
	}
	var names []string
	for name := range m.files {
		if path.Dir(name) == dir {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// Rename implements FS.
func (m *Mem) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to = filepath.ToSlash(filepath.Clean(from)), filepath.ToSlash(filepath.Clean(to))
	node := m.files[from]
	if node == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	if err := m.ask("rename", to); err != nil {
		return err
	}
	delete(m.files, from)
	m.files[to] = node
	m.pending = append(m.pending, dirChange{set: to, node: node, unset: from})
	return nil
}

// Remove implements FS.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = filepath.ToSlash(filepath.Clean(name))
	if m.files[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	if err := m.ask("remove", name); err != nil {
		return err
	}
	delete(m.files, name)
	m.pending = append(m.pending, dirChange{unset: name})
	return nil
}

// SyncDir implements FS.
func (m *Mem) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir = filepath.ToSlash(filepath.Clean(dir))
	if err := m.ask("syncdir", dir); err != nil {
		return err
	}
	rest := m.pending[:0]
	for _, c := range m.pending {
		if path.Dir(c.set) == dir || path.Dir(c.unset) == dir {
			c.apply(m.durable)
		} else {
			rest = append(rest, c)
		}
	}
	m.pending = rest
	return nil
}

func (c dirChange) apply(names map[string]*inode) {
	if c.unset != "" {
		delete(names, c.unset)
	}
	if c.set != "" {
		names[c.set] = c.node
	}
}

// room returns how many more bytes the files may have.
func (m *Mem) room() int64 {
	room := m.limit
	for _, node := range m.files {
		room -= int64(len(node.data))
	}
	return room
}

// errFull is the error of a full disk.
var errFull = syscall.ENOSPC
