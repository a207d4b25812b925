package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/resource"
)

// tidyArgs brings a command line into the order that the library reads: the command, its
// options as --name=value, "--", the arguments. So options may stand on either side of the
// argument, with one dash or two. "--" ends them, a lone "-" is an argument.
func tidyArgs(commands []*cli.Command, args []string) ([]string, error) {
	path, options, rest, err := splitArgs(commands, args)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(options, func(o string) bool { return o == "--help" || o == "--h" }) {
		return append([]string{"help"}, path...), nil
	}
	if len(path) == 0 && slices.Contains(options, "--version") {
		return []string{"version"}, nil
	}
	out := append(path, options...)
	if len(rest) > 0 {
		out = append(append(out, "--"), rest...)
	}
	return out, nil
}

// splitArgs walks the arguments once. Options before the command are looked up in every
// command, since which one it will be is not known yet.
func splitArgs(commands []*cli.Command, args []string) (path, options, rest []string, err error) {
	level, leaf := commands, (*cli.Command)(nil)
	var raw []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case len(arg) > 1 && arg[0] == '-':
			raw = append(raw, arg)
			if name, _, has := cutOption(arg); !has && takesValue(candidates(commands, leaf), name) {
				if i+1 == len(args) {
					return nil, nil, nil, usage("write "+dashed(name)+" VALUE", "option %s needs a value", dashed(name))
				}
				i++
				raw[len(raw)-1] += "=" + args[i]
			}
		case len(level) > 0:
			next := find(level, arg)
			if next == nil && takesArgs(leaf) {
				rest, level = append(rest, arg), nil
				continue
			}
			if next == nil {
				return nil, nil, nil, unknownCommand(level, path, arg)
			}
			leaf, level = next, next.Subcommands
			path = append(path, next.Name)
		default:
			rest = append(rest, arg)
		}
	}
	for _, o := range raw {
		name, value, has := cutOption(o)
		if err := known(leaf, path, name); err != nil {
			return nil, nil, nil, err
		}
		if has {
			options = append(options, "--"+name+"="+value)
		} else {
			options = append(options, "--"+name)
		}
	}
	return path, options, rest, nil
}

func cutOption(arg string) (name, value string, has bool) {
	return strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
}

// dashed is an option as people write it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// candidates are the commands an option may belong to.
func candidates(all []*cli.Command, leaf *cli.Command) []*cli.Command {
	if leaf != nil && len(leaf.Subcommands) == 0 {
		return []*cli.Command{leaf}
	}
	var out []*cli.Command
	if leaf != nil {
		all = leaf.Subcommands
		if takesArgs(leaf) {
			out = append(out, leaf)
		}
	}
	for _, c := range all {
		out = append(append(out, c), candidates(c.Subcommands, nil)...)
	}
	return out
}

// takesArgs says that a command with commands below it also does something itself.
func takesArgs(c *cli.Command) bool { return c != nil && c.ArgsUsage != "" }

func takesValue(commands []*cli.Command, name string) bool {
	for _, c := range commands {
		for _, f := range c.Flags {
			if slices.Contains(f.Names(), name) {
				_, isBool := f.(*cli.BoolFlag)
				return !isBool
			}
		}
	}
	return false
}

func find(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// known refuses an option the command does not have, and names the nearest it has.
func known(leaf *cli.Command, path []string, name string) error {
	if name == "help" || name == "h" || leaf == nil && name == "version" {
		return nil
	}
	command := strings.Join(append([]string{"ovi"}, path...), " ")
	if leaf == nil {
		return usage("see `ovi help`", "option %s, but no command", dashed(name))
	}
	var names []string
	for _, f := range leaf.Flags {
		if slices.Contains(f.Names(), name) {
			return nil
		}
		names = append(names, f.Names()...)
	}
	next := "see `" + command + " --help`"
	if near, ok := resource.Nearest(name, names); ok && len(name) > 1 { // everything is near one letter
		next = "did you mean " + dashed(near) + "?"
	}
	return usage(next, "`%s` has no option %s", command, dashed(name))
}

func unknownCommand(level []*cli.Command, path []string, name string) error {
	var names []string
	for _, c := range level {
		names = append(names, c.Name)
	}
	command := strings.Join(append([]string{"ovi"}, path...), " ")
	next := "see `" + command + " --help`"
	if near, ok := resource.Nearest(name, names); ok {
		next = "did you mean `" + command + " " + near + "`?"
	}
	return usage(next, "there is no command `%s %s`", command, name)
}
