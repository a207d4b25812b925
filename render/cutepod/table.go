package cutepod

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
)

// Table prints the screens for users.
type Table struct {
	W       io.Writer
	Style   term.Style
	Verbose bool

	mu      sync.Mutex
	head    Head
	name    int // columns of the names
	slots   []slot
	next    int      // the first slot that is not printed
	section *printed // the last line of a resource that was printed
	running []running
	drawn   int // lines below those that scroll
	stop    chan struct{}
	ticking sync.WaitGroup
	err     error
}

var _ Formatter = (*Table)(nil)

// slot is the place of one resource on the screen. Lines come in the order of the slots, whatever
// ends first.
type slot struct {
	of    render.ChartResource
	lines []string // nil means that nothing came of it yet
}

// printed is a resource that has a line on the screen.
type printed struct {
	of   render.ChartResource
	head string
}

// The marks of the design, and their colors.
const (
	succeeded = "✓"
	failed    = "✗"
	created   = "+"
	updated   = "~"
	deleted   = "-"
	arrow     = "→"

	red, green, yellow, blue = "31", "32", "33", "34"
)

func (t *Table) mark(sign string) string {
	color := map[string]string{
		succeeded: green, failed: red, created: green, updated: yellow, deleted: red,
		arrow: blue,
	}[sign]
	if !t.Style.Color || color == "" {
		return sign
	}
	return "\x1b[" + color + "m" + sign + "\x1b[0m"
}

// boxWidth is the inside of a box.
const boxWidth = 61

func box(title string) string {
	line := strings.Repeat("─", boxWidth)
	return fmt.Sprintf("┌%s┐\n│ %-*s│\n└%s┘\n", line, boxWidth-1, title, line)
}

// Start implements Formatter.
func (t *Table) Start(h Head) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head = h
	t.name = 19
	for _, r := range slices.Concat(h.Planned, h.Resources) {
		t.name = max(t.name, len([]rune(r.Name))+2)
	}
	for _, r := range h.Planned {
		t.slots = append(t.slots, slot{of: r})
	}
	if t.Style.Quiet {
		return
	}
	out := t.title()
	if t.Verbose && !h.Unread {
		out += verboseHead(h)
	}
	title := "Reconciling Resources"
	switch {
	case h.Unread:
		title = "Parsing Manifests"
	case h.DryRun:
		title = "Planned Changes"
	}
	out += "\n" + box(title)
	if t.blocks() {
		out += "\n"
	}
	t.write(out)
	if t.Style.Live && !h.Unread && !h.DryRun {
		t.stop = make(chan struct{})
		t.ticking.Add(1)
		go t.tick()
	}
}

// title is the lines above the first box.
func (t *Table) title() string {
	h := t.head
	if h.DryRun {
		becomes := h.Chart
		if h.Namespace != "" {
			becomes = h.Namespace + "." + h.Chart
		}
		return "Preview: " + h.Path + " " + arrow + " " + becomes + "\n" + t.version()
	}
	verb := "Installing"
	if h.Operation == "upgrade" {
		verb = "Upgrading"
	}
	out := verb + " chart: " + h.Path + "\n"
	if t.Verbose || h.Troubled || h.Unread || h.Namespace != "" {
		if h.Chart != "" {
			out += "Chart name: " + h.Chart + "\n"
		}
		if h.Namespace != "" {
			out += "Namespace: " + h.Namespace + "\n"
		}
	}
	return out + t.version()
}

func (t *Table) version() string {
	if !t.Verbose || t.head.Version == "" {
		return ""
	}
	return "Chart version: " + t.head.Version + "\n"
}

// Action implements Formatter.
func (t *Table) Action(d Done) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end(d.Resource)
	switch {
	case t.Style.Quiet:
		t.fill(d.Resource, []string{})
	case t.Verbose:
		t.print(strings.Join(t.block(d), "") + "\n")
	default:
		t.fill(d.Resource, []string{t.line(succeeded, d.Resource.Name, d.Verb)})
	}
}

