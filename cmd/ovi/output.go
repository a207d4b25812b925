package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/render"
)

// The output formats.
const (
	asTable = "table"
	asJSON  = "json"
	asYAML  = "yaml"
)

// output is where a command's answer goes, in the format that was asked for.
type output struct {
	format string
	quiet  bool
	answer *answer
	// printed: a whole document was written that is no stream of records.
	printed bool
	w       io.Writer
	style   render.Style   // of w
	enc     render.Encoder // nil for a table
	errW    io.Writer
	errS    render.Style
}

func (p *process) newOutput(cc *cli.Context) (*output, error) {
	noColor := cc.Bool("no-color")
	o := &output{
		format: cc.String("output"), quiet: cc.Bool("quiet"), answer: p.answer,
		w: p.stdout, style: p.styleOf(p.stdout, noColor),
		errW: p.stderr, errS: p.styleOf(p.stderr, noColor),
	}
	switch o.format {
	case "", asTable:
		o.format = asTable
	case asJSON:
		o.enc = render.NewJSON(p.stdout)
	case asYAML:
		o.enc = render.NewYAML(p.stdout)
	default:
		return nil, usage("write --output table, json or yaml", "%q is no output format", o.format)
	}
	if o.enc != nil {
		o.enc = &headed{Encoder: o.enc}
	}
	return o, nil
}

// misused is where it is told that a command line is wrong: in the format that was asked for,
// as far as that can be made out.
func (p *process) misused(args []string) *output {
	o := &output{format: asTable, answer: p.answer, w: p.stdout, errW: p.stderr, errS: p.styleOf(p.stderr, slices.Contains(args, "--no-color"))}
	for i, arg := range args {
		name, value, has := cutOption(arg)
		if !has && i+1 < len(args) {
			value = args[i+1]
		}
		switch {
		case arg == "--":
			return o
		case name == arg || name != "output": // no option, or another one
		case value == asJSON:
			o.format, o.enc = asJSON, &headed{Encoder: render.NewJSON(p.stdout)}
		case value == asYAML:
			o.format, o.enc = asYAML, &headed{Encoder: render.NewYAML(p.stdout)}
		}
	}
	return o
}

// headed writes the version record before the first other one.
type headed struct {
	render.Encoder
	once sync.Once
	err  error
}

// head writes the version record, once.
func (h *headed) head() error {
	h.once.Do(func() {
		h.err = h.Encoder.Encode(render.Version{Type: "version", Ovi: version, Format: render.Format})
	})
	return h.err
}

// Encode writes a record.
func (h *headed) Encode(r render.Record) error {
	if err := h.head(); err != nil {
		return err
	}
	return h.Encoder.Encode(r)
}

// finish makes sure that machines get their version record also when there is nothing else.
func (o *output) finish() error {
	if h, ok := o.enc.(*headed); ok && !o.printed {
		return h.head()
	}
	return nil
}

// print writes a document that has its own format, with a newline at its end.
func (o *output) print(b []byte) error {
	o.printed = true
	_, err := o.w.Write(append(bytes.TrimRight(b, "\n"), '\n'))
	return err
}

// machine says that the reader is a program.
func (o *output) machine() bool { return o.enc != nil }

// records writes records for machines.
func (o *output) records(rs ...render.Record) error {
	for _, r := range rs {
		if err := o.enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// say writes a line for people, unless they want it quiet. Machines are told in records.
func (o *output) say(format string, args ...any) {
	if !o.machine() && !o.quiet {
		_, _ = fmt.Fprintf(o.w, format+"\n", args...)
	}
}

// tell tells of something wrong: people on standard error, machines in their records, as long
// as those reach anybody.
func (o *output) tell(ds ...render.Diagnostic) {
	for _, d := range ds {
		if !o.machine() || o.enc.Encode(d) != nil || o.answer.unheard() {
			_ = d.Write(o.errW, o.errS)
		}
	}
}

// end tells of what ended the command, with the exit code that it means.
func (o *output) end(err error) {
	ds := diagnose(err)
	for i := range ds {
		ds[i].Code = codeOf(err)
	}
	o.tell(ds...)
}

// warn tells of something that did not stop the command.
func (o *output) warn(summary, next string) {
	d := diagnostic(summary, next)
	d.Severity = render.Warning
	o.tell(d)
}

// table writes rows for people, or says that there are none.
func (o *output) table(t render.Table, none string) error {
	if len(t.Rows) == 0 {
		o.say("%s", none)
		return nil
	}
	return t.Write(o.w, o.style)
}
