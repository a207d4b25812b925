package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// Completion writes the completion script of a shell.
func Completion(w io.Writer, shell string, commands []*cli.Command) error {
	text := ""
	switch shell {
	case "bash":
		text = bashCompletion(commands)
	case "zsh":
		text = "#compdef ovi\nautoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(commands)
	case "fish":
		text = fishCompletion(commands)
	default:
		return Usage("use `ovi completion bash`, zsh or fish", "no completion for shell %q", shell)
	}
	_, err := io.WriteString(w, text)
	return err
}

// bashCompletion completes commands, subcommands and options from a table of words by the
// command so far; anything else is a file.
func bashCompletion(commands []*cli.Command) string {
	var b strings.Builder
	b.WriteString("_ovi() {\n\tlocal cur=\"${COMP_WORDS[COMP_CWORD]}\" cmd=\"\" w i\n")
	b.WriteString("\tfor ((i = 1; i < COMP_CWORD; i++)); do\n\t\tw=\"${COMP_WORDS[i]}\"\n")
	b.WriteString("\t\tcase \"$cmd $w\" in\n")
	Each(commands, "", func(path string, _ *cli.Command) {
		fmt.Fprintf(&b, "\t\t\"%s\") cmd=\"%s\" ;;\n", path, path)
	})
	b.WriteString("\t\tesac\n\tdone\n\tcase \"$cmd\" in\n")
	fmt.Fprintf(&b, "\t\"\") w=\"%s\" ;;\n", strings.Join(namesOf(commands), " "))
	Each(commands, "", func(path string, c *cli.Command) {
		words := namesOf(c.Subcommands)
		for _, f := range c.Flags {
			for _, name := range f.Names() {
				if len(name) > 1 {
					words = append(words, "--"+name)
				}
			}
		}
		fmt.Fprintf(&b, "\t\"%s\") w=\"%s\" ;;\n", path, strings.Join(words, " "))
	})
	b.WriteString("\tesac\n\tCOMPREPLY=($(compgen -W \"$w\" -- \"$cur\"))\n}\ncomplete -o default -F _ovi ovi\n")
	return b.String()
}

func fishCompletion(commands []*cli.Command) string {
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
	return b.String()
}

// Each calls do for every command and subcommand with its path: " audit log".
func Each(commands []*cli.Command, above string, do func(string, *cli.Command)) {
	for _, c := range commands {
		path := above + " " + c.Name
		do(path, c)
		Each(c.Subcommands, path, do)
	}
}

func namesOf(commands []*cli.Command) []string {
	out := make([]string, len(commands))
	for i, c := range commands {
		out[i] = c.Name
	}
	return out
}
