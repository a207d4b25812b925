package planview

import (
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
)

// writeOutputs writes the outputs that change, by stack.
func writeOutputs(p *term.Writer, all []outputs.Change, show func(resource.Value) string) {
	widest := 0
	for _, c := range all {
		widest = max(widest, term.Columns(c.Name))
	}
	for i, c := range all {
		if i == 0 || all[i-1].Stack != c.Stack {
			p.Gap()
			head := "outputs"
			if all[0].Stack != all[len(all)-1].Stack {
				head += " of stack " + c.Stack
			}
			p.WriteString(p.In(term.Bold, head) + "\n")
		}
		from := "no value"
		if c.From != nil {
			from = show(c.From)
		}
		sign, text := "~", from+" -> "+outputText(c, show)
		switch c.Action() {
		case "create":
			sign, text = "+", outputText(c, show)
		case "delete":
			sign, text = "-", from
		}
		p.WriteString(term.Spaces(term.NameIndent) + p.In(term.PaintOf(sign), sign) + " " + p.In(term.Bold, c.Name) +
			term.Spaces(widest-term.Columns(c.Name)))
		p.After(term.NameIndent+2+widest, text)
	}
}

// outputText writes the new value of an output.
func outputText(c outputs.Change, show func(resource.Value) string) string {
	switch {
	case c.Late:
		return "known after apply"
	case c.Missing != "":
		return "no value: " + c.Missing
	}
	return show(c.To)
}
