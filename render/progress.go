package render

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/event"
	"github.com/ovi-project/ovi/resource"
)

// Progress shows an apply as it goes: on a terminal one line for each running action with its
// elapsed time, redrawn in place, and what has ended scrolls above; in a pipe a line for each
// start and each end. It may be told of events from many goroutines.
type Progress struct {
	style Style
	w     io.Writer
	rows  int // how many running actions a terminal shows
	name  int // columns of the longest name, so that what was done stands below each other

	mu    sync.Mutex
	steps *steps
	drawn int       // lines that stand below what scrolled
	left  int       // things that have neither ended nor been given up
	quiet time.Time // since then nothing runs here
	last  time.Time
	ended bool
	idle  map[string]*crowd // by why they were not begun
	whys  []string          // of idle, in the order they came
	err   error

	stop chan struct{}
	done sync.WaitGroup
}

const (
	redraw  = 200 * time.Millisecond
	maxRows = 15
	patient = 2 * time.Second // without anything running, before it is said what is waited for
	maxIdle = 10              // so many that were not begun are named: a screen that scrolled away tells nothing
	maxName = 32              // a longer name moves only its own line
)

// crowd is what was not begun for one reason.
type crowd struct {
	n    int
	last NotStarted
}

// NewProgress starts showing what is done about some things; Close must be called.
func NewProgress(w io.Writer, s Style, names Names, about ...resource.Ref) *Progress {
	p := &Progress{style: s, w: w, rows: maxRows, steps: newSteps(names), idle: map[string]*crowd{}, left: len(about), stop: make(chan struct{})}
	for _, r := range about {
		p.name = max(p.name, min(columns(shortName(names.Ref(r))), maxName))
	}
	if s.Live {
		p.done.Add(1)
		go p.tick()
	}
	return p
}

// Close takes the running lines off the screen, counts what was not begun beyond what it named,
// and says whether a write failed.
func (p *Progress) Close() error {
	close(p.stop)
	p.done.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if rest := p.rest(); p.style.Live {
		p.draw(rest, nil, time.Time{})
	} else {
		p.write(strings.Join(rest, ""))
	}
	p.ended = true
	return p.err
}

// rest counts what was not begun and not named.
func (p *Progress) rest() []string {
	var out []string
	for _, why := range p.whys {
		c := p.idle[why]
		switch n := c.n - maxIdle; {
		case n == 1:
			out = append(out, p.notBegun(c.last)...)
		case n > 1:
			text := fmt.Sprintf("and %d more were not begun: %s", n, crowdWords(why))
			out = append(out, p.style.in(dim, "·")+" "+text+"\n")
		}
	}
	return out
}

// tick moves the elapsed times on.
func (p *Progress) tick() {
	defer p.done.Done()
	t := time.NewTicker(redraw)
	defer t.Stop()
	for {
		select {
		case <-p.stop:
			return
		case now := <-t.C:
			p.mu.Lock()
			p.last = now
			p.draw(nil, p.steps.order, now)
			p.mu.Unlock()
		}
	}
}

// Record shows one event.
func (p *Progress) Record(r event.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	step, ok := p.steps.see(r)
	if !ok {
		return
	}
	p.count(step)
	lines := p.lines(step)
	if !p.style.Live {
		p.write(strings.Join(lines, ""))
		return
	}
	p.draw(lines, p.steps.order, r.At)
}

// count counts down what is left.
func (p *Progress) count(r Record) {
	switch x := r.(type) {
	case Step:
		if x.Type != "apply_start" {
			p.left--
		}
	case NotStarted:
		p.left--
	}
}

// Interrupted says at once that an interrupt was heard, and what it waits for.
func (p *Progress) Interrupted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.style.Quiet {
		return
	}
	p.left = 0 // nothing is waited for any more
	text := "interrupted: nothing more is begun"
	if len(p.steps.order) > 0 {
		text += "; waiting for what is in flight (Ctrl-C again stops that too)"
	}
	p.notice(text)
}

// Notice says something above the running lines, also to those who want it quiet.
func (p *Progress) Notice(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.notice(text)
	}
}

func (p *Progress) notice(text string) {
	lines := wrap(text, p.style.room(0))
	for i := range lines {
		lines[i] = p.style.in(bold, lines[i]) + "\n"
	}
	if !p.style.Live {
		p.write(strings.Join(lines, ""))
		return
	}
	p.draw(lines, p.steps.order, p.last)
}

