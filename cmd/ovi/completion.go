package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

func (p *process) completionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Category: catHelp, ArgsUsage: "bash | zsh | fish",
		Usage:  "a script that lets your shell complete ovi's commands and options",
		Action: p.action((*call).completion),
	}
}

func (c *call) completion() error {
	if err := c.atMost(1); err != nil {
		return err
	}
	commands := c.app().Commands
	switch c.arg(0) {
	case "bash":
		return bashCompletion(c.out.w, commands)
	case "zsh":
		if _, err := io.WriteString(c.out.w, "#compdef ovi\nautoload -U +X bashcompinit && bashcompinit\n"); err != nil {
			return err
		}
		return bashCompletion(c.out.w, commands)
	case "fish":
		return fishCompletion(c.out.w, commands)
	}
	return usage("write `ovi completion bash`, zsh or fish", "%q is no shell that ovi can complete for", c.arg(0))
}

// bashCompletion completes commands, subcommands and options from a table of words by the
// command so far; anything else is a file.
func bashCompletion(w io.Writer, commands []*cli.Command) error {
	var b strings.Builder
	b.WriteString("_ovi() {\n\tlocal cur=\"${COMP_WORDS[COMP_CWORD]}\" cmd=\"\" w i\n")
	b.WriteString("\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tw=\"${COMP_WORDS[i]}\"\n")
	b.WriteString("\t\tcase \"$cmd $w\" in\n")
	each(commands, "", func(path string, _ *cli.Command) {
		fmt.Fprintf(&b, "\t\t\"%s\") cmd=\"%s\" ;;\n", path, path)
	})
	b.WriteString("\t\tesac\n\tdone\n\tcase \"$cmd\" in\n")
	fmt.Fprintf(&b, "\t\"\") w=\"%s\" ;;\n", strings.Join(namesOfCommands(commands), " "))
	each(commands, "", func(path string, c *cli.Command) {
		words := append(namesOfCommands(c.Subcommands), flagWords(c)...)
		fmt.Fprintf(&b, "\t\"%s\") w=\"%s\" ;;\n", path, strings.Join(words, " "))
	})
	b.WriteString("\tesac\n\tCOMPREPLY=($(compgen -W \"$w\" -- \"$cur\"))\n}\ncomplete -o default -F _ovi ovi\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func fishCompletion(w io.Writer, commands []*cli.Command) error {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c ovi -n __fish_use_subcommand -a %s -d %q\n", c.Name, c.Usage)
		for _, sub := range c.Subcommands {
			fmt.Fprintf(&b, "complete -c ovi -n '__fish_seen_subcommand_from %s' -a %s -d %q\n", c.Name, sub.Name, sub.Usage)
		}
		for _, f := range c.Flags {
			name := f.Names()[0]
			if len(name) == 1 {
				continue
			}
			fmt.Fprintf(&b, "complete -c ovi -n '__fish_seen_subcommand_from %s' -l %s\n", c.Name, name)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// each calls do for every command with its path: " audit log".
func each(commands []*cli.Command, above string, do func(string, *cli.Command)) {
	for _, c := range commands {
		path := above + " " + c.Name
		do(path, c)
		each(c.Subcommands, path, do)
	}
}

func namesOfCommands(commands []*cli.Command) []string {
	out := make([]string, len(commands))
	for i, c := range commands {
		out[i] = c.Name
	}
	return out
}

func flagWords(c *cli.Command) []string {
	var out []string
	for _, f := range c.Flags {
		for _, name := range f.Names() {
			if len(name) > 1 {
				out = append(out, "--"+name)
			}
		}
	}
	return out
}