// Error implements Formatter.
func (t *Table) Error(e Failed) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var of render.ChartResource
	if e.Resource != nil {
		of = *e.Resource
	}
	t.end(of)
	lines := t.failure(e.ChartError, "failed")
	if t.blocks() {
		t.print(strings.Join(t.failedBlock(e, lines), "") + "\n")
		return
	}
	t.fill(of, lines)
}

// Skipped implements Formatter.
func (t *Table) Skipped(r render.ChartResource, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stay(r, why)
}

// stay prints a resource with which nothing is done.
func (t *Table) stay(r render.ChartResource, why string) {
	switch {
	case t.Style.Quiet:
	case t.blocks():
		t.print(capital(r.Type) + " " + r.Name + " " + why + "\n\n")
	default:
		t.fill(r, []string{t.line(" ", r.Name, why)})
	}
}

// failure is an error of the design, below the line of its resource.
func (t *Table) failure(e render.ChartError, what string) []string {
	out := []string{t.line(failed, nameOf(e, t.head), what)}
	out = append(out, "    Error: "+inline(e.Message, 4)+"\n")
	if e.Line > 0 {
		out = append(out, fmt.Sprintf("    at %s:%d:%d\n", e.File, e.Line, e.Column))
	}
	if e.Suggestion != "" {
		out = append(out, "    Suggestion: "+inline(capital(e.Suggestion), 4)+"\n")
	}
	if t.Verbose {
		again := "no"
		if e.Recoverable {
			again = "yes"
		}
		out = append(out, "    Type: "+string(e.Type)+", recoverable: "+again+"\n")
		if e.Cause != "" && e.Cause != e.Message {
			out = append(out, "    Cause: "+inline(e.Cause, 4)+"\n")
		}
	}
	return out
}

func nameOf(e render.ChartError, h Head) string {
	if e.Resource != nil && e.Resource.Name != "" {
		return e.Resource.Name
	}
	if h.Chart != "" {
		return h.Chart
	}
	return h.Path
}

// inline indents the further lines of a text.
func inline(text string, indent int) string {
	return strings.ReplaceAll(strings.TrimRight(term.Printable(text), "\n"), "\n", "\n"+strings.Repeat(" ", indent+2))
}

// line is one resource: a mark, its name, and what came of it.
func (t *Table) line(sign, name, what string) string {
	return "  " + t.mark(sign) + " " + name + strings.Repeat(" ", max(t.name-len([]rune(name)), 1)) + what + "\n"
}

// fill gives the next free slot of a resource its lines, and prints what is complete.
func (t *Table) fill(of render.ChartResource, lines []string) {
	i := slices.IndexFunc(t.slots, func(s slot) bool { return s.of == of && s.lines == nil })
	if i < 0 {
		t.slots = append(t.slots, slot{of: of})
		i = len(t.slots) - 1
	}
	t.slots[i].lines = lines
	t.flush(false)
}

// flush prints the slots whose turn it is, or all that have lines, in their sections.
func (t *Table) flush(all bool) {
	var b strings.Builder
	for ; t.next < len(t.slots); t.next++ {
		s := t.slots[t.next]
		if s.lines == nil && !all {
			break
		}
		if len(s.lines) == 0 {
			continue
		}
		// The heading of a section comes once, and the name of a resource too.
		last, head := t.section, s.lines[0]
		t.section = &printed{s.of, head}
		text := strings.Join(s.lines, "")
		switch {
		case last == nil || last.of.Type != s.of.Type:
			text = "\n" + plural(s.of.Type) + ":\n" + text
		case last.of == s.of && last.head == head:
			text = strings.Join(s.lines[1:], "")
		}
		b.WriteString(text)
	}
	t.print(b.String())
}

// print writes finished lines above those that are drawn.
func (t *Table) print(s string) {
	if s != "" {
		t.write(t.erase() + s + t.drawing(time.Time{}))
	}
}

func (t *Table) write(s string) {
	if s == "" {
		return
	}
	if _, err := io.WriteString(t.W, s); err != nil && t.err == nil {
		t.err = err
	}
}
