package cutepod

import (
	"fmt"

	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/render/term"
)

// DryRun implements Formatter.
func (t *Table) DryRun(r render.ChartResult) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range planned(r) {
		if t.Style.Quiet {
			break
		}
		lines := []string{t.line(p.sign, p.of.Name, p.what)}
		if p.sign == updated {
			for _, d := range p.action.Differences {
				lines = append(lines,
					"    - "+d.Path+": "+term.Printable(d.From)+" "+arrow+" "+term.Printable(d.To)+"\n")
			}
		}
		if t.Verbose {
			for _, c := range p.action.Commands {
				lines = append(lines, "    "+t.mark(arrow)+" "+term.Printable(c)+"\n")
			}
		}
		t.fill(p.of, lines)
	}
	for _, e := range r.Errors {
		what := "will fail"
		if t.head.Unread {
			what = "failed"
		}
		t.fill(resourceOf(e), t.failure(e, what))
	}
	t.flush(true)
}

// plannedLine is one line of a dry run.
type plannedLine struct {
	of         render.ChartResource
	sign, what string
	action     render.ChartAction
}

func planned(r render.ChartResult) []plannedLine {
	var out []plannedLine
	for _, x := range []struct {
		all        []render.ChartAction
		sign, what string
	}{
		{r.Created, created, "will be created"},
		{r.Updated, updated, "will be updated"},
		{r.Deleted, deleted, "will be deleted"},
	} {
		for _, a := range x.all {
			out = append(out, plannedLine{a.Resource, x.sign, x.what, a})
		}
	}
	for _, k := range r.Kept {
		out = append(out, plannedLine{k, " ", keptWords, render.ChartAction{}})
	}
	return out
}

// keptWords say that a volume stays.
const keptWords = "kept (--prune-data deletes it)"

func resourceOf(e render.ChartError) render.ChartResource {
	if e.Resource == nil {
		return render.ChartResource{}
	}
	return *e.Resource
}

// Summary implements Formatter.
func (t *Table) Summary(r render.ChartResult) error {
	t.mu.Lock()
	t.running = nil
	t.write(t.erase())
	if !r.DryRun {
		for _, k := range r.Kept {
			t.stay(k, keptWords)
		}
	}
	t.flush(true)
	gap := "\n"
	if t.blocks() {
		gap = ""
	}
	if nothing := len(r.Created)+len(r.Updated)+len(r.Deleted)+len(r.Errors)+len(r.Kept) == 0; nothing && !t.Style.Quiet {
		t.print(fmt.Sprintf("%sNo changes. %d unchanged.\n", gap, r.Summary.Unchanged))
		gap = "\n"
	}
	if t.Style.Quiet {
		t.print(t.counts(r))
	} else {
		t.print(gap + box("Summary") + "\n" + t.counts(r))
	}
	stop, err := t.stop, t.err
	t.stop = nil
	t.mu.Unlock()
	if stop != nil {
		close(stop)
		t.ticking.Wait()
	}
	return err
}

// blocks reports that the screen is made of blocks with a line between them, instead of sections.
func (t *Table) blocks() bool { return t.Verbose && !t.head.Unread && !t.head.DryRun }

// counts are the lines of the summary.
func (t *Table) counts(r render.ChartResult) string {
	if r.DryRun {
		out := fmt.Sprintf("Planned: %d create, %d update, %d delete\n", len(r.Created), len(r.Updated), len(r.Deleted))
		switch {
		case t.head.Unread:
			return out + fmt.Sprintf("Errors: %d failed\n", r.Summary.Failed)
		case r.Summary.Failed > 0:
			out += fmt.Sprintf("Errors: %d will fail\n", r.Summary.Failed)
		}
		return out + "Run without --dry-run to apply changes\n"
	}
	out := fmt.Sprintf("Resources: %d created, %d updated, %d deleted\n", r.Summary.Created, r.Summary.Updated,
		r.Summary.Deleted)
	if r.Summary.Failed == 0 {
		return out + "Duration: " + seconds(r.Summary.Seconds) + "\nStatus: Success\n"
	}
	out += fmt.Sprintf("Errors: %d failed\nStatus: Failed\n", r.Summary.Failed)
	if !t.Verbose {
		out += "\nUse --verbose for detailed error information\n"
	}
	return out
}
