package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/resource"
)

// settings is what holds for the whole stack, whichever document says it.
type settings struct {
	stack   string
	rules   resource.Rules
	options resource.Options
	told    map[string]resource.Position
}

// fit is what names of stacks and regions look like; unfit is what a folder's name loses.
var (
	fit   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}$`)
	unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
)

// tell keeps where a setting was said. Said again it must be the same.
func (d *document) tell(name string, n *node, same bool) bool {
	first, again := d.words.told[name]
	switch {
	case !again:
		d.words.told[name] = d.file.at(n.line, n.col)
	case !same:
		d.wrong(n, fmt.Sprintf("%s is said twice, and not the same: see %s line %d", name, first.File, first.Line), "it holds for the whole stack: say it once")
		return false
	}
	return true
}

func (d *document) readStack(n *node) {
	s, ok := d.text(n, "stack")
	switch {
	case !ok:
	case !fit.MatchString(s) || strings.ContainsRune(s, '/'):
		d.wrong(n, quote(s)+" is no name for a stack", "letters, digits, '.', '_' and '-', at most 100")
	case d.tell("stack", n, s == d.words.stack):
		d.words.stack = d.intern.text(s)
	}
}

func (d *document) readSkipDestructive(n *node) {
	if v, ok := d.boolean(n, "skip_destructive"); ok {
		d.words.rules.SkipDestructive = v || d.words.rules.SkipDestructive
	}
}

func (d *document) readMaxDestroy(n *node) {
	s, ok := d.text(n, "max_destroy")
	if !ok {
		return
	}
	budget, err := resource.ParseBudget(s)
	if err != nil {
		d.wrong(n, "max_destroy can't be "+quote(s), "write a number of things, such as 10, or a share, such as 10%")
		return
	}
	if d.tell("max_destroy", n, budget == d.words.rules.MaxDestroy) {
		d.words.rules.MaxDestroy = budget
	}
}

func (d *document) readParallelism(n *node) {
	v, ok := d.whole(n, "parallelism", 1, 1000)
	if ok && d.tell("parallelism", n, v == d.words.options.Parallelism) {
		d.words.options.Parallelism = v
	}
}

func (d *document) readClaimTTL(n *node) {
	s, ok := d.text(n, "claim_ttl")
	if !ok {
		return
	}
	ttl, err := time.ParseDuration(s)
	if err != nil || ttl < time.Second || ttl > 24*time.Hour {
		d.wrong(n, "claim_ttl can't be "+quote(s), "write a duration between 1s and 24h, such as 90s or 5m")
		return
	}
	if d.tell("claim_ttl", n, ttl == d.words.options.ClaimTTL) {
		d.words.options.ClaimTTL = ttl
	}
}

// readIgnore reads a list for all kinds, or lists by kind.
func (d *document) readIgnore(n *node) {
	if n.shape != object {
		if paths := d.paths(n, d.names); len(paths) > 0 {
			d.words.rules.Ignore = append(d.words.rules.Ignore, resource.IgnoreRule{Paths: paths})
		}
		return
	}
	d.doubles(n)
	for i := 0; i+1 < len(n.kids); i += 2 {
		name := n.kids[i].text
		if k, _ := d.kind(name); k == nil {
			d.wrong(&n.kids[i], d.provider+" has no type "+quote(name), didYouMean(name, d.names))
			continue
		}
		if paths := d.paths(&n.kids[i+1], []string{name}); len(paths) > 0 {
			d.words.rules.Ignore = append(d.words.rules.Ignore, resource.IgnoreRule{Kind: d.intern.text(name), Paths: paths})
		}
	}
}

// paths reads patterns of paths, of which each must begin with something that one of the
// kinds has, so that a misspelt one does not silently ignore nothing.
func (d *document) paths(n *node, kinds []string) []string {
	if n.shape != list {
		d.wrong(n, "ignore must be a list of paths, and this is "+n.what(), "write ignore: [tags.LastScan]")
		return nil
	}
	var out []string
	for i := range n.kids {
		s, ok := d.text(&n.kids[i], "a path of ignore")
		if !ok {
			continue
		}
		if err := resource.CheckPattern(s); err != nil {
			d.wrong(&n.kids[i], strings.TrimPrefix(err.Error(), "resource: "), "such as tags.LastScan, or tags.* for all")
			continue
		}
		if first, _, _ := strings.Cut(s, "."); !d.attribute(first, kinds) {
			d.wrong(&n.kids[i], "there is no attribute "+quote(first)+" to ignore", didYouMean(first, d.attributes(kinds)))
			continue
		}
		out = append(out, d.intern.text(s))
	}
	return out
}

func (d *document) attribute(name string, kinds []string) bool {
	if strings.ContainsAny(name, `*?[\`) {
		return true
	}
	for _, a := range d.attributes(kinds) {
		if a == name {
			return true
		}
	}
	return false
}

// attributes lists what the kinds' things have that can be ignored.
func (d *document) attributes(kinds []string) []string {
	out := []string{"tags"}
	for _, name := range kinds {
		if k, _ := d.kind(name); k != nil {
			for i := range k.Attrs {
				out = append(out, k.Attrs[i].Name)
			}
		}
	}
	return out
}

// didYouMean suggests the nearest name, or lists them if they are few.
func didYouMean(word string, names []string) string {
	if near, ok := resource.Nearest(word, names); ok {
		return "did you mean " + near + "?"
	}
	switch {
	case len(names) == 0:
		return ""
	case len(names) > 16:
		return "docs/config.md and `ovi kinds` list what there is"
	}
	return "there is " + strings.Join(names, ", ")
}

// whole reads a whole number between bounds, also one that came from outside.
func (d *document) whole(n *node, what string, low, high int) (int, bool) {
	s, ok := d.text(n, what)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < low || v > high || n.quoted && !d.fromOutside(n) {
		d.wrong(n, fmt.Sprintf("%s must be a whole number from %d to %d, and this is %s", what, low, high, n.what()), "such as "+what+": "+strconv.Itoa(max(low, 3)))
		return 0, false
	}
	return v, true
}

func (d *document) boolean(n *node, what string) (value, ok bool) {
	s := n.text
	if d.fromOutside(n) {
		if s, ok = d.text(n, what); !ok {
			return false, false
		}
	} else if n.shape != scalar || n.typ != boolT {
		s = ""
	}
	v, err := strconv.ParseBool(s)
	if err != nil {
		d.wrong(n, what+" must be true or false, and this is "+n.what(), "write "+what+": true")
	}
	return v, err == nil
}
