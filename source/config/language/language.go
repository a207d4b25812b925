package language

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// Options holds the values from the command line and the functions that a Language calls.
type Options struct {
	// Environment is the name of the environment; an empty name means that none is given. Asked reports that it was
	// given for this configuration, so that a configuration without environments is an error.
	Environment string
	Asked       bool
	Values      []Document // of files of values; the last one wins
	Set         []string   // NAME=VALUE; the last one wins
	// LocationWords are the keys for a location.
	LocationWords []string
	// Outside returns the value of ${FROM:NAME} and reports problems with it.
	Outside func(f *input.File, n *source.Node, from, name string) (source.Part, bool)
	// KeepOrigins keeps the variables that each value comes from, for Origin.
	KeepOrigins bool
	// Hide keeps a secret out of all messages; written replaces it.
	Hide func(secret, written string)
	// Depends adds a value from outside to the version of the configuration.
	Depends func(name, value string, public bool)
	// Environments is called with the stack of each environment, before one of them is chosen; nil means that it is not.
	Environments func(stacks map[string]string)
	// Wrong reports a problem. The ref names the resource or the environment.
	Wrong func(at position.Position, ref, summary, suggestion string)
	// Used returns the value of ${use/NAME.OUTPUT}, or reports why it has none. An empty summary means that the problem is
	// reported already. Nil means that the configuration has no components.
	Used func(name string) (value any, summary, suggestion string, ok bool)
	// HasKind reports whether a kind exists, and IsID whether a text is the ID of a resource of a kind.
	HasKind func(kind string) bool
	IsID    func(kind, text string) bool
	// Prefix is put before the names of resources in references: the language is one of a component. Within is the
	// language of the file that uses it.
	Prefix string
	Within *Language
}

// Document is a document of a file.
type Document struct {
	File *input.File
	Root *source.Node
}

// Language holds the variables, locals and environments of one configuration. It is used by one goroutine.
type Language struct {
	opts         Options
	bindings     map[string]*binding     // "vars.NAME" and "locals.NAME"
	environments map[string]*Environment // by name
	declared     Document                // the first environments
	chosen       *Environment
	stack        string
	values       map[string]any // "vars" and "locals", evaluated so far
	programs     map[string]*program
	scanned      map[string]scanned
	memo         map[string]any
	cost         *uint64 // of all evaluations of one load
	failed       int
	origins      map[position.Position][]piece // expressions, if they are kept
	roots        []string
	// evaluating are the values that are being evaluated, and decisive the variables of the command line that decide
	// the resources of a block, by the positions of the block and its condition. Components share both. Decisive is nil
	// if the command line sets nothing.
	evaluating *trail
	decisive   map[position.Position][]string
	partial    bool // a file that may declare names cannot be read
}

// New returns an empty Language.
func New(opts Options) *Language {
	l := &Language{
		opts: opts, bindings: map[string]*binding{}, environments: map[string]*Environment{},
		values:   map[string]any{"vars": map[string]any{}, "locals": map[string]any{}, refRoot: map[string]any{}},
		programs: map[string]*program{}, scanned: map[string]scanned{}, memo: map[string]any{},
		origins: map[position.Position][]piece{}, roots: append(roots(), refRoot), cost: new(uint64), evaluating: &trail{},
	}
	if in := opts.Within; in != nil {
		l.cost, l.scanned, l.decisive, l.evaluating = in.cost, in.scanned, in.decisive, in.evaluating
	} else if len(opts.Values)+len(opts.Set) > 0 {
		l.decisive = map[position.Position][]string{}
	}
	return l
}

// Miss tells a language that a file that may declare variables and locals cannot be read. A name that is not declared
// elsewhere is then no problem of its own.
func Miss(l *Language) { l.partial = true }

// Declare adds the variables, locals and environments of a document.
func (l *Language) Declare(d Document) {
	if n := d.Root.Get("stack"); n != nil && n.Shape == source.Scalar && l.stack == "" {
		l.stack = n.Text
	}
	l.each(d, "vars", func(k, v *source.Node) { l.declare(d.File, k, v) })
	l.each(d, "locals", func(k, v *source.Node) {
		l.bind(&binding{name: "locals." + k.Text, file: d.File, key: k, node: v})
	})
	if d.Root.Get("environments") != nil && l.declared.Root == nil {
		l.declared = Document{d.File, d.Root.Get("environments")}
	}
	l.each(d, "environments", func(k, v *source.Node) { l.environment(d.File, k, v) })
}

