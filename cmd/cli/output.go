package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/internal/brief"
	"github.com/ovi-project/ovi/provider/held"
	"github.com/ovi-project/ovi/render"
)

// The output formats.
const (
	AsTable = "table"
	AsJSON  = "json"
	AsYAML  = "yaml"
)

// Output is where a command's result goes, in the format that was asked for.
type Output struct {
	Format  string
	Quiet   bool
	Verbose bool
	// ShowErrors asks for the whole text of errors, on a terminal.
	ShowErrors bool
	Answer     *Answer
	W          io.Writer
	Style      render.Style   // of W
	Enc        render.Encoder // nil for a table
	ErrW       io.Writer
	ErrS       render.Style
	Held       *held.Secrets // the credentials of the process, which no diagnostic shows
	// document: something was written that is no stream of records.
	document bool
}

// NewOutput makes the output that a command line asks for.
func (p *Process) NewOutput(cc *cli.Context) (*Output, error) {
	noColor := cc.Bool("no-color")
	o := &Output{
		Format: cc.String("output"), Quiet: cc.Bool("quiet"), Verbose: cc.Bool("verbose"), Answer: p.Answer,
		ShowErrors: cc.Bool("show-errors"),
		W:          p.Stdout, Style: p.StyleOf(p.Stdout, noColor),
		ErrW: p.Stderr, ErrS: p.StyleOf(p.Stderr, noColor), Held: p.Held,
	}
	switch asJSON := wantsJSON(cc); {
	case asJSON && cc.IsSet("output") && o.Format != AsJSON:
		return nil, Usage("use one of the two", "--json and --output %s contradict each other", o.Format)
	case asJSON:
		o.Format = AsJSON
	case o.Format == "":
		o.Format = AsTable
	}
	if !slices.Contains([]string{AsTable, AsJSON, AsYAML}, o.Format) {
		return nil, Usage("use --output table, json or yaml", "invalid output format %q", o.Format)
	}
	p.encode(o)
	return o, nil
}

// wantsJSON reports --json, where that is the option of every command and not one of the command's own.
func wantsJSON(cc *cli.Context) bool {
	return cc.Bool("json") && slices.ContainsFunc(cc.Command.Flags, func(f cli.Flag) bool {
		b, ok := f.(*cli.BoolFlag)
		return ok && b.Name == "json" && b.Category == Everywhere
	})
}

// encode gives an output the encoder of its format.
func (p *Process) encode(o *Output) {
	switch o.Format {
	case AsJSON:
		o.Enc = &headed{Encoder: render.NewJSON(p.Stdout), version: p.Version}
	case AsYAML:
		o.Enc = &headed{Encoder: render.NewYAML(p.Stdout), version: p.Version}
	}
}

// Misused is where a wrong command line is reported: in the format that it asks for, as far as
// that can be read.
func (p *Process) Misused(args []string) *Output {
	o := &Output{
		Format: AsTable, Answer: p.Answer, W: p.Stdout, ErrW: p.Stderr,
		ErrS: p.StyleOf(p.Stderr, slices.Contains(args, "--no-color")), Held: p.Held,
	}
	for i, arg := range args {
		name, value, has := cutOption(arg)
		if !has && i+1 < len(args) {
			value = args[i+1]
		}
		switch {
		case arg == "--":
			return o
		case arg == "--json":
			o.Format = AsJSON
			p.encode(o)
		case name == arg || name != "output" && name != "o": // no option, or another one
		case value == AsJSON, value == AsYAML:
			o.Format = value
			p.encode(o)
		}
	}
	return o
}

// headed writes the version record before the first other one.
type headed struct {
	render.Encoder
	version string
	once    sync.Once
	err     error
}

// head writes the version record, once.
func (h *headed) head() error {
	h.once.Do(func() {
		h.err = h.Encoder.Encode(render.Version{Type: "version", Ovi: h.version, Format: render.Format})
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

// Finish writes the version record if no other was written.
func (o *Output) Finish() error {
	if h, ok := o.Enc.(*headed); ok && !o.document {
		return h.head()
	}
	return nil
}

// Document is the writer for something that has its own format, and no records around it.
func (o *Output) Document() io.Writer {
	o.document = true
	o.Answer.Document()
	return o.W
}

// Print writes a document, with a newline at its end.
func (o *Output) Print(b []byte) error {
	_, err := o.Document().Write(append(bytes.TrimRight(b, "\n"), '\n'))
	return err
}

// Machine reports whether the reader is a program.
func (o *Output) Machine() bool { return o.Enc != nil }

// Records writes records for programs.
func (o *Output) Records(rs ...render.Record) error {
	for _, r := range rs {
		if err := o.Enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// Say writes a sentence for users, unless --quiet is set: wrapped at the terminal's width, in a pipe
// at 80. Programs get records.
func (o *Output) Say(format string, args ...any) {
	if o.Machine() || o.Quiet {
		return
	}
	const pipe = 80
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		for _, part := range render.Wrap(line, cmp.Or(o.Style.Width, pipe)) {
			_, _ = fmt.Fprintln(o.W, part)
		}
	}
}

// Report writes diagnostics: to standard error for users, into the records for programs as long
// as these are read.
func (o *Output) Report(ds ...render.Diagnostic) {
	for _, d := range ds {
		for _, text := range []*string{&d.Summary, &d.Detail, &d.Suggestion} {
			*text = brief.Text(o.Held.Text(*text))
		}
		for _, text := range []*string{&d.File, &d.Cell, &d.Resource, &d.Used} {
			*text = brief.Text(*text)
		}
		d.Resources = slices.Clone(d.Resources)
		for i := range d.Resources {
			d.Resources[i] = brief.Text(d.Resources[i])
		}
		if !o.Machine() || o.Enc.Encode(d) != nil || o.Answer.Unread() {
			_ = d.Write(o.ErrW, o.ErrS)
		}
	}
}

// End reports the error that ended the command, with its exit code.
func (o *Output) End(err error) {
	ds := Diagnose(err)
	for i := range ds {
		ds[i].Code = CodeOf(err)
	}
	o.Report(ds...)
}

// Warn reports something that did not stop the command.
func (o *Output) Warn(summary, suggestion string) {
	d := Diagnostic(summary, suggestion)
	d.Severity = render.Warning
	o.Report(d)
}

// Table writes rows for users, or the line for none.
func (o *Output) Table(t render.Table, none string) error {
	if len(t.Rows) == 0 {
		o.Say("%s", none)
		return nil
	}
	return t.Write(o.W, o.Style)
}
