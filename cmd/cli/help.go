package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/render"
)

// Everywhere is the category of the options that every command has.
const Everywhere = "Options of every command"

// Help is the help of a program: a page of its commands by group, and one for each of them.
type Help struct {
	About  string   // the first lines
	Groups []string // the categories, in order
	Brief  string   // the group whose commands are only named
	Foot   string
}

// optionsPage is the name of the page of the options that every command has.
const optionsPage = "options"

// For returns the help page of the command with this path, of the options of every command, or of the program.
func (h Help) For(commands []*cli.Command, path []string) (string, error) {
	if slices.Equal(path, []string{optionsPage}) {
		return everywhereHelp(commands), nil
	}
	level, found := commands, (*cli.Command)(nil)
	for i, name := range path {
		if found = find(level, name); found == nil {
			return "", unknownCommand(level, path[:i], name)
		}
		level = found.Subcommands
	}
	if found != nil {
		return commandHelp(strings.Join(path, " "), found), nil
	}
	return h.page(commands), nil
}

func (h Help) page(commands []*cli.Command) string {
	var b strings.Builder
	b.WriteString(h.About + "\n")
	for _, group := range h.Groups {
		b.WriteString(group + "\n")
		in := slices.DeleteFunc(slices.Clone(commands), func(c *cli.Command) bool { return c.Category != group })
		if group == h.Brief {
			b.WriteString("  " + strings.Join(namesOf(in), ", ") + "\n")
			continue
		}
		for _, c := range in {
			fmt.Fprintf(&b, "  %-10s %s\n", c.Name, c.Usage)
		}
	}
	b.WriteString(h.Foot + "\n")
	return b.String()
}

// commandHelp is everything about one command.
func commandHelp(path string, c *cli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\nUsage: ovi %s\n", c.Usage, UsageLine(path, c))
	if c.Description != "" {
		paragraphs := strings.Split(c.Description, "\n\n")
		for i, p := range paragraphs {
			if !strings.Contains(p, "  ") { // one with columns, which two spaces separate, is not changed
				paragraphs[i] = strings.Join(render.Wrap(p, 80), "\n")
			}
		}
		b.WriteString("\n" + strings.Join(paragraphs, "\n\n") + "\n")
	}
	if len(c.Subcommands) > 0 {
		b.WriteString("\nSubcommands\n")
	}
	for _, sub := range c.Subcommands {
		fmt.Fprintf(&b, "  %s\n      %s\n", UsageLine(sub.Name, sub), sub.Usage)
	}
	if len(c.Flags) > 0 {
		writeFlags(&b, c, "", "Options")
	}
	if slices.ContainsFunc(Flags(c), func(f Flag) bool { return f.Category == Everywhere }) {
		b.WriteString("\n" + Everywhere + ": ovi help " + optionsPage + "\n")
	}
	return b.String()
}

// everywhereHelp is the page of the options that every command has: output, data directory, and the systems. A command
// that reads nothing has a part of them, so the longest list is shown.
func everywhereHelp(commands []*cli.Command) string {
	count := func(c *cli.Command) (n int) {
		for _, f := range Flags(c) {
			if f.Category == Everywhere {
				n++
			}
		}
		return n
	}
	longest := slices.MaxFunc(commands, func(a, b *cli.Command) int { return count(a) - count(b) })
	var b strings.Builder
	writeFlags(&b, longest, Everywhere, Everywhere)
	return strings.TrimPrefix(b.String(), "\n")
}

// UsageLine is how a command is typed.
func UsageLine(path string, c *cli.Command) string {
	line := path
	if len(c.Subcommands) > 0 && !takesArgs(c) {
		line += " SUBCOMMAND"
	}
	if c.ArgsUsage != "" {
		line += " " + c.ArgsUsage
	}
	return line + " [options]"
}

// Flag is what help and the reference say about an option.
type Flag struct{ Head, Text, Category string }

// Flags are the options of a command.
func Flags(c *cli.Command) []Flag {
	out := make([]Flag, 0, len(c.Flags))
	for _, f := range c.Flags {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		heads := make([]string, len(f.Names()))
		for i, name := range f.Names() {
			heads[i] = dashed(name)
		}
		info := Flag{Head: strings.Join(heads, ", "), Text: doc.GetUsage()}
		if before, rest, found := strings.Cut(info.Text, "`"); found && doc.TakesValue() {
			name, after, _ := strings.Cut(rest, "`")
			info.Head += " " + name
			info.Text = before + name + after
		}
		if value := strings.Trim(doc.GetDefaultText(), `"`); doc.TakesValue() && value != "" && value != "0" &&
			value != "0s" {
			info.Text += " (default " + value + ")"
		}
		if withCategory, ok := f.(cli.CategorizableFlag); ok {
			info.Category = withCategory.GetCategory()
		}
		out = append(out, info)
	}
	return out
}

func writeFlags(b *strings.Builder, c *cli.Command, category, head string) {
	for _, f := range Flags(c) {
		if f.Category != category {
			continue
		}
		if head != "" {
			b.WriteString("\n" + head + "\n")
			head = ""
		}
		fmt.Fprintf(b, "  %s\n", f.Head)
		for _, line := range render.Wrap(f.Text, 74) {
			b.WriteString("      " + line + "\n")
		}
	}
}