// draw replaces the running lines by new ones, with what has ended above them.
func (p *Progress) draw(ended []string, order []resource.Ref, now time.Time) {
	if !p.style.Live || len(ended) == 0 && len(order) == 0 && p.drawn == 0 && !p.waits(order, now) {
		return
	}
	var b strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", p.drawn)
	}
	b.WriteString(strings.Join(ended, ""))
	p.drawn = 0
	if p.waits(order, now) {
		text := fmt.Sprintf("… %d left; waiting for what another run holds: see `ovi claims`", p.left)
		b.WriteString(p.style.in(dim, truncate(text, max(p.style.Width-1, 20))) + "\n")
		p.drawn++
	}
	for i, ref := range order {
		if i == p.rows {
			b.WriteString(p.style.in(dim, fmt.Sprintf("  … and %d more", len(order)-i)) + "\n")
			p.drawn++
			break
		}
		b.WriteString(p.line(ref, now) + "\n")
		p.drawn++
	}
	p.write(b.String())
}

// waits says that for a while nothing ran here, though something is left: what is left, or what
// it needs, is held by others.
func (p *Progress) waits(order []resource.Ref, now time.Time) bool {
	switch {
	case len(order) > 0:
		p.quiet = time.Time{}
	case now.IsZero() || p.left <= 0: // the end
	case p.quiet.IsZero():
		p.quiet = now
	default:
		return now.Sub(p.quiet) >= patient
	}
	return false
}

// line is one running action; never wider than the terminal, or the cursor would be lost.
func (p *Progress) line(ref resource.Ref, now time.Time) string {
	r := p.steps.running[ref]
	doing := doingWord(r.action)
	if r.half != "" {
		doing = fmt.Sprintf("%s (%s half)", doing, r.half)
	}
	elapsed := max(now.Sub(r.started), 0).Truncate(time.Second)
	text := fmt.Sprintf("%s  %s … %s", pad(shortName(p.steps.names.Ref(ref)), p.nameRoom()), doing, elapsed)
	return p.style.colored(actionSign(r.action)) + " " + truncate(printable(text), max(p.style.Width-3, 20))
}

func (p *Progress) write(s string) {
	if s == "" {
		return
	}
	if _, err := io.WriteString(p.w, s); err != nil && p.err == nil {
		p.err = err
	}
}

// lines says a step in words; a start has none on a terminal, where it is drawn.
func (p *Progress) lines(r Record) []string {
	switch x := r.(type) {
	case Step:
		if x.Type == "apply_start" && p.style.Live || x.Type != "apply_errored" && p.style.Quiet {
			return nil
		}
		return p.step(x)
	case Recovered:
		return p.said("!", bold, shortName(x.Ref), fmt.Sprintf("%s of an earlier run settled by looking: %s (%s)", x.Action, strings.ReplaceAll(x.Finding, "_", " "), x.Evidence))
	case NotStarted:
		c := p.idle[x.Why]
		if c == nil {
			c = &crowd{}
			p.idle[x.Why], p.whys = c, append(p.whys, x.Why)
		}
		if c.n, c.last = c.n+1, x; c.n <= maxIdle {
			return p.notBegun(x)
		}
	}
	return nil
}

func (p *Progress) notBegun(x NotStarted) []string {
	return p.said("·", dim, shortName(x.Ref), fmt.Sprintf("%s not begun: %s", x.Action, notBegunWords(x)))
}

func (p *Progress) step(x Step) []string {
	action := decider.Action(x.Action)
	name := shortName(x.Ref)
	switch x.Type {
	case "apply_start":
		return p.said(actionSign(action), paintOf(actionSign(action)), name, doingWord(action))
	case "apply_complete":
		text := doneWord(action)
		if x.ID != "" && x.ID != name[strings.LastIndexByte(name, '/')+1:] {
			text += " " + x.ID
		}
		return p.said(actionSign(action), paintOf(actionSign(action)), name, text+" ("+seconds(x.Seconds)+")")
	}
	text := fmt.Sprintf("%s FAILED after %s: %s", x.Action, seconds(x.Seconds), x.Error)
	if x.uncertain {
		return p.said("?", red, name, fmt.Sprintf("%s without a known end after %s: %s; looking tells", x.Action, seconds(x.Seconds), x.Error))
	}
	if x.Recoverable {
		text += "; the same may work the next time"
	}
	return p.said("✗", red, name, text)
}

// nameRoom is how wide names are shown; on a narrow terminal what happened needs the room.
func (p *Progress) nameRoom() int {
	if p.style.Width > 0 {
		return min(p.name, p.style.Width/3)
	}
	return p.name
}

// said is a mark, a name and a text, wrapped under the name.
func (p *Progress) said(mark string, c paint, name, text string) []string {
	head := mark + " " + pad(printable(name), p.nameRoom()) + "  "
	body := wrap(text, p.style.room(columns(head)))
	if p.style.Width > 0 && p.style.Width-columns(head) < 24 {
		head, body = mark+" "+printable(name), append([]string{""}, wrap(text, p.style.room(4))...)
	}
	lines := []string{p.style.in(c, mark) + strings.TrimPrefix(head, mark) + body[0] + "\n"}
	for _, more := range body[1:] {
		lines = append(lines, spaces(4)+more+"\n")
	}
	return lines
}
