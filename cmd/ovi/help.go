package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/render"
)

const about = `ovi makes the world as your files say, and remembers why.

  ovi COMMAND [SOURCE] [options]

SOURCE is a config file or a folder of them; without it, ovi.yaml here.
Options may stand on either side of the argument, with one dash or two.
`

func (p *process) helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Category: catHelp, ArgsUsage: "[COMMAND]", Usage: "how to use ovi, or one of its commands",
		Action: func(cc *cli.Context) error { return p.helpAbout(cc.Args().Slice()) },
	}
}

// helpAbout writes the help of a command, or of ovi.
func (p *process) helpAbout(path []string) error {
	level, found := p.app().Commands, (*cli.Command)(nil)
	for i, name := range path {
		if found = find(level, name); found == nil {
			return unknownCommand(level, path[:i], name)
		}
		level = found.Subcommands
	}
	text := about + commandList(level)
	if found != nil {
		text = commandHelp(strings.Join(path, " "), found)
	}
	_, err := io.WriteString(p.stdout, text)
	return err
}

// commandList is the commands by what they are for.
func commandList(commands []*cli.Command) string {
	var b strings.Builder
	for _, category := range []string{catLine, catMemory, catActs, catHelp} {
		b.WriteString("\n" + category + "\n")
		for _, c := range commands {
			if c.Category == category {
				fmt.Fprintf(&b, "  %-11s %s\n", c.Name, c.Usage)
			}
		}
	}
	b.WriteString("\n`ovi COMMAND --help` says more. To try it: ovi plan --sandbox\n" +
		"Exit codes: 0 done or nothing to do, 1 error, 2 changes (--detailed-exitcode),\n" +
		"3 some failed, 4 not all seen, 5 held by others, 6 held back by a policy,\n" +
		"130 interrupted.\n")
	return b.String()
}

// commandHelp is everything about one command.
func commandHelp(path string, c *cli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ovi %s: %s\n\n  ovi %s\n", path, c.Usage, usageLine(path, c))
	if c.Description != "" {
		b.WriteString("\n  " + strings.ReplaceAll(c.Description, "\n", "\n  ") + "\n")
	}
	for _, sub := range c.Subcommands {
		fmt.Fprintf(&b, "\n  ovi %s\n      %s\n", usageLine(path+" "+sub.Name, sub), sub.Usage)
	}
	if len(c.Flags) > 0 {
		b.WriteString("\nOptions\n")
		writeFlags(&b, c, "")
		b.WriteString("\n" + catGlobal + "\n")
		writeFlags(&b, c, catGlobal)
	}
	return b.String()
}

func usageLine(path string, c *cli.Command) string {
	line := path
	if len(c.Subcommands) > 0 && !takesArgs(c) {
		line += " COMMAND"
	}
	if c.ArgsUsage != "" {
		line += " " + c.ArgsUsage
	}
	return line + " [options]"
}

// flagInfo is what help and reference say of an option.
type flagInfo struct{ head, text, category string }

func flagsOf(c *cli.Command) []flagInfo {
	out := make([]flagInfo, 0, len(c.Flags))
	for _, f := range c.Flags {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		heads := make([]string, len(f.Names()))
		for i, name := range f.Names() {
			heads[i] = dashed(name)
		}
		info := flagInfo{head: strings.Join(heads, ", "), text: doc.GetUsage()}
		if before, rest, found := strings.Cut(info.text, "`"); found && doc.TakesValue() {
			name, after, _ := strings.Cut(rest, "`")
			info.head += " " + name
			info.text = before + name + after
		}
		if value := strings.Trim(doc.GetDefaultText(), `"`); doc.TakesValue() && value != "" && value != "0" && value != "0s" {
			info.text += " (default " + value + ")"
		}
		if withCategory, ok := f.(cli.CategorizableFlag); ok {
			info.category = withCategory.GetCategory()
		}
		out = append(out, info)
	}
	return out
}

func writeFlags(b *strings.Builder, c *cli.Command, category string) {
	for _, f := range flagsOf(c) {
		if f.category != category {
			continue
		}
		fmt.Fprintf(b, "  %s\n", f.head)
		for _, line := range render.Wrap(f.text, 74) {
			b.WriteString("      " + line + "\n")
		}
	}
}
