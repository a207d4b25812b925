package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/resource"
)

// Tidy puts a command line into the order that the library reads: the command, its options as
// --name=value, "--", the arguments. So options can be before or after the argument, with one
// dash or two. "--" ends them, a lone "-" is an argument. A command line that is wrong is an error
// that names the nearest correct one.
func Tidy(commands []*cli.Command, args []string) ([]string, error) {
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

// splitArgs reads the arguments once. Options before the command are looked up in every command.
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
					return nil, nil, nil, Usage("use "+dashed(name)+" VALUE", "option %s needs a value", dashed(name))
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
	options, err = checked(leaf, path, raw)
	return path, options, rest, err
}

// checked are the options of a command as --name=value, each known and with a value it can have.
func checked(leaf *cli.Command, path, raw []string) (options []string, err error) {
	environment := ""
	for _, o := range raw {
		name, value, has := cutOption(o)
		flag, err := flagOf(leaf, path, name)
		if err != nil {
			return nil, err
		}
		if _, one := flag.(*cli.StringFlag); one && name == "env" { // the last one would win
			if environment != "" {
				return nil, Usage("use one --env; run the command for each environment, or `ovi run` for several",
					"--env is given twice: %s and %s", environment, value)
			}
			environment = value
		}
		if !has {
			options = append(options, "--"+name)
			continue
		}
		if err := checkValue(flag, name, value); err != nil {
			return nil, err
		}
		options = append(options, "--"+name+"="+value)
	}
	return options, nil
}

func cutOption(arg string) (name, value string, has bool) {
	return strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
}

// dashed is an option as it is typed.
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

// takesArgs reports whether a command with subcommands also does something itself.
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

// flagOf finds an option of a command, or names the nearest it has.
func flagOf(leaf *cli.Command, path []string, name string) (cli.Flag, error) {
	if name == "help" || name == "h" || leaf == nil && name == "version" {
		return nil, nil
	}
	command := strings.Join(append([]string{"ovi"}, path...), " ")
	if leaf == nil {
		return nil, Usage("see `ovi help`", "option %s without a command", dashed(name))
	}
	var names []string
	for _, f := range leaf.Flags {
		if slices.Contains(f.Names(), name) {
			return f, nil
		}
		names = append(names, f.Names()...)
	}
	next := "see `" + command + " --help`"
	if near, ok := resource.Nearest(name, names); ok && len(name) > 1 { // everything is near one letter
		next = "did you mean " + dashed(near) + "?"
	}
	if other := meantOption(name, names); other != "" {
		next = other
	}
	return nil, Usage(next, "unknown option %s for `%s`", dashed(name), command)
}

// meantOption are options of other commands and tools, with what does the same here. has are the
// options of the command.
func meantOption(name string, has []string) string {
	switch name {
	case "out":
		return "save a plan with `ovi plan --out FILE`"
	case "debug", "vv":
		return "use --verbose"
	case "y", "yes", "force", "auto_approve", "assume-yes":
		if slices.Contains(has, "auto-approve") {
			return "use --auto-approve"
		}
	case "var", "vars", "var-file", "variable":
		// The option here that sets variables.
		switch {
		case !slices.Contains(has, "set"):
			return "omit it: the command reads the record, and no variables"
		case name == "var-file":
			return "use --values FILE, and declare its variables under `vars` in the configuration"
		}
		return "use --set NAME=VALUE, and declare the variable under `vars` in the configuration"
	case "env", "environment", "workspace":
		if slices.Contains(has, "env") {
			return "use --env NAME, and declare `environments` in the configuration"
		}
		return "omit it: the record has all environments; name a resource with its stack, as in shop-dev:ec2/web"
	case "destroy":
		return "use `ovi destroy`, with --dry-run to see what it would delete"
	case "refresh", "refresh-only":
		return "run `ovi drift`: it shows what was changed outside ovi"
	case "target-dir", "chdir", "C":
		return "name the source: its folder holds the data directory"
	}
	return ""
}

// meant are commands of other tools, with what does the same here.
func meant(name string) string {
	switch name {
	case "validate", "check":
		return "run `ovi plan`: it checks the configuration and changes nothing"
	case "init":
		return "run `ovi plan`: nothing has to be initialized"
	case "workspace", "workspaces", "env", "stack":
		return "declare `environments` in the configuration, and use --env NAME"
	case "refresh":
		return "run `ovi plan`: it observes live state each time"
	case "import":
		return "add the resource to the configuration and run `ovi adopt REF --id ID`"
	case "list", "ls", "state":
		return "run `ovi status`"
	case "log", "logs", "verify", "replay", "export":
		return "run `ovi audit " + strings.TrimSuffix(name, "s") + "`"
	case "rm", "remove", "delete":
		return "remove the resource from the configuration and run `ovi apply`, or run `ovi forget REF`"
	case "mv", "rename":
		return "run `ovi move REF REF`"
	case "unlock", "force-unlock":
		return "run `ovi claims revoke REF`"
	}
	return ""
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
	if other := meant(name); other != "" && len(path) == 0 {
		next = other
	}
	return Usage(next, "unknown command `%s %s`", command, name)
}

// Complete gives the commands what all have in common: the options of every command, and an
// error where a subcommand is missing.
func Complete(commands []*cli.Command, everywhere []cli.Flag) {
	names := make([]string, len(everywhere))
	for i, f := range everywhere {
		names[i] = f.Names()[0] // by a regular expression each time: once, not once a command
	}
	for _, c := range commands {
		complete(c, everywhere, names)
	}
}

func complete(c *cli.Command, everywhere []cli.Flag, names []string) {
	c.HideHelp = true
	c.OnUsageError = func(_ *cli.Context, err error,
		_ bool,
	) error {
		return Usage("see `ovi "+c.Name+" --help`", "%s", err)
	}
	if len(c.Subcommands) == 0 || takesArgs(c) {
		own := make(map[string]bool, len(c.Flags))
		for _, f := range c.Flags {
			own[f.Names()[0]] = true
		}
		for i, f := range everywhere {
			if !own[names[i]] {
				c.Flags = append(c.Flags, f)
			}
		}
	}
	if c.Action == nil {
		c.Action = func(*cli.Context) error {
			return Usage("use one of "+strings.Join(namesOf(c.Subcommands), ", ")+": see `ovi "+c.Name+" --help`",
				"`ovi %s` needs a subcommand", c.Name)
		}
	}
	for _, sub := range c.Subcommands {
		complete(sub, everywhere, names)
	}
}
