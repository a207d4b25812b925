package main

import (
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/explain"
	"github.com/ovi-project/ovi/history"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
)

// shortStory is how many chapters are told unless all are asked for: a screen.
const shortStory = 3

// near is how many looks and plans a short story opens the log for: more than it tells.
const near = 200

func (p *process) whyCommand() *urfave.Command {
	return &urfave.Command{
		Name: "why", Category: groupInspect, ArgsUsage: "REF",
		Usage: "Explain a resource's state",
		Flags: []urfave.Flag{
			sourceFlag(),
			&urfave.BoolFlag{Name: "all", Usage: fmt.Sprintf("show every event, not the last %d", shortStory)},
		},
		Action: p.action((*call).why),
	}
}

func (c *call) why() error {
	if err := c.oneRef(); err != nil {
		return err
	}
	return c.withMemory(nil, c.tell)
}

func (c *call) tell(l *ledger.Ledger) error {
	ref, err := c.ref(l, c.arg(0))
	if err != nil {
		return err
	}
	depth := near
	if c.cmd.Bool("all") || c.out.Machine() {
		depth = -1
	}
	chronicle, err := history.New(l.Reader()).ResourceHistory(c, ref, depth)
	if err != nil {
		return err
	}
	s := c.teller(ref).Explain(chronicle)
	if c.out.Machine() {
		return c.out.Records(storyRecord(s, ref))
	}
	return storyPage(s, c.cmd.Bool("all")).Write(c.out.W, c.out.Style)
}

// teller tells of things as seen from one of them.
func (c *call) teller(ref resource.Ref) explain.Explainer {
	return explain.Explainer{Now: c.Now(), Value: render.Value, Ref: namesOfRefs(ref).Ref}
}

func storyRecord(s explain.Explanation, ref resource.Ref) render.Explanation {
	out := render.Explanation{
		Type: "story", Ref: s.Ref, Scope: ref.Scope().String(), State: string(s.State), Headline: s.Headline, Next: s.Next,
		Facts: factsOf(s.Facts), Chapters: make([]render.EventGroup, len(s.Events)),
	}
	for i, x := range s.Events {
		out.Chapters[i] = render.EventGroup{At: x.At, What: x.What, Title: x.Title, Facts: factsOf(x.Facts), Records: append([]uint64{}, x.Records...), Instance: x.Instance}
	}
	return out
}

func storyPage(s explain.Explanation, all bool) render.Page {
	page := render.Page{Lead: s.Headline, Next: s.Next, Facts: factsOf(s.Facts)}
	for i, x := range s.Events {
		if i == shortStory && !all {
			page.Foot = fmt.Sprintf("%s happened before: ovi why --all %s", render.Many(len(s.Events)-i, "more thing"), s.Ref)
			break
		}
		facts := factsOf(x.Facts)
		if len(facts) > 0 && len(x.Records) > 0 {
			of := ""
			if x.Instance != "" {
				of = " of that log"
			}
			facts = append(facts, render.Fact{Label: "records", Text: numbers(x.Records) + of})
		}
		page.Sections = append(page.Sections, render.Section{
			Head: x.At.UTC().Format("2006-01-02 15:04:05"), Title: x.Title, Facts: facts,
		})
	}
	return page
}

func factsOf(in []explain.Fact) []render.Fact {
	out := make([]render.Fact, len(in))
	for i, f := range in {
		out[i] = render.Fact(f)
	}
	return out
}

// numbers lists records, those that follow each other as from-to.
func numbers(seqs []uint64) string {
	var parts []string
	for i := 0; i < len(seqs); {
		j := i
		for j+1 < len(seqs) && seqs[j+1] == seqs[j]+1 {
			j++
		}
		text := fmt.Sprint(seqs[i])
		if j > i {
			text += fmt.Sprintf("-%d", seqs[j])
		}
		parts = append(parts, text)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