// each calls a function for each entry of a map of a document.
func (l *Language) each(d Document, key string, do func(k, v *source.Node)) {
	n := d.Root.Get(key)
	switch {
	case n == nil || n.IsNull():
		return
	case n.Shape != source.Object:
		l.wrong(d.File, n, "", key+" must be a map of names, got "+n.Form(), "use NAME: VALUE lines below "+key)
		return
	}
	for again, first := range source.Duplicates(n) {
		l.wrong(d.File, again, "", "duplicate "+key+"."+again.Text,
			"remove one; the other is at "+d.File.At(first.Line, first.Column).String())
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Kids); i += 2 {
		if k := &n.Kids[i]; !seen[k.Text] {
			seen[k.Text] = true
			do(k, &n.Kids[i+1])
		}
	}
}

// bind adds a binding, which no other document has.
func (l *Language) bind(b *binding) bool {
	if !nameForm.MatchString(b.key.Text) || reserved(b.key.Text) {
		l.wrong(b.file, b.key, "", "invalid name "+source.Quote(b.key.Text),
			"use letters, digits and '_', and no word of CEL")
		return false
	}
	if first := l.bindings[b.name]; first != nil {
		l.wrong(b.file, b.key, "", "duplicate "+b.name,
			"remove one; the other is at "+first.file.At(first.key.Line, first.key.Column).String())
		return false
	}
	l.bindings[b.name] = b
	return true
}

// EvaluateAll chooses the environment and evaluates all variables and locals. No document is declared after it. It
// returns false if no environment is chosen, so that the configuration cannot be read.
func (l *Language) EvaluateAll() bool {
	if !l.choose() {
		return false
	}
	l.applyGiven()
	for _, name := range slices.Sorted(maps.Keys(l.bindings)) {
		if b := l.bindings[name]; b.isVar() {
			l.evaluate(b)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.bindings)) {
		b := l.bindings[name]
		l.evaluate(b)
		l.check(b)
	}
	return true
}

// Stack returns the name of the stack: STACK-ENVIRONMENT unless the environment sets its own. Without environments it
// returns the literal name.
func (l *Language) Stack() string {
	switch {
	case l.chosen == nil || l.stack == "":
		return l.stack
	case l.chosen.Stack != "":
		return l.chosen.Stack
	}
	return l.stack + "-" + l.chosen.Name
}

// wrong reports a problem at a node.
func (l *Language) wrong(f *input.File, n *source.Node, ref, summary, suggestion string) {
	l.failed++
	if ref == "" && l.chosen != nil {
		ref = "environment " + l.chosen.Name
	}
	l.opts.Wrong(f.At(n.Line, n.Column), ref, summary, suggestion)
}

// at reports a problem in the nth ${…} of a string.
func (l *Language) at(f *input.File, n *source.Node, p piece, sc *Scope, e *located) {
	l.failed++
	ref := ""
	if sc != nil {
		ref = sc.Ref
	}
	if sc != nil && sc.each != nil {
		ref += `, each.key = ` + source.Quote(sc.Key)
	}
	if sc != nil && sc.isMember {
		ref += ", index = " + strconv.FormatInt(sc.index, 10)
	}
	if l.chosen != nil && ref == "" {
		ref = "environment " + l.chosen.Name
	}
	l.opts.Wrong(place(f, n, p.nth, e), strings.TrimPrefix(ref, ", "), e.Summary, e.Suggestion)
}

// place returns the position of an error in the nth ${…} of a string. A negative nth means that the whole string is
// an expression.
func place(f *input.File, n *source.Node, nth int, e *located) position.Position {
	lines := strings.Split(f.Text, "\n")
	if n.Line < 1 || int(n.Line) > len(lines) {
		return f.At(n.Line, n.Column)
	}
	line, from := int(n.Line)-1, int(n.Column)-1
	if nth < 0 {
		row := []rune(lines[line])
		if from < len(row) && (row[from] == '"' || row[from] == '\'') {
			from++
		}
		if e.Line > 1 || e.Column < 0 {
			return f.At(n.Line, n.Column)
		}
		return f.At(n.Line, int32(from+1+e.Column))
	}
	for ; line < len(lines); line++ {
		row := []rune(lines[line])
		rest := string(row[min(max(from, 0), len(row)):])
		count := strings.Count(rest, "${")
		if nth >= count {
			nth, from = nth-count, 0
			continue
		}
		column := min(max(from, 0), len(row))
		for i := 0; i <= nth; i++ {
			j := strings.Index(rest, "${") + 2
			column, rest = column+len([]rune(rest[:j])), rest[j:]
		}
		if e.Line <= 1 {
			return f.At(int32(line+1), int32(column+1+max(e.Column, 0)))
		}
		below := min(line+e.Line-1, len(lines)-1)
		indent := len(lines[below]) - len(strings.TrimLeft(lines[below], " "))
		return f.At(int32(below+1), int32(indent+1+e.Column))
	}
	return f.At(n.Line, n.Column)
}

// nearest suggests a name.
func nearest(word string, names []string) string {
	slices.Sort(names)
	if near, ok := resource.Nearest(word, names); ok {
		return "use " + near
	}
	return cmp.Or(source.Suggest(word, names), "declare it")
}
