package cutepod

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
)

// verboseHead is the manifests and their order, with a box above each.
func verboseHead(h Head) string {
	var b strings.Builder
	b.WriteString("\n" + box("Parsing Manifests") + "\nFound " + render.Many(len(h.Resources), "resource") + ":\n")
	for _, kind := range typesOf(h.Resources) {
		n := 0
		for _, r := range h.Resources {
			if r.Type == kind {
				n++
			}
		}
		fmt.Fprintf(&b, "  - %d Cute%s\n", n, capital(kind))
	}
	b.WriteString("\n" + box("Dependency Analysis") + "\nExecution order:\n")
	n := 0
	for _, level := range h.Levels {
		for _, kind := range typesOf(level) {
			n++
			var names []string
			for _, r := range level {
				if r.Type == kind {
					names = append(names, r.Name)
				}
			}
			fmt.Fprintf(&b, "  %d. %s: %s\n", n, plural(kind), strings.Join(names, ", "))
		}
	}
	return b.String()
}

// typesOf are the types that occur, in the order of the screens.
func typesOf(all []render.ChartResource) []string {
	var out []string
	for _, r := range all {
		if !slices.Contains(out, r.Type) {
			out = append(out, r.Type)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return Rank(a) - Rank(b) })
	return out
}

func clock(at time.Time) string { return at.UTC().Format("[15:04:05] ") }

// block is what was done with a resource: when, with which commands, and what came of it.
func (t *Table) block(d Done) []string {
	what := d.Resource.Type + " " + d.Resource.Name
	out := []string{clock(d.Started) + doing(d.Verb) + " " + what + "\n"}
	for _, c := range d.Commands {
		out = append(out, clock(c.At)+t.mark(arrow)+" "+term.Printable(c.Text)+"\n")
	}
	return append(out, fmt.Sprintf("%s%s %s %s (%s)\n", clock(d.Finished), t.mark(succeeded), capital(what), d.Verb,
		seconds(d.Seconds)))
}

// failedBlock is what failed: the first of the lines as a block begins.
func (t *Table) failedBlock(e Failed, lines []string) []string {
	of := resourceOf(e.ChartError)
	what := strings.TrimSpace(capital(of.Type) + " " + nameOf(e.ChartError, t.head))
	lines[0] = t.mark(failed) + " " + what + " failed\n"
	if e.Started.IsZero() {
		return lines
	}
	out := []string{clock(e.Started) + doing(e.Verb) + " " + of.Type + " " + of.Name + "\n"}
	for _, c := range e.Commands {
		out = append(out, clock(c.At)+t.mark(arrow)+" "+term.Printable(c.Text)+"\n")
	}
	lines[0] = fmt.Sprintf("%s%s %s failed (%s)\n", clock(e.Finished), t.mark(failed), what, seconds(e.Seconds))
	return append(out, lines...)
}

// doing is a verb while it is done.
func doing(verb string) string {
	switch verb {
	case "created":
		return "Creating"
	case "deleted":
		return "Deleting"
	}
	return "Updating"
}

// seconds is a duration: "12.3s", "2m5.3s". It is never negative, even if a clock was set back meanwhile.
func seconds(s float64) string {
	s = max(s, 0)
	m := int(s) / 60
	if m == 0 {
		return fmt.Sprintf("%.1fs", s)
	}
	return fmt.Sprintf("%dm%.1fs", m, s-float64(60*m))
}
