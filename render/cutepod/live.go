package cutepod

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
)

// running is something that is being done, drawn in place below the finished lines.
type running struct {
	of    render.ChartResource
	doing string
	since time.Time
}

const (
	redraw  = 200 * time.Millisecond
	maxRows = 10
)

// Running implements Formatter.
func (t *Table) Running(r render.ChartResource, doing string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.running, func(x running) bool { return x.of == r })
	if i < 0 {
		t.running = append(t.running, running{r, doing, at})
	} else {
		t.running[i].doing = doing
	}
	if t.Style.Live && !t.Style.Quiet {
		t.write(t.erase() + t.drawing(at))
	}
}

// end removes a resource from what is running.
func (t *Table) end(of render.ChartResource) {
	t.running = slices.DeleteFunc(t.running, func(x running) bool { return x.of == of })
}

// tick updates the elapsed times.
func (t *Table) tick() {
	defer t.ticking.Done()
	every := time.NewTicker(redraw)
	defer every.Stop()
	for {
		select {
		case <-t.stop:
			return
		case now := <-every.C:
			t.mu.Lock()
			t.write(t.erase() + t.drawing(now))
			t.mu.Unlock()
		}
	}
}

// erase removes the drawn lines.
func (t *Table) erase() string {
	if t.drawn == 0 {
		return ""
	}
	n := t.drawn
	t.drawn = 0
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", n)
}

// drawing draws what is running; nothing but on a terminal. A line is never wider than that, or the
// cursor would be lost.
func (t *Table) drawing(now time.Time) string {
	if !t.Style.Live || t.Style.Quiet || len(t.running) == 0 {
		return ""
	}
	var b strings.Builder
	t.drawn = 0
	for i, x := range t.running {
		if i == maxRows {
			fmt.Fprintf(&b, "  and %d more\n", len(t.running)-i)
			t.drawn++
			break
		}
		elapsed := ""
		if !now.IsZero() {
			elapsed = " " + max(now.Sub(x.since), 0).Truncate(time.Second).String()
		}
		name := x.of.Name + strings.Repeat(" ", max(t.name-len([]rune(x.of.Name)), 1))
		b.WriteString("  " + t.mark(arrow) + " " + term.Shortened(name+x.doing+"..."+elapsed, max(t.Style.Width-5, 20)) +
			"\n")
		t.drawn++
	}
	return b.String()
}
