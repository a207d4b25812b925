package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/phrase"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render/planview"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
)

// Progress shows an apply while it runs: on a terminal one line for each running action with
// its elapsed time, drawn in place, below the actions that have finished; in a pipe a line for
// each start and each end. Any number of goroutines may use it.
type Progress struct {
	style term.Style
	w     io.Writer
	rows  int // how many running actions a terminal shows
	name  int // columns of the longest name, with which the others are aligned

	mu    sync.Mutex
	steps *steps
	drawn int                   // lines below those that scroll
	left  map[resource.Ref]bool // neither finished nor given up
	held  waits                 // what is not healthy yet, though its action has finished
	quiet time.Time             // since when no action runs
	last  time.Time
	ended bool
	idle  map[string]*crowd // by why they were not started
	whys  []string          // of idle, in the order they came
	err   error

	stop chan struct{}
	done sync.WaitGroup
}

const (
	redraw  = 200 * time.Millisecond
	maxRows = 15
	patient = 2 * time.Second // without a running action, before the reason is shown
	maxIdle = 10              // how many actions that were not started are named for each reason
	maxName = 32              // a longer name moves only its own line
)

// crowd is the actions that were not started for one reason.
type crowd struct {
	n    int
	last NotStarted
}

// NewProgress starts showing an apply of some resources; Close must be called.
func NewProgress(w io.Writer, s term.Style, names Names, about ...resource.Ref) *Progress {
	p := &Progress{
		style: s, w: w, rows: maxRows, steps: newSteps(names), idle: map[string]*crowd{},
		left: map[resource.Ref]bool{}, stop: make(chan struct{}),
	}
	for _, r := range about {
		p.left[r] = true
		p.name = max(p.name, min(term.Columns(shortName(names.Ref(r))), maxName))
	}
	if s.Live {
		p.done.Add(1)
		go p.tick()
	}
	return p
}

// Close removes the running lines from the screen, counts the actions that were not started
// beyond those named, and returns the first failed write.
func (p *Progress) Close() error {
	close(p.stop)
	p.done.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	var rest []string
	for _, why := range p.whys {
		c := p.idle[why]
		switch n := c.n - maxIdle; {
		case n == 1:
			rest = append(rest, p.notStarted(c.last)...)
		case n > 1:
			text := fmt.Sprintf("and %d more not started: %s", n, groupWords(why))
			rest = append(rest, p.style.In(term.Dim, "#")+" "+text+"\n")
		}
	}
	if p.style.Live {
		p.draw(rest, nil, time.Time{})
	} else {
		p.write(strings.Join(rest, ""))
	}
	p.ended = true
	return p.err
}

// tick updates the elapsed times.
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
	step, ok := p.steps.record(r)
	if !ok {
		return
	}
	switch e := r.Event.(type) { // the steps of a replacement are one resource
	case event.Started:
		if _, ok := p.left[e.Ref]; ok {
			p.left[e.Ref] = true
		}
	case event.Finished, event.NotStarted, event.Moved:
		if _, ok := p.left[e.About()]; ok {
			p.left[e.About()] = false
		}
	}
	lines := p.lines(step)
	if !p.style.Live {
		p.write(strings.Join(lines, ""))
		return
	}
	p.draw(lines, p.steps.order, r.At)
}

// remaining counts the resources that are left.
func (p *Progress) remaining() int {
	n := 0
	for _, left := range p.left {
		if left {
			n++
		}
	}
	return n
}

// Interrupted says at once that the interrupt was received, and what is still running.
func (p *Progress) Interrupted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.style.Quiet {
		return
	}
	p.held = waits{}
	clear(p.left) // no other run is waited for any more
	text := "Interrupted: no further action starts."
	if n := len(p.steps.order); n > 0 {
		text += " Waiting for " + Many(n, "running action") + "; press Ctrl-C again to cancel."
	}
	p.notice(text)
}

// Notice writes a text above the running lines, with Quiet too.
func (p *Progress) Notice(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.notice(text)
	}
}

func (p *Progress) notice(text string) {
	lines := term.Wrap(text, p.style.Room(0))
	for i := range lines {
		lines[i] = p.style.In(term.Bold, lines[i]) + "\n"
	}
	if !p.style.Live {
		p.write(strings.Join(lines, ""))
		return
	}
	p.draw(lines, p.steps.order, p.last)
}

// draw replaces the running lines by new ones, below the actions that have finished.
func (p *Progress) draw(ended []string, order []resource.Ref, now time.Time) {
	if !p.style.Live || len(ended) == 0 && len(order) == 0 && len(p.held.order) == 0 && p.drawn == 0 &&
		!p.waits(order, now) {
		return
	}
	var b strings.Builder
	if p.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", p.drawn)
	}
	b.WriteString(strings.Join(ended, ""))
	p.drawn = 0
	if p.waits(order, now) {
		text := fmt.Sprintf("%d left, claimed by another run (`ovi claims`)", p.remaining())
		b.WriteString(p.style.In(term.Dim, term.Truncate(text, max(p.style.Width-1, 20))) + "\n")
		p.drawn++
	}
	for i, ref := range order {
		if i == p.rows {
			b.WriteString(p.style.In(term.Dim, fmt.Sprintf("  and %d more", len(order)-i)) + "\n")
			p.drawn++
			break
		}
		r := p.steps.running[ref]
		x := doingOf(r.action, r.phase)
		elapsed := max(now.Sub(r.started), 0).Truncate(time.Second)
		text := fmt.Sprintf("%s  %s... %s", term.Pad(shortName(p.steps.names.Ref(ref)), p.nameRoom()), x.now, elapsed)
		// A line is never wider than the terminal, or the cursor would be lost.
		text = term.Truncate(term.OneLine(text), max(p.style.Width-term.Columns(x.sign)-2, 20))
		b.WriteString(p.style.Colored(x.sign) + " " + text + "\n")
		p.drawn++
	}
	for _, line := range p.waitLines(order, now) {
		b.WriteString(line + "\n")
		p.drawn++
	}
	p.write(b.String())
}

