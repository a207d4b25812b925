package component

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
	"github.com/ovi-project/ovi/source/config/language"
	"github.com/ovi-project/ovi/source/config/read"
)

// The limits of one load.
const (
	mostLevels  = 8
	mostFolders = 1_000
	mostUnits   = 10_000
)

// Options holds the functions and values that components need from the load of a configuration.
type Options struct {
	Files fs.FS // nil means the files of the operating system
	// Git returns the files of a locked folder of another repository, by their paths in it. Nil means that there are none.
	Git func(gitlock.Line) (fs.FS, error)
	// Parse returns the documents of a file and its problems.
	Parse func(*input.File) ([]source.Node, source.Problems)
	// Reader returns the reader of a file.
	Reader func(*input.File) *read.Reader
	// Language are the options of the language of the configuration.
	Language language.Options
	Schemas  source.Schemas
}

// Tree is all components that one configuration uses. It is used by one goroutine.
type Tree struct {
	opts    Options
	top     *Level
	folders map[string]*folder // by the position in the tree of files
	units   map[string]*Unit   // by their whole names
	full    bool               // the limit of units is reported
	locks   map[string]*lock   // by their names for messages
	opened  map[string]opened  // by the lines of locks
	total   gitlock.Total      // bytes of the opened folders
	sums    map[string]string  // by the names of files
}

// Level is a file or a unit: the blocks that it uses components in.
type Level struct {
	tree   *Tree
	lang   *language.Language
	prefix string
	unit   *Unit // nil for the configuration itself
	blocks []*block
	units  map[string]*Unit // by their names in this level
}

// block is one use block.
type block struct {
	in      *Level
	file    *input.File
	node    *source.Node
	place   place
	state   state
	units   []*Unit
	literal string             // the name, if it has no expression
	absent  *position.Position // the condition that is false
}

type state uint8

const (
	unread state = iota
	reading
	done
)

// New returns the components of a configuration, which has none before Declare.
func New(opts Options) *Tree {
	t := &Tree{
		opts: opts, folders: map[string]*folder{}, units: map[string]*Unit{}, sums: map[string]string{},
		locks: map[string]*lock{}, opened: map[string]opened{},
	}
	t.top = &Level{tree: t, units: map[string]*Unit{}}
	return t
}

// Language returns the language of the configuration, which can read the outputs of its components.
func (t *Tree) Language() *language.Language {
	o := t.opts.Language
	o.Used, o.HasKind, o.IsID = t.top.used, t.hasKind, t.isID
	t.top.lang = language.New(o)
	return t.top.lang
}

// Top returns the level of the configuration itself.
func (t *Tree) Top() *Level { return t.top }

// Prefix returns what is put before the names in the level; empty for the configuration itself.
func (v *Level) Prefix() string { return v.prefix }

// Mentioned reports whether a text may have a use block. It is quick, and may be wrong only by returning true.
func Mentioned(text string) bool {
	for {
		i := strings.Index(text, "use")
		if i < 0 {
			return false
		}
		before := i == 0 || strings.IndexByte(" \t\n\r-?,{\"'[", text[i-1]) >= 0
		text = text[i+len("use"):]
		if before && strings.HasPrefix(strings.TrimLeft(strings.TrimLeft(text, `"'`), " \t\r\n"), ":") {
			return true
		}
	}
}

// Is reports whether a block of resources uses a component.
func Is(n *source.Node) bool { return n.Get("use") != nil }

// Declare notes the use blocks of a document.
func (t *Tree) Declare(f *input.File, root *source.Node) {
	list := root.Get("resources")
	uses := func(n source.Node) bool { return Is(&n) }
	if list == nil || list.Shape != source.List || !slices.ContainsFunc(list.Kids, uses) {
		return
	}
	p, err := placeOf(f, t.opts.Files)
	if err != nil {
		language.Report(t.top.lang, f, list, "", "the folder of the file cannot be read: "+source.FileError(err), "")
		return
	}
	l := lockBy(f, p)
	if t.locks[l.shown] == nil {
		t.locks[l.shown] = l
	}
	p.lock = t.locks[l.shown]
	t.top.declare(f, list, p)
}

// declare notes the use blocks of a list of resources.
func (v *Level) declare(f *input.File, list *source.Node, p place) {
	if list == nil || list.Shape != source.List {
		return
	}
	for i := range list.Kids {
		n := &list.Kids[i]
		if !Is(n) {
			continue
		}
		b := &block{in: v, file: f, node: n, place: p}
		if x := n.Get("name"); x != nil && x.Shape == source.Scalar && !source.HasParts(x.Text) {
			b.literal = x.Text
		}
		v.blocks = append(v.blocks, b)
	}
}

// Sums returns the digests of all files of components, by their names.
func (t *Tree) Sums() map[string]string {
	if t == nil {
		return nil
	}
	return t.sums
}

// Units returns the units of a use block, and the condition that is false if it has none because of it. Its problems
// are reported.
func (v *Level) Units(f *input.File, n *source.Node) (units []*Unit, absent *position.Position) {
	for _, b := range v.blocks {
		if b.file.Name == f.Name && b.node.Line == n.Line && b.node.Column == n.Column {
			b.evaluate()
			return b.units, b.absent
		}
	}
	language.Report(v.lang, f, n, "", "the key use is written with escapes", "write use in plain letters")
	return nil, nil
}