// waits says that for a while no action ran, though some are left: their resources, or those
// they depend on, are claimed by other runs.
func (p *Progress) waits(order []resource.Ref, now time.Time) bool {
	switch {
	case len(order) > 0, len(p.held.order) > 0:
		p.quiet = time.Time{}
	case now.IsZero() || p.remaining() == 0: // the end
	case p.quiet.IsZero():
		p.quiet = now
	default:
		return now.Sub(p.quiet) >= patient
	}
	return false
}

func (p *Progress) write(s string) {
	if s == "" {
		return
	}
	if _, err := io.WriteString(p.w, s); err != nil && p.err == nil {
		p.err = err
	}
}

// recorded is a change of the record alone.
func (p *Progress) recorded(a decider.Action, ref, text string) []string {
	if p.style.Quiet {
		return nil
	}
	return p.entry(planview.ActionSign(a), shortName(ref), text)
}

// lines are a step in words; a start has none on a terminal, where it is drawn.
func (p *Progress) lines(r Record) []string {
	switch x := r.(type) {
	case Step:
		if x.Type == "apply_start" && p.style.Live || x.Type != "apply_errored" && p.style.Quiet {
			return nil
		}
		return p.step(x)
	case Renamed:
		from := shortName(x.From)
		was, _, _ := resource.CutStack(x.From)
		if now, _, _ := resource.CutStack(x.Ref); was != now {
			from = was + ":" + from
		}
		return p.recorded(decider.Update, x.Ref, "renamed from "+from+" "+phrase.ID(x.ID))
	case Forgotten:
		return p.recorded(decider.Forget, x.Ref, "forgotten "+phrase.ID(x.ID))
	case Recovered:
		return p.entry("#", shortName(x.Ref), fmt.Sprintf("%s (%s)",
			phrase.Found(string(planview.Verb(decider.Action(x.Action))), event.Finding(x.Finding)), x.Evidence))
	case Reverted:
		why, next := term.SplitSuggestion(x.Why)
		return append(p.entry(term.BlockedSign, shortName(x.Ref), "goes back: "+why), p.advice(next)...)
	case NotStarted:
		c := p.idle[x.Why]
		if c == nil {
			c = &crowd{}
			p.idle[x.Why], p.whys = c, append(p.whys, x.Why)
		}
		if c.n, c.last = c.n+1, x; c.n <= maxIdle {
			return p.notStarted(x)
		}
	}
	return nil
}

func (p *Progress) notStarted(x NotStarted) []string {
	sign := "#"
	if x.Why == "refused" || x.Why == "check" || x.Why == "unprepared" {
		sign = term.ConflictSign
	}
	message, next := term.SplitSuggestion(notStartedWords(x))
	return append(p.entry(sign, shortName(x.Ref),
		fmt.Sprintf("%s not started: %s", planview.Verb(decider.Action(x.Action)), message)), p.advice(next)...)
}

// advice is a suggestion on lines of its own.
func (p *Progress) advice(text string) (lines []string) {
	if text == "" {
		return nil
	}
	for i, line := range term.Wrap(text, p.style.Room(term.DetailIndent+2)) {
		lines = append(lines, term.Spaces(term.DetailIndent+2*min(i, 1))+line+"\n")
	}
	return lines
}

func (p *Progress) step(x Step) []string {
	d := doingOf(decider.Action(x.Action), x.Phase)
	name := shortName(x.Ref)
	switch x.Type {
	case "apply_start":
		return p.entry(d.sign, name, d.now+"...")
	case "apply_complete":
		text := d.done
		if x.Status == string(event.Accepted) {
			text = d.now + ", in progress:"
		}
		if x.ID != "" && x.ID != name[strings.LastIndexByte(name, '/')+1:] {
			text += " " + phrase.ID(x.ID)
		}
		return p.entry(d.sign, name, text+" ("+seconds(x.Seconds)+")")
	}
	message, next := term.SplitSuggestion(x.Error)
	waits, text := "", "failed after "+seconds(x.Seconds)+": "+message
	switch {
	case x.Status == string(event.Uncertain):
		text, next = "result unknown after "+seconds(x.Seconds)+": "+message, term.Suggestion+"run `ovi plan` to recover it"
	case x.Recoverable:
		h := provider.HandlingOf(provider.Cause(x.Cause))
		waits, next = "Waits for "+h.Waits+".", cmp.Or(next, term.Suggestion+h.Remedy)
	}
	return slices.Concat(p.entry(d.sign, name, text), p.advice(waits), p.advice(next))
}

// nameRoom is how wide names are shown; on a narrow terminal the text needs the room.
func (p *Progress) nameRoom() int { return min(p.name, p.style.Columns()/3) }

// entry is a sign, a name and a text, wrapped below the name.
func (p *Progress) entry(sign, name, text string) []string {
	head := sign + " " + term.Pad(term.OneLine(name), p.nameRoom()) + "  "
	body := term.WrapBehind(text, p.style.Room(term.Columns(head)), p.style.Room(term.DetailIndent))
	if p.style.Columns()-term.Columns(head) < term.LeastBehind {
		head, body = sign+" "+term.OneLine(name), append([]string{""}, term.Wrap(text, p.style.Room(term.DetailIndent))...)
	}
	lines := []string{p.style.Colored(sign) + strings.TrimPrefix(head, sign) + body[0] + "\n"}
	for _, more := range body[1:] {
		lines = append(lines, term.Spaces(term.DetailIndent)+more+"\n")
	}
	return lines
}
